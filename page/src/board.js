// page: the page's interface to the emulated Pico: its power and its serial port
// MIT license; Copyright (c) 2026 the tflm authors

import { worker } from './workers.js';

const PATIENCE = 10_000; // milliseconds until the board must have started

/**
 * @typedef {object} Handlers
 * @property {(text: string) => void} fault the board is off
 * @property {() => void} reset the board was reset by its program
 * @property {(missing: boolean) => void} ended the emulator ended; missing: it could not be loaded
 * @property {(on: boolean) => void} light
 * @property {(share: number | null) => void} speed
 */

/** A serial port. write() sends bytes, and the function given to listen() receives bytes. */
export class EmulatedBoard {
  /** @type {Worker | null} */
  #worker = null;
  /** @type {((bytes: Uint8Array) => void) | null} */
  #reader = null;
  /** @type {Uint8Array | null} */
  #image = null; // the last one; a new worker has no content of flash
  #timer = 0;
  #handlers;

  /** @param {Handlers} handlers */
  constructor(handlers) {
    this.#handlers = handlers;
  }

  #start() {
    const started = worker('emulator_worker.js', (missing) => started === this.#worker && this.#end(missing));
    /** @param {MessageEvent<import('./messages.js').FromEmulator>} event */
    started.onmessage = ({ data: message }) => started === this.#worker && this.#take(message);
    return started;
  }

  /** @param {import('./messages.js').FromEmulator} message */
  #take(message) {
    const handlers = this.#handlers;
    if (message.kind === 'received') this.#reader?.(message.bytes);
    else if (message.kind === 'light') handlers.light(message.on);
    else if (message.kind === 'speed') handlers.speed(message.share);
    else clearTimeout(this.#timer);
    if (message.kind === 'fault') handlers.fault(message.text);
    else if (message.kind === 'started' && message.again) handlers.reset();
  }

  /** @param {boolean} missing */
  #end(missing) {
    clearTimeout(this.#timer);
    this.#worker?.terminate();
    this.#worker = null;
    this.#handlers.ended(missing);
  }

  /** @param {import('./messages.js').ToEmulator} message */
  #send(message) {
    this.#worker?.postMessage(message);
  }

  /** Switch the power on with this image in flash; null keeps the content of flash. @param {Uint8Array} rom @param {Uint8Array | null} image */
  power(rom, image) {
    this.#image = image ?? this.#image;
    const given = this.#worker ? image : this.#image;
    this.#worker ??= this.#start();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#end(false), PATIENCE);
    this.#send({ kind: 'power', rom, image: given });
  }

  /** @param {Uint8Array} bytes */
  write(bytes) {
    this.#send({ kind: 'send', bytes });
  }

  /** Write bytes into the RAM of the board, as the DMA of a sensor does. @param {number} address @param {Uint8Array} bytes */
  store(address, bytes) {
    this.#send({ kind: 'store', address, bytes });
  }

  /** @param {(bytes: Uint8Array) => void} reader */
  listen(reader) {
    this.#reader = reader;
  }
}
