// page: sends requests to the worker of the host's tools, one at a time; starts it with the first
// MIT license; Copyright (c) 2026 the tflm authors

import { MissingError } from './loading.js';
import { worker } from './workers.js';

const PAUSE = 1000; // milliseconds before the second attempt to start the worker
const STOPPED = 'the tools were stopped; drop the model again';
// Requests that need the model of the last 'look', and the image of the last 'make'.
const NEED_MODEL = ['make', 'report', 'made'];

/** @typedef {import('./messages.js').ToPython} Request */

/** The worker ended before it answered. */
class EndedError extends Error {}

export class Tools {
  /** @type {Worker | null} */
  #worker = null;
  /** @type {Promise<unknown>} */
  #last = Promise.resolve();
  /** @type {((error: Error) => void) | null} */
  #fail = null;
  /** @type {Request[]} */
  #model = []; // requests that give a new worker the model of the last one
  #ended = false;

  /**
   * Return the result of a request. Raises an Error with a sentence.
   * @param {Request} message
   * @param {(done: number, all: number) => void} [progress]
   * @returns {Promise<any>}
   */
  ask(message, progress) {
    const done = this.#last.then(() => this.#answer(message, progress));
    this.#last = done.catch(() => {});
    return done;
  }

  // A request with a port can be sent only once: the port moves to the worker.
  /** @param {Request} message @param {((done: number, all: number) => void) | undefined} progress */
  async #answer(message, progress) {
    if (!('port' in message)) return this.#repeated(message, progress);
    if (!this.#worker) await this.#repeated({ kind: 'start' });
    return this.#attempt(message, progress);
  }

  // A worker that could not be loaded, or has died, is replaced once.
  /** @param {Request} message @param {(done: number, all: number) => void} [progress] */
  async #repeated(message, progress) {
    try {
      return await this.#attempt(message, progress);
    } catch (error) {
      if (this.#ended || !(error instanceof MissingError || error instanceof EndedError)) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
    return this.#attempt(message, progress);
  }

  /** @param {Request} message @param {(done: number, all: number) => void} [progress] */
  async #attempt(message, progress) {
    if (message.kind === 'look') this.#model = [];
    if (!this.#worker && NEED_MODEL.includes(message.kind)) {
      for (const each of this.#model) await this.#request(each);
    }
    const result = await this.#request(message, progress);
    if (message.kind === 'look') this.#model = [message];
    else if (message.kind === 'make') this.#model = [this.#model[0], message];
    return result;
  }

  /** @param {Request} message @param {(done: number, all: number) => void} [progress] */
  #request(message, progress) {
    if (this.#ended) throw new Error(STOPPED);
    const running = this.#worker ??= this.#start();
    return new Promise((resolve, reject) => {
      this.#fail = reject;
      /** @param {MessageEvent<import('./messages.js').FromPython>} event */
      running.onmessage = ({ data: answer }) => {
        if (answer.kind === 'progress') progress?.(answer.done, answer.all);
        else if (answer.kind === 'result') resolve(answer.result);
        else this.#drop(answer.kind === 'missing' ? new MissingError('the part of the page that reads models') : new Error(answer.error));
      };
      running.postMessage(message, 'port' in message ? [message.port] : []);
    });
  }

  #start() {
    const started = worker('python_worker.js', (missing) => {
      if (started !== this.#worker) return;
      this.#drop(missing
        ? new MissingError('the part of the page that reads models')
        : new EndedError('the tools of this page stopped, perhaps for lack of memory; try again, or use a smaller model'));
    });
    return started;
  }

  // After an unexpected error the next request starts a new worker.
  /** @param {Error} error */
  #drop(error) {
    this.#worker?.terminate();
    this.#worker = null;
    this.#fail?.(error);
  }

  /** Stop the worker; later requests fail. */
  end() {
    this.#ended = true;
    this.#drop(new Error(STOPPED));
  }
}
