// page: the emulated Pico as the page sees it: power, and a serial port
// MIT license; Copyright (c) 2026 the tflm authors

import { worker } from './workers.js';

/** A serial port: bytes out, and whoever listens gets those that come in. */
export class EmulatedBoard {
  #worker = worker('emulator_worker.js');
  /** @type {((bytes: Uint8Array) => void) | null} */
  #reader = null;

  /** @param {{ fault: (text: string) => void, light: (on: boolean) => void, speed: (share: number | null) => void }} told */
  constructor(told) {
    /** @param {MessageEvent<import('./messages.js').FromEmulator>} event */
    this.#worker.onmessage = ({ data: message }) => {
      if (message.kind === 'received') this.#reader?.(message.bytes);
      else if (message.kind === 'fault') told.fault(message.text);
      else if (message.kind === 'light') told.light(message.on);
      else told.speed(message.share);
    };
  }

  /** @param {import('./messages.js').ToEmulator} message */
  #send(message) {
    this.#worker.postMessage(message);
  }

  /** Power on, with this image in flash, or what it held. @param {Uint8Array} rom @param {Uint8Array | null} image */
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
