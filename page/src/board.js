// page: the page's interface to the emulated Pico: its power and its serial port
// MIT license; Copyright (c) 2026 the tflm authors

import { worker } from './workers.js';

/** A serial port. write() sends bytes, and the function given to listen() receives bytes. */
export class EmulatedBoard {
  #worker = worker('emulator_worker.js');
  /** @type {((bytes: Uint8Array) => void) | null} */
  #reader = null;

  /** @param {{ fault: (text: string) => void, light: (on: boolean) => void, speed: (share: number | null) => void }} handlers */
  constructor(handlers) {
    /** @param {MessageEvent<import('./messages.js').FromEmulator>} event */
    this.#worker.onmessage = ({ data: message }) => {
      if (message.kind === 'received') this.#reader?.(message.bytes);
      else if (message.kind === 'fault') handlers.fault(message.text);
      else if (message.kind === 'light') handlers.light(message.on);
      else handlers.speed(message.share);
    };
  }

  /** @param {import('./messages.js').ToEmulator} message */
  #send(message) {
    this.#worker.postMessage(message);
  }

  /** Switch the power on with this image in flash; null keeps the content of flash. @param {Uint8Array} rom @param {Uint8Array | null} image */
  power(rom, image) {
    this.#send({ kind: 'power', rom, image });
  }

  /** @param {Uint8Array} bytes */
  write(bytes) {
    this.#send({ kind: 'send', bytes });
  }

  /** @param {(bytes: Uint8Array) => void} reader */
  listen(reader) {
    this.#reader = reader;
  }
}
