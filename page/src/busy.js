// page: shows that work is going on, and for how many seconds
// MIT license; Copyright (c) 2026 the tflm authors

import { element } from './elements.js';

const SECOND = 1000; // milliseconds

export class Busy {
  #count = 0; // pending promises
  #timer = 0;

  /** Show the progress bar while a promise is pending; return its result. @template T @param {Promise<T>} work */
  async during(work) {
    if (!this.#count++) this.#begin();
    try {
      return await work;
    } finally {
      if (!--this.#count) this.#end();
    }
  }

  #begin() {
    const since = performance.now();
    const showSeconds = () => {
      element('busy-time').textContent = `${Math.floor((performance.now() - since) / SECOND)} s`;
    };
    showSeconds();
    this.#timer = setInterval(showSeconds, SECOND);
    element('busy').hidden = false;
  }

  #end() {
    clearInterval(this.#timer);
    element('busy').hidden = true;
  }
}
