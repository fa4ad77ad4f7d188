// page: records the motion of a visitor's own board by a program that prints its sensor's samples
// MIT license; Copyright (c) 2026 the tflm authors

import { Repl } from './repl.js';
import { SerialPump } from './serial_pump.js';

const SAMPLES = 96; // of an example: about two seconds, as the network reads it
const AXES = 3;
const PER_G = 8192; // as in page/rom/teach.py
const HEIGHT = 24; // pixels of a small canvas
const PIECE = 64; // bytes in one write; the UART of an ESP32 loses bytes if more than 256 wait
const PAUSE = 10; // milliseconds between two writes
const TRIES = 10; // many an ESP32 resets when its port is opened, and loses what it receives then
const LIMIT = 20_000; // milliseconds until the program must have ended
const LATE = 'your board does not answer; check that it runs MicroPython, then press its reset button';
const LOST = 'the connection to your board was lost; plug it in and try again';
const ENDLESS = `the program did not end within ${LIMIT / 1000} s; print ${SAMPLES} lines in about two seconds`;

/** A serial port for Repl, on the worker's end of a SerialPump. */
class PumpedPort {
  /** @type {MessagePort | null} */
  #port = null;
  /** @type {((bytes: Uint8Array) => void) | null} */
  #reader = null;
  /** @type {Promise<void>} */
  #written = Promise.resolve();
  onLost = () => {};

  /** @param {(bytes: Uint8Array) => void} reader */
  listen(reader) {
    this.#reader = reader;
  }

  /** @param {MessagePort} port */
  use(port) {
    this.#port = port;
    /** @param {MessageEvent<import('./messages.js').FromPump>} event */
    port.onmessage = ({ data: message }) => {
      if (message.kind === 'bytes') this.#reader?.(message.bytes);
      else if (message.kind === 'lost') this.onLost();
    };
  }

  /** @param {Uint8Array} bytes */
  write(bytes) {
    const port = this.#port;
    for (let at = 0; at < bytes.length; at += PIECE) {
      this.#written = this.#written.then(() => {
        port?.postMessage({ kind: 'write', bytes: bytes.slice(at, at + PIECE) });
        return new Promise((resolve) => setTimeout(resolve, PAUSE));
      });
    }
  }
}

export class OwnSensor {
  #chosen;
  #port = new PumpedPort();
  #repl = new Repl(this.#port, () => {}, { tries: TRIES, late: LATE });

  /** @param {() => Promise<import('./messages.js').WebSerialPort>} chosen returns the visitor's port */
  constructor(chosen) {
    this.#chosen = chosen;
    this.#port.onLost = () => this.#repl.forget(LOST);
  }

  /**
   * Run a program on the board that prints 96 lines x,y,z in g; return them as bytes of int16, g * 8192.
   * @param {string} program
   */
  async record(program) {
    const pump = new SerialPump(await this.#chosen());
    await pump.open();
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      this.#repl.stop();
    }, LIMIT);
    try {
      this.#port.use(pump.port);
      return samplesOf(await this.#repl.exec(program));
    } catch (error) {
      throw isLate ? new Error(ENDLESS) : error;
    } finally {
      clearTimeout(timer);
      await pump.close();
    }
  }
}

/** @param {string} text */
function samplesOf(text) {
  const rows = text.trim().split('\n').map((line) => line.split(',').map(Number));
  const isValid = rows.length === SAMPLES && rows.every((row) => row.length === AXES && row.every(Number.isFinite));
  if (!isValid) throw new Error(`the program printed ${rows.length} lines; print ${SAMPLES} lines x,y,z in g`);
  const found = rows.flat().map((value) => Math.max(-32768, Math.min(32767, Math.round(value * PER_G))));
  return new Uint8Array(new Int16Array(found).buffer);
}

/** Draw the motion on a small canvas. @param {HTMLCanvasElement} canvas @param {Uint8Array} bytes */
export function paintMotion(canvas, bytes) {
  canvas.width = SAMPLES;
  canvas.height = HEIGHT;
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
  context.fillStyle = 'black';
  new Int16Array(bytes.buffer).forEach((value, i) => {
    const y = HEIGHT / 2 - (value / PER_G / 4) * (HEIGHT / 2 - 1);
    context.fillRect(Math.floor(i / AXES), Math.round(y), 1, 1);
  });
}
