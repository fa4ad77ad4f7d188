// page: a visitor's model: its report by the host's tools, and a run on the emulated board
// MIT license; Copyright (c) 2026 the tflm authors

import { button, element, save } from './elements.js';
import { fromPicture, fromSound, numbers, pictureShape, random, takesSound } from './tensor_bytes.js';

// The digits' interpreter gives its heap back: they read the next one anew.
const LOAD = "import sys\ndraw = sys.modules.pop('draw', None) and None\nimport run_model";
const PIECE = 1536; // bytes of an input that go to the board at a time
const EDGE = 8; // pixels around a report
const MOST = 10; // values of an output that are shown
const MOST_BYTES = 8 << 20; // of a file

/** @typedef {import('./messages.js').Found} Found */
/** @typedef {{ tensor: import('./messages.js').Tensor, kind: HTMLSelectElement, text: HTMLTextAreaElement, file: HTMLInputElement }} Input */

/** A model that the page brings. @param {string} name @returns {Promise<import('./messages.js').Given>} */
async function fetched(name) {
  const answer = await fetch(`models/${name}`);
  if (!answer.ok) throw new Error(`${name} did not come (${answer.status}); load the page again`);
  return { name, data: new Uint8Array(await answer.arrayBuffer()) };
}

/** A visitor's own. @param {File} file @returns {Promise<import('./messages.js').Given>} */
async function opened(file) {
  if (file.size > MOST_BYTES) {
    throw new Error(`${file.name} has ${file.size} bytes, ${MOST_BYTES} may be; no board here would hold it`);
  }
  return { name: file.name, data: new Uint8Array(await file.arrayBuffer()) };
}

export class Model {
  #tools;
  #exec;
  #power;
  #number = 0; // of the model that was dropped last
  #stem = 'model';
  /** @type {import('./messages.js').Given | null} */
  #given = null;
  /** @type {Input[]} */
  #inputs = [];
  /** @type {Found | null} */
  #found = null;

  /**
   * @param {import('./tools.js').Tools} tools
   * @param {string[]} ours names of models that the page brings
   * @param {(code: string) => Promise<string>} exec runs code on the board
   * @param {(image: Uint8Array) => Promise<void>} power flashes the board
   */
  constructor(tools, ours, exec, power) {
    this.#tools = tools;
    this.#exec = exec;
    this.#power = power;
    const file = element('file', HTMLInputElement);
    file.addEventListener('change', () => file.files?.[0] && this.#drop(file.files[0]));
    for (const name of ours) {
      element('models').append(button(name, () => this.#try(() => this.#take(name, fetched(name)))));
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
      if (file) this.#drop(file);
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

  /** @param {File} file */
  #drop(file) {
    return this.#try(() => this.#take(file.name, opened(file)));
  }

  // First what is known at once, then the board with it, then the report; each may take longer.
  /** @param {string} name @param {Promise<import('./messages.js').Given>} coming */
  async #take(name, coming) {
    const number = ++this.#number;
    const isLast = () => number === this.#number;
    for (const id of ['run', 'report', 'inspection']) element(id).hidden = true;
    element('outputs').replaceChildren();
    this.#say(`${name}: Python reads it; the first time it has to start.`);
    const given = await coming;
    /** @type {Found} */
    const found = await this.#tools.ask({ kind: 'look', ...given });
    if (!isLast()) return;
    if (found.error) throw new Error(found.error);
    this.#found = found;
    this.#choose(given);
    element('inspection').textContent = found.said;
    element('inspection').hidden = false;
    if (found.refused) {
      this.#say(`It does not run here: ${found.refused}`, true);
    } else {
      this.#say(`${name}: made small for the board; large models take a minute.`);
      const refused = await this.#tools.ask({ kind: 'make' });
      if (!isLast()) return;
      if (refused) this.#say(`It does not run here: ${refused}`, true);
      else await this.#flash(found, name);
    }
    if (found.kind === 'tflite' && isLast()) await this.#report([], isLast);
  }

  /** @param {import('./messages.js').Given} given */
  #choose(given) {
    this.#given = given;
    this.#stem = given.name.replace(/\.[^.]*$/, '') || 'model';
    element('own-model').textContent = given.name;
  }

  /** The model that was dropped last; until then one of ours. */
  async given() {
    return this.#given ?? fetched('digits_int8.tflite');
  }

  /** @param {Found} found @param {string} name */
  async #flash(found, name) {
    const { image } = await this.#tools.ask({ kind: 'made' });
    this.#say('The board is flashed with it.');
    await this.#power(image);
    this.#showInputs(found);
    this.#say(`${name} is on the board.`);
  }

  /** @param {import('./messages.js').Event[]} events @param {() => boolean} isLast */
  async #report(events, isLast) {
    const html = await this.#tools.ask({ kind: 'report', events: JSON.stringify(events) });
    if (isLast()) this.#showReport(html);
  }

  // The report in a frame of its own, without scripts, as high as it is long, when its parts open, too.
  /** @param {string} html */
  #showReport(html) {
    const frame = element('report', HTMLIFrameElement);
    frame.onload = () => {
      const body = frame.contentDocument?.body;
      if (!body) return;
      const grow = () => { frame.style.height = `${body.offsetHeight + EDGE}px`; };
      new ResizeObserver(grow).observe(body);
    };
    frame.srcdoc = html;
    frame.hidden = false;
    element('inspection').hidden = true; // the report has all of it
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
    const number = this.#number;
    start.disabled = true;
    try {
      this.#say('The board runs it.');
      await this.#exec(LOAD);
      for (const [i, input] of this.#inputs.entries()) await this.#give(i, input);
      const { outputs, events } = JSON.parse(await this.#exec('run_model.go()'));
      const us = events.reduce((/** @type {number} */ sum, /** @type {import('./messages.js').Event} */ [, , , each]) => sum + each, 0);
      this.#say(`${(us / 1000).toFixed(2)} ms on a Pico; ${events.length === 1 ? 'the operator has' : `each of ${events.length} operators has`} its time in the report.`);
      this.#showOutputs(outputs);
      if (this.#found?.kind === 'tflite') await this.#report(events, () => number === this.#number);
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
    save(made[what], `${this.#stem}.${kind}`);
  }
}
