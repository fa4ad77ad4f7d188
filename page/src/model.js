// page: a visitor's model: its report by the host's tools, and a run on the emulated board
// MIT license; Copyright (c) 2026 the tflm authors

import { button, element } from './elements.js';
import { fromPicture, fromSound, numbers, pictureShape, random, takesSound } from './tensor_bytes.js';

// The digits' interpreter gives its heap back: they read the next one anew.
const LOAD = "import sys\ndraw = sys.modules.pop('draw', None) and None\nimport run_model";
const PIECE = 1536; // bytes of an input that go to the board at a time
const MOST = 10; // values of an output that are shown
const MOST_BYTES = 8 << 20; // of a file

/** @typedef {import('./messages.js').Found} Found */
/** @typedef {{ tensor: import('./messages.js').Tensor, kind: HTMLSelectElement, text: HTMLTextAreaElement, file: HTMLInputElement }} Input */

/** The host's tools in their worker, which starts when it is needed; asked one thing at a time. */
class Tools {
  /** @type {Worker | null} */
  #worker = null;
  /** @type {Promise<unknown>} */
  #last = Promise.resolve();

  /** @param {import('./messages.js').ToPython} message @returns {Promise<any>} */
  ask(message) {
    const done = this.#last.then(() => this.#ask(message));
    this.#last = done.catch(() => {});
    return done;
  }

  /** @param {import('./messages.js').ToPython} message */
  #ask(message) {
    this.#worker ??= new Worker('python_worker.js', { type: 'module' });
    const worker = this.#worker;
    return new Promise((resolve, reject) => {
      worker.onmessage = ({ data }) => (data.error ? reject(new Error(data.error)) : resolve(data.result));
      worker.onerror = () => reject(new Error('the tools did not start; load the page again'));
      worker.postMessage(message);
    });
  }
}

export class Model {
  #tools = new Tools();
  #exec;
  #power;
  #number = 0; // of the model that was dropped last
  #stem = 'model';
  /** @type {Input[]} */
  #inputs = [];
  /** @type {Found | null} */
  #found = null;

  /**
   * @param {string[]} ours names of models that the page brings
   * @param {(code: string) => Promise<string>} exec runs code on the board
   * @param {(image: Uint8Array) => Promise<void>} power flashes the board
   */
  constructor(ours, exec, power) {
    this.#exec = exec;
    this.#power = power;
    const file = element('file', HTMLInputElement);
    file.addEventListener('change', () => file.files?.[0] && this.take(file.files[0]));
    for (const name of ours) {
      element('models').append(button(name, async () => {
        const answer = await fetch(`models/${name}`);
        this.take(new File([await answer.blob()], name));
      }));
    }
    this.#watchDrop(element('drop'));
    element('invoke', HTMLButtonElement).addEventListener('click', () => this.#try(() => this.#run()));
    element('get-flat', HTMLButtonElement).addEventListener('click', () => this.#try(() => this.#save('flat', 'tflm')));
    element('get-image', HTMLButtonElement).addEventListener('click', () => this.#try(() => this.#save('image', 'uf2')));
  }

  /** @param {HTMLElement} place */
  #watchDrop(place) {
    for (const kind of ['dragover', 'dragleave', 'drop']) {
      place.addEventListener(kind, (event) => {
        event.preventDefault();
        place.classList.toggle('over', kind === 'dragover');
      });
    }
    place.addEventListener('drop', (event) => {
      const file = event.dataTransfer?.files[0];
      if (file) this.take(file);
    });
  }

  /** Do something that may fail with a sentence. @param {() => Promise<void>} action */
  async #try(action) {
    try {
      await action();
    } catch (error) {
      this.#say(/** @type {Error} */ (error).message, true);
    }
  }

  /** @param {string} text @param {boolean} [bad] */
  #say(text, bad = false) {
    const state = element('model-state');
    state.textContent = text;
    state.className = bad ? 'bad' : '';
  }

