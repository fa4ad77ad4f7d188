// page: runs a model on the emulated board: sends the inputs and shows the outputs
// MIT license; Copyright (c) 2026 the tflm authors

import { element } from './elements.js';
import { elements, fromPicture, fromSound, numbers, pictureShape, random, canBeSound } from './tensor_bytes.js';

// Free the heap of the other interpreters of the page. Their next use imports them again.
const LOAD = "import sys\nfor draw in ('draw', 'teach'): sys.modules.pop(draw, None)\ndraw = teach = None\nimport run_model";
const PIECE = 1536; // bytes of an input in one command to the board
const SEEDS = 1 << 30; // number of seeds; the board makes the random bytes itself
const MAX_SHOWN = 10; // values of an output

/** @typedef {import('./messages.js').Found} Found */
/** @typedef {import('./messages.js').Event} Event */
/** @typedef {import('./messages.js').Tensor} Tensor */
/** @typedef {{ tensor: Tensor, kind: HTMLSelectElement, text: HTMLTextAreaElement, file: HTMLInputElement }} Input */

/** Caption over an output of which the board printed `count` values. @param {number} i @param {Tensor} tensor @param {number} count */
function caption(i, tensor, count) {
  const all = elements(tensor);
  const most = count > MAX_SHOWN ? `, the largest ${MAX_SHOWN} of ${count < all ? `the first ${count} of ` : ''}${all} values` : '';
  return `Output ${i}: ${tensor.name}${most}`;
}

export class ModelRun {
  #exec;
  /** @type {Input[]} */
  #inputs = [];
  /** @type {Found | null} */
  #found = null;

  /** @param {import('./repl.js').Repl['exec']} exec runs code on the board */
  constructor(exec) {
    this.#exec = exec;
  }

  /** Whether the model has a report. */
  get reported() {
    return this.#found?.kind === 'tflite';
  }

  clear() {
    element('inputs').replaceChildren();
    element('outputs').replaceChildren();
  }

  /** Show a form for the inputs of a model. @param {Found} found */
  show(found) {
    this.#found = found;
    this.#inputs = found.inputs.map((tensor, i) => this.#input(tensor, i));
    element('inputs').replaceChildren(...this.#inputs.map(({ tensor, kind, text, file }, i) => {
      const set = document.createElement('fieldset');
      const legend = document.createElement('legend');
      legend.textContent = `Input ${i}: ${tensor.name}, ${tensor.dtype} ${tensor.shape.join('×') || 'one'}`;
      set.append(legend, kind, text, file);
      return set;
    }));
  }

  /** @param {Tensor} tensor @param {number} i @returns {Input} */
  #input(tensor, i) {
    const kind = document.createElement('select');
    const kinds = ['random', 'numbers'];
    if (pictureShape(tensor)) kinds.push('a picture');
    if (canBeSound(tensor)) kinds.push('a recording');
    kind.append(...kinds.map((name) => new Option(name)));
    kind.setAttribute('aria-label', `Kind of data for input ${i}`);
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
    file.addEventListener('click', () => { file.value = ''; }); // the same file can be chosen again
    return { tensor, kind, text, file };
  }

  /**
   * Run the model once on the chosen inputs, and show the outputs.
   * @param {(text: string) => void} say receives the reason if the board has to wait
   * @returns {Promise<Event[]>}
   */
  async invoke(say) {
    const found = this.#found;
    element('outputs').replaceChildren();
    await this.#exec(LOAD, { waits: say });
    for (const [i, input] of this.#inputs.entries()) await this.#send(i, input);
    const { outputs, events } = JSON.parse(await this.#exec('run_model.go()'));
    if (found === this.#found) this.#showOutputs(outputs);
    return events;
  }

  /** @param {number} i @param {Input} input */
  async #send(i, input) {
    if (input.kind.value === 'numbers') {
      await this.#exec(`run_model.give(${i}, [${numbers(input.tensor, input.text.value)}])`);
      return;
    }
    if (input.kind.value === 'random' && input.tensor.dtype !== 'float32') {
      await this.#exec(`run_model.fill(${i}, ${Math.floor(SEEDS * Math.random())})`);
      return;
    }
    const bytes = await this.#bytes(input);
    for (let at = 0; at < bytes.length; at += PIECE) {
      const piece = btoa(String.fromCharCode(...bytes.subarray(at, at + PIECE)));
      await this.#exec(`run_model.put(${i}, ${at}, '${piece}')`);
    }
  }

  /** @param {Input} input @returns {Promise<Uint8Array>} */
  async #bytes({ tensor, kind, file }) {
    if (kind.value === 'random') return random(tensor);
    const given = file.files?.[0];
    if (!given) throw new Error('no file is chosen; choose one');
    return kind.value === 'a picture' ? fromPicture(tensor, given) : fromSound(tensor, given);
  }

  /** @param {number[][]} outputs */
  #showOutputs(outputs) {
    const labels = this.#found?.labels ?? [];
    element('outputs').replaceChildren(...outputs.map((values, i) => {
      const table = document.createElement('table');
      table.className = 'outputs';
      table.createCaption().textContent = caption(i, /** @type {Found} */ (this.#found).outputs[i], values.length);
      const best = values.map((value, k) => ({ value, k })).sort((a, b) => b.value - a.value);
      for (const { value, k } of best.slice(0, MAX_SHOWN)) {
        const row = table.insertRow();
        row.insertCell().textContent = labels[k] ?? `[${k}]`;
        row.insertCell().textContent = String(Number(value.toPrecision(6)));
      }
      return table;
    }));
  }
}
