// page: sends requests to the worker of the host's tools, one at a time; starts it with the first
// MIT license; Copyright (c) 2026 the tflm authors

import { worker } from './workers.js';

export class Tools {
  /** @type {Worker | null} */
  #worker = null;
  /** @type {Promise<unknown>} */
  #last = Promise.resolve();
  /** @type {((error: Error) => void) | null} */
  #fail = null;
  #ended = false;

  /**
   * Return the result of a request. Raises an Error with a sentence.
   * @param {import('./messages.js').ToPython} message
   * @param {(done: number, all: number) => void} [progress]
   * @returns {Promise<any>}
   */
  ask(message, progress) {
    const done = this.#last.then(() => this.#ask(message, progress));
    this.#last = done.catch(() => {});
    return done;
  }

  /**
   * @param {import('./messages.js').ToPython} message
   * @param {((done: number, all: number) => void) | undefined} progress
   */
  #ask(message, progress) {
    if (this.#ended) throw new Error('the tools were stopped; drop the model again');
    this.#worker ??= worker('python_worker.js');
    const running = this.#worker;
    return new Promise((resolve, reject) => {
      this.#fail = reject;
      /** @param {MessageEvent<import('./messages.js').FromPython>} event */
      running.onmessage = ({ data: answer }) => {
        if (answer.kind === 'progress') progress?.(answer.done, answer.all);
        else if (answer.kind === 'error') reject(new Error(answer.error));
        else resolve(answer.result);
      };
      running.onerror = () => reject(new Error('the tools did not start; load the page again'));
      running.postMessage(message, 'port' in message ? [message.port] : []);
    });
  }

  /** Stop the worker; later requests fail. */
  end() {
    this.#ended = true;
    this.#worker?.terminate();
    this.#fail?.(new Error('the tools were stopped; drop the model again'));
  }
}
