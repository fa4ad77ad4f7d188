// page: the section "Your model": what the host's tools make of a visitor's model and report about it
// MIT license; Copyright (c) 2026 the tflm authors

import { Busy } from './busy.js';
import { button, element, save } from './elements.js';
import { fetched, opened } from './given.js';
import { MissingError } from './loading.js';
import { ModelRun } from './model_run.js';
import { Tools } from './tools.js';

const EDGE = 8; // margin below a report, in pixels

/** @typedef {import('./messages.js').Found} Found */
/** @typedef {import('./messages.js').Given} Given */
/** What the tools made of the model, and the worker that holds the result. @typedef {import('./messages.js').Made & { tools: Tools }} Made */

/** @param {number} count */
const bytes = (count) => `${count.toLocaleString('en')} bytes`;

export class Model {
  #tools;
  #power;
  #run;
  #busy = new Busy();
  #number = 0; // number of the last dropped model; results for earlier models are ignored
  #stem = 'model';
  /** @type {Given | null} */
  #given = null; // the model that was dropped last
  /** @type {Given | null} */
  #forBoard = null; // the model for the visitor's board
  /** @type {Made | null} */
  #made = null;
  /** @type {Made | null} */
  #onBoard = null;
  /** @type {Tools | null} */
  #searching = null; // a separate worker for the long search

  /**
   * @param {Tools} tools
   * @param {string[]} offered names of the models that the page offers
   * @param {import('./repl.js').Repl['exec']} exec runs code on the board
   * @param {(image: Uint8Array) => Promise<void>} power flashes the board
   */
  constructor(tools, offered, exec, power) {
    this.#tools = tools;
    this.#power = power;
    this.#run = new ModelRun(exec);
    const file = element('file', HTMLInputElement);
    file.addEventListener('change', () => {
      if (file.files?.[0]) this.#open(file.files[0]);
      file.value = ''; // the same file can be chosen again
    });
    for (const name of offered) {
      element('models').append(button(name, () => this.#take(name, () => fetched(name))));
    }
    this.#watchDrop();
    element('invoke', HTMLButtonElement).addEventListener('click', () => this.#try(() => this.#invoke()));
    element('get-flat', HTMLButtonElement).addEventListener('click', () => this.#try(() => this.#save('flat', 'tflm')));
    element('get-image', HTMLButtonElement).addEventListener('click', () => this.#try(() => this.#save('image', 'uf2')));
  }

  /** Start Python when this section comes into view, before there is a model. */
  prepare() {
    const watch = new IntersectionObserver((seen) => {
      if (!seen.some((entry) => entry.isIntersecting)) return;
      watch.disconnect();
      this.#tools.ask({ kind: 'start' }).catch(() => {}); // the next request reports the failure
    });
    watch.observe(element('drop'));
  }

  // Accept files anywhere: the browser would leave the page for a file dropped beside the frame.
  #watchDrop() {
    for (const kind of ['dragover', 'dragleave', 'drop']) {
      document.addEventListener(kind, (event) => {
        const { dataTransfer } = /** @type {DragEvent} */ (event);
        if (!dataTransfer?.types.includes('Files')) return;
        event.preventDefault();
        element('drop').classList.toggle('over', kind === 'dragover');
        if (kind === 'drop' && dataTransfer.files.length) this.#open(dataTransfer.files[0]);
      });
    }
  }

  /** @param {File} file */
  #open(file) {
    element('model').scrollIntoView({ block: 'nearest' });
    this.#take(file.name, () => opened(file));
  }

  /** Run an action; show the message of an Error that it raises, and return the Error. @param {() => Promise<void>} action */
  async #try(action) {
    const number = this.#number;
    try {
      await this.#busy.during(action());
      return null;
    } catch (error) {
      if (number === this.#number) this.#say(/** @type {Error} */ (error).message, true);
      return error;
    }
  }

  /** @param {string} text @param {boolean} [bad] */
  #say(text, bad = false) {
    const state = element('model-state');
    state.textContent = text;
    state.className = bad ? 'bad' : '';
  }

  /** @param {string} name @param {() => Promise<Given>} open */
  async #take(name, open) {
    const number = ++this.#number;
    const isLast = () => number === this.#number;
    this.#searching?.end();
    this.#searching = this.#made = this.#onBoard = null;
    for (const id of ['run', 'report', 'inspection']) element(id).hidden = true;
    element('search-state').textContent = '';
    this.#run.clear();
    this.#say(`${name}: Python reads it. For the first model, it starts first.`);
    const error = await this.#try(() => this.#process(open, isLast));
    if (!(error instanceof MissingError)) return;
    window.addEventListener('online', () => isLast() && this.#take(name, open), { once: true });
  }

  // Show what is known at once, then flash the board and show the report. The long search comes last.
  /** @param {() => Promise<Given>} open @param {() => boolean} isLast */
  async #process(open, isLast) {
    const given = await open();
    /** @type {Found} */
    const found = await this.#tools.ask({ kind: 'look', ...given });
    if (!isLast()) return;
    if (found.error) throw new Error(found.error);
    this.#choose(given);
    this.#run.show(found);
    element('inspection').textContent = found.said;
    element('inspection').hidden = false;
    if (found.refused) {
      this.#say(`It does not run here: ${found.refused}`, true);
      if (this.#run.reported) await this.#report(this.#tools, [], isLast);
      return;
    }
    this.#say(`${given.name}: made for the board.`);
    const made = await this.#make(this.#tools, true);
    if (!isLast()) return;
    this.#made = made;
    const reported = this.#run.reported ? this.#report(this.#tools, [], isLast) : null;
    if (made.refused) this.#say(`It does not run here: ${made.refused}`, true);
    else await this.#flash(made);
    await reported;
    if (!made.final && isLast()) await this.#search(given, made, isLast);
  }

  /** @param {Given} given */
  #choose(given) {
    this.#given = given;
    this.#stem = given.name.replace(/(\.tflite|\.tflm)?\.[^.]*$/, '') || 'model';
    this.use(given);
  }

  /** Make a model the one for the visitor's board. @param {Given} given */
  use(given) {
    this.#forBoard = given;
    element('own-model').textContent = given.name;
  }

  /** The board has lost the model: the next run flashes it again. */
  forget() {
    this.#onBoard = null;
  }

  /** Return the model for the visitor's board: the last one, or one of the page's before that. */
  async given() {
    return this.#forBoard ?? fetched('digits_int8.tflite');
  }

  /** @param {Tools} tools @param {boolean} quick @returns {Promise<Made>} */
  async #make(tools, quick) {
    return { ...await tools.ask({ kind: 'make', quick }), tools };
  }

