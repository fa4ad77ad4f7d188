// page: the section "A story": a language model on the board writes one, word by word
// MIT license; Copyright (c) 2026 the tflm authors

import { element } from './elements.js';
import { jsonLines } from './json_lines.js';

export class Story {
  #exec;
  #stop;
  #stopped = false; // the visitor has ended the story

  /**
   * @param {import('./repl.js').Repl['exec']} exec runs a program of /rom
   * @param {() => void} stop stops the program that runs on the board
   */
  constructor(exec, stop) {
    this.#exec = exec;
    this.#stop = stop;
    element('story-form', HTMLFormElement).addEventListener('submit', (event) => {
      event.preventDefault();
      this.#write();
    });
    element('story-stop', HTMLButtonElement).addEventListener('click', () => {
      this.#stopped = true;
      this.#stop();
    });
  }

  /** @param {string} text @param {boolean} [bad] */
  #say(text, bad = false) {
    const state = element('story-state');
    state.textContent = text;
    state.className = bad ? 'bad' : '';
  }

  /** @param {boolean} works */
  #enable(works) {
    element('story-write', HTMLButtonElement).disabled = works;
    element('story-stop', HTMLButtonElement).disabled = !works;
  }

  async #write() {
    const beginning = element('story-begin', HTMLInputElement).value;
    const temperature = element('story-temperature', HTMLInputElement).valueAsNumber || 0;
    const seed = element('story-seed', HTMLInputElement).valueAsNumber || 0;
    const text = element('story-text');
    text.textContent = beginning;
    this.#stopped = false;
    this.#enable(true);
    this.#say('The board loads the model.');
    const each = jsonLines((value) => {
      if (typeof value === 'string') {
        text.append(value);
        this.#say('The board writes, more slowly than a real Pico.');
      } else {
        const rate = Math.round(value.tokens / (value.us / 1e6));
        this.#say(`Seed ${seed}: ${value.tokens} tokens in ${(value.us / 1e6).toFixed(1)} s on a Pico, ${rate} a second.`);
      }
    });
    try {
      const code = `import story\nstory.write(${JSON.stringify(beginning)}, ${temperature}, ${seed})`;
      await this.#exec(code, { each, waits: (reason) => this.#say(reason) });
      element('story-seed', HTMLInputElement).value = String(seed + 1);
    } catch (error) {
      if (this.#stopped) this.#say('The story is stopped.');
      else this.#say(/** @type {Error} */ (error).message, true);
    }
    this.#enable(false);
  }
}
