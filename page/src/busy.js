// page: shows that something takes its time, and how long it has taken
// MIT license; Copyright (c) 2026 the tflm authors

import { element } from './elements.js';

const SECOND = 1000; // milliseconds

export class Busy {
  #count = 0; // of what is under way
  #timer = 0;

  /** Show it while a promise is pending; returns what that gives. @template T @param {Promise<T>} work */
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
    const tell = () => {
      element('busy-time').textContent = `${Math.floor((performance.now() - since) / SECOND)} s`;
    };
    tell();
    this.#timer = setInterval(tell, SECOND);
    element('busy').hidden = false;
  }

  #end() {
    clearInterval(this.#timer);
    element('busy').hidden = true;
  }
}