  /** @param {Made} made */
  async #flash(made) {
    const { image } = await made.tools.ask({ kind: 'made' });
    this.#say('The model is flashed to the board.');
    this.#onBoard = made;
    element('run').hidden = false;
    element('invoke', HTMLButtonElement).disabled = true;
    await this.#power(image);
    if (this.#onBoard !== made) return; // another model was dropped meanwhile
    element('invoke', HTMLButtonElement).disabled = false;
    this.#say(`${this.#given?.name} is on the board.`);
  }

  // Flatten the model as `tflm flatten` does, in a separate worker, while the board runs the quick result.
  /** @param {Given} given @param {Made} before @param {() => boolean} isLast */
  async #search(given, before, isLast) {
    const tools = this.#searching = new Tools();
    const state = element('search-state');
    state.textContent = `The quick plan needs an arena of ${bytes(before.arena)}. The page searches for a smaller one.`;
    await tools.ask({ kind: 'look', ...given });
    const made = await this.#make(tools, false);
    this.#made = made;
    await this.#report(tools, [], isLast);
    state.textContent = made.arena < before.arena
      ? `The search made its arena ${bytes(made.arena)} (${bytes(before.arena)} before). The report and the files use the new plan, the board from its next run.`
      : 'The search found no smaller arena.';
    if (!before.refused) return;
    if (made.refused) this.#say(`It does not run here: ${made.refused}`, true);
    else await this.#flash(made);
  }

  /** @param {Tools} tools @param {import('./messages.js').Event[]} events @param {() => boolean} isLast */
  async #report(tools, events, isLast) {
    const html = await tools.ask({ kind: 'report', events: JSON.stringify(events) });
    if (isLast()) this.#showReport(html);
  }

  // Show the report in a frame without scripts, which grows with its content.
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
    element('inspection').hidden = true; // the report includes it
  }

  async #invoke() {
    const start = element('invoke', HTMLButtonElement);
    const number = this.#number;
    const isLast = () => number === this.#number;
    const made = /** @type {Made} */ (this.#made);
    if (this.#onBoard !== made) await this.#flash(made);
    start.disabled = true;
    try {
      this.#say('The board receives the inputs and runs it, at the speed of the emulator.');
      const events = await this.#run.invoke((text) => isLast() && this.#say(text));
      if (!isLast()) return;
      const us = events.reduce((sum, [, , , each]) => sum + each, 0);
      this.#say(`${(us / 1000).toFixed(2)} ms on a Pico${this.#run.reported ? '; the report has the time of each operator' : ''}.`);
      if (this.#run.reported) await this.#report(made.tools, events, isLast);
    } finally {
      if (isLast()) start.disabled = false;
    }
  }

  /** @param {'flat' | 'image'} what @param {string} kind */
  async #save(what, kind) {
    const made = await /** @type {Made} */ (this.#made).tools.ask({ kind: 'made' });
    save(made[what], `${this.#stem}.${kind}`);
  }
}