  /** Look into a model. @param {File} file */
  take(file) {
    return this.#try(async () => {
      const number = ++this.#number;
      element('run').hidden = element('report').hidden = true;
      element('outputs').replaceChildren();
      if (file.size > MOST_BYTES) {
        throw new Error(`${file.name} has ${file.size} bytes, ${MOST_BYTES} may be; no board here would hold it`);
      }
      this.#say(`${file.name}: Python starts and reads it, which may take half a minute.`);
      const data = new Uint8Array(await file.arrayBuffer());
      /** @type {Found} */
      const found = await this.#tools.ask({ kind: 'look', name: file.name, data });
      if (number !== this.#number) return;
      if (found.error) throw new Error(found.error);
      this.#found = found;
      this.#stem = file.name.replace(/\.[^.]*$/, '') || 'model';
      this.#showReport(found.page);
      if (found.refused) {
        this.#say(`It does not run here: ${found.refused}`, true);
        return;
      }
      const { image } = await this.#tools.ask({ kind: 'made' });
      this.#say('The board is flashed with it.');
      await this.#power(image);
      this.#showInputs(found);
      this.#say(`${file.name} is on the board.`);
    });
  }

  // The report in a frame of its own, without scripts, as high as it is long.
  /** @param {string} html */
  #showReport(html) {
    const frame = element('report', HTMLIFrameElement);
    frame.onload = () => {
      const root = frame.contentDocument?.documentElement;
      if (root) frame.style.height = `${root.scrollHeight + 8}px`;
    };
    frame.srcdoc = html;
    frame.hidden = false;
  }

  /** @param {Found} found */
  #showInputs({ inputs }) {
    const form = element('inputs');
    this.#inputs = inputs.map((tensor, i) => this.#input(tensor, i));
    form.replaceChildren(...this.#inputs.map(({ tensor, kind, text, file }, i) => {
      const set = document.createElement('fieldset');
      const legend = document.createElement('legend');
      legend.textContent = `Input ${i}: ${tensor.name}, ${tensor.dtype} ${tensor.shape.join('×') || 'one'}`;
      set.append(legend, kind, text, file);
      return set;
    }));
    element('run').hidden = false;
  }

  /** @param {import('./messages.js').Tensor} tensor @param {number} i @returns {Input} */
  #input(tensor, i) {
    const kind = document.createElement('select');
    const kinds = ['random', 'numbers'];
    if (pictureShape(tensor)) kinds.push('a picture');
    if (takesSound(tensor)) kinds.push('a recording');
    kind.append(...kinds.map((name) => new Option(name)));
    kind.setAttribute('aria-label', `What input ${i} gets`);
    const text = document.createElement('textarea');
    text.setAttribute('aria-label', `Numbers for input ${i}`);
    text.rows = 2;
    const file = document.createElement('input');
    file.type = 'file';
    file.setAttribute('aria-label', `File for input ${i}`);
    const change = () => {
      text.hidden = kind.value !== 'numbers';
      file.hidden = !kind.value.startsWith('a ');
      file.accept = kind.value === 'a picture' ? 'image/*' : 'audio/*';
    };
    kind.addEventListener('change', change);
    change();
    return { tensor, kind, text, file };
  }

  /** @param {Input} input @returns {Promise<Uint8Array>} */
  async #bytes({ tensor, kind, file }) {
    if (kind.value === 'random') return random(tensor);
    const given = file.files?.[0];
    if (!given) throw new Error('no file is chosen; choose one');
    return kind.value === 'a picture' ? fromPicture(tensor, given) : fromSound(tensor, given);
  }

  async #run() {
    const start = element('invoke', HTMLButtonElement);
    start.disabled = true;
    try {
      this.#say('The board runs it.');
      await this.#exec(LOAD);
      for (const [i, input] of this.#inputs.entries()) await this.#give(i, input);
      const { outputs, events } = JSON.parse(await this.#exec('run_model.go()'));
      const us = events.reduce((/** @type {number} */ sum, /** @type {import('./messages.js').Event} */ [, , , each]) => sum + each, 0);
      this.#say(`${(us / 1000).toFixed(2)} ms in ${events.length} operators of a Pico; each has its time in the report.`);
      this.#showOutputs(outputs);
      this.#showReport(await this.#tools.ask({ kind: 'timed', events: JSON.stringify(events) }));
    } finally {
      start.disabled = false;
    }
  }

  /** @param {number} i @param {Input} input */
  async #give(i, input) {
    if (input.kind.value === 'numbers') {
      await this.#exec(`run_model.give(${i}, [${numbers(input.tensor, input.text.value)}])`);
      return;
    }
    const bytes = await this.#bytes(input);
    for (let at = 0; at < bytes.length; at += PIECE) {
      const piece = btoa(String.fromCharCode(...bytes.subarray(at, at + PIECE)));
      await this.#exec(`run_model.put(${i}, ${at}, '${piece}')`);
    }
  }

  /** @param {number[][]} outputs */
  #showOutputs(outputs) {
    const labels = this.#found?.labels ?? [];
    element('outputs').replaceChildren(...outputs.map((values, i) => {
      const table = document.createElement('table');
      table.className = 'outputs';
      table.createCaption().textContent = `Output ${i}: ${this.#found?.outputs[i].name}`;
      const best = values.map((value, k) => ({ value, k })).sort((a, b) => b.value - a.value);
      for (const { value, k } of best.slice(0, MOST)) {
        const row = table.insertRow();
        row.insertCell().textContent = labels[k] ?? `[${k}]`;
        row.insertCell().textContent = String(Number(value.toPrecision(6)));
      }
      return table;
    }));
  }

  /** @param {'flat' | 'image'} what @param {string} kind */
  async #save(what, kind) {
    const made = await this.#tools.ask({ kind: 'made' });
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([made[what]]));
    link.download = `${this.#stem}.${kind}`;
    link.click();
    URL.revokeObjectURL(link.href);
  }
}
