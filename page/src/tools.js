// page: the host's tools in their worker, which starts when it is needed; asked one thing at a time
// MIT license; Copyright (c) 2026 the tflm authors

export class Tools {
  /** @type {Worker | null} */
  #worker = null;
  /** @type {Promise<unknown>} */
  #last = Promise.resolve();

  /**
   * Raises an Error with a sentence.
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
    this.#worker ??= new Worker('python_worker.js', { type: 'module' });
    const worker = this.#worker;
    return new Promise((resolve, reject) => {
      /** @param {MessageEvent<import('./messages.js').FromPython>} event */
      worker.onmessage = ({ data: answer }) => {
        if (answer.kind === 'progress') progress?.(answer.done, answer.all);
        else if (answer.kind === 'error') reject(new Error(answer.error));
        else resolve(answer.result);
      };
      worker.onerror = () => reject(new Error('the tools did not start; load the page again'));
      worker.postMessage(message, 'port' in message ? [message.port] : []);
    });
  }
}
