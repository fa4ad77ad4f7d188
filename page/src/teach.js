// page: the section "Teach it": the board learns the visitor's symbols, sounds or motion from examples
// MIT license; Copyright (c) 2026 the tflm authors

import { button, element, save } from './elements.js';
import { OwnSensor, paintMotion } from './own_sensor.js';
import { fromFile, paint, Paper } from './paper.js';
import { isSound, paintFeatures, samplesOf } from './sound.js';

const ENOUGH = 5; // examples of a class
const MAX_CLASSES = 8; // as in page/rom/teach.py
const MAX_EXAMPLES = 10; // of a class
const PAUSE = 1500; // milliseconds after the last stroke; symbols can have several
const BATCH = { picture: 8, sound: 2, motion: 2 }; // examples in one command to the board
const FILE = 'taught.tflm';
const NAMES = { picture: 'pictures', sound: 'sounds', motion: 'motion' };
const TEST = { picture: 'Draw a symbol or add a picture', sound: 'Add a sound', motion: 'Record a motion' };
const KEPT = 'taught'; // symbols and examples in the storage of this tab, which a reload keeps

/** @typedef {'picture' | 'sound' | 'motion'} Kind each has a network in page/rom/teach.py */
/** @typedef {{ kind: Kind, text: string }} Sample its text is for the network, in base64 */
/** @typedef {Sample & { label: string }} Example */
/** @typedef {{ label: string, row: HTMLElement, choice: HTMLInputElement, count: HTMLElement, pictures: HTMLElement }} Symbol */

/** @param {Iterable<number>} bytes */
const base64 = (bytes) => btoa(String.fromCharCode(...bytes));

/** @param {string} text lines of base64 */
const bytesOf = (text) => Uint8Array.from(text.trim().split(/\s+/).map((line) => atob(line)).join(''), (letter) => letter.charCodeAt(0));

/** @param {number[]} pixels @returns {Sample} */
const pictureOf = (pixels) => ({ kind: 'picture', text: base64(pixels) });

/** Draw a sample on a small canvas. @param {HTMLCanvasElement} canvas @param {Sample} sample */
function show(canvas, { kind, text }) {
  const bytes = bytesOf(text);
  if (kind === 'picture') paint(canvas, [...bytes]);
  else if (kind === 'sound') paintFeatures(canvas, bytes);
  else paintMotion(canvas, bytes);
}

/** Return the symbols and examples from before a reload. @returns {{ labels: string[], examples: Example[] }} */
function kept() {
  try {
    const found = JSON.parse(sessionStorage.getItem(KEPT) ?? 'null');
    if (found) return found;
  } catch {
    // the browser refuses storage
  }
  return { labels: [], examples: [] };
}

export class Teach {
  #exec;
  #store;
  #use;
  /** @type {Symbol[]} */
  #symbols = [];
  /** @type {Example[]} */
  #examples = []; // in the order in which the board learns them
  #learned = 0; // examples that the board has
  /** @type {Promise<unknown>} */
  #last = Promise.resolve();
  #paper;
  #test = element('test', HTMLInputElement);
  #sensor;

  /**
   * @param {import('./repl.js').Repl['exec']} exec runs code on the board
   * @param {(address: number, bytes: Uint8Array) => void} store writes into the RAM of the board
   * @param {(model: import('./messages.js').Given) => void} use makes a model the one for the visitor's board
   * @param {() => Promise<import('./messages.js').WebSerialPort>} port returns the port of the visitor's board
   */
  constructor(exec, store, use, port) {
    this.#sensor = new OwnSensor(port);
    this.#exec = exec;
    this.#store = store;
    this.#use = use;
    this.#paper = new Paper(element('teach-paper', HTMLCanvasElement), element('teach-clear', HTMLButtonElement), {
      pause: PAUSE,
      single: true,
      drawn: (pixels) => {
        if (!this.#test.checked) this.#paper.clear();
        this.#take([pictureOf(pixels)]);
      },
      waiting: (milliseconds) => this.#showPause(milliseconds),
    });
    element('teach-take', HTMLButtonElement).addEventListener('click', () => this.#paper.take());
    element('new-symbol', HTMLFormElement).addEventListener('submit', (event) => {
      event.preventDefault();
      this.#addSymbol();
    });
    this.#watchFiles();
    element('get-taught', HTMLButtonElement).addEventListener('click', () => this.#do(async () => {
      save(await this.#export(), FILE);
      this.#say(`${FILE} is saved. It has your network and classes, and runs on every board.`);
    }));
    element('use-taught', HTMLButtonElement).addEventListener('click', () => this.#do(async () => {
      this.#use({ name: FILE, data: await this.#export() });
      this.#say(`${FILE} is chosen in the section "Your board". Press "Send it to my board" there.`);
    }));
    this.#test.addEventListener('change', () => {
      element('symbol').textContent = '?';
      this.#say(`${TEST[this.#kind]}, and the board says which one it is.`);
    });
    this.#restore();
    this.#update();
  }

  // The kind of all examples.
  get #kind() {
    return this.#examples[0]?.kind ?? 'picture';
  }

  #restore() {
    const { labels, examples } = kept();
    for (const label of labels) this.#append(label).choice.checked = true;
    for (const example of examples) this.#append(example.label, example);
    if (examples.length) this.#test.checked = true;
    if (labels.length) this.#say(`Your symbols are here again. ${TEST[this.#kind]} to test them, or choose one to add examples.`);
  }

  // Keep symbols and examples. A browser can refuse that; then a reload loses them.
  #keep() {
    const labels = this.#symbols.map(({ label }) => label);
    try {
      sessionStorage.setItem(KEPT, JSON.stringify({ labels, examples: this.#examples }));
    } catch {
      // nothing else depends on it
    }
  }

  // Show for how long the page waits for another stroke.
  /** @param {number} milliseconds 0: it does not wait */
  #showPause(milliseconds) {
    const bar = element('teach-pause');
    for (const id of ['teach-pause', 'teach-take']) element(id).style.visibility = milliseconds ? 'visible' : 'hidden';
    for (const animation of bar.getAnimations()) animation.cancel();
    if (milliseconds) bar.animate([{ width: '100%' }, { width: '0' }], milliseconds);
  }

  /** @param {string} text @param {boolean} [bad] */
  #say(text, bad = false) {
    const state = element('teach-state');
    state.textContent = text;
    state.className = bad ? 'bad' : '';
  }

  /** Run an action after the earlier ones; show the message of an Error that it raises. @param {() => Promise<void>} action */
  #do(action) {
    this.#last = this.#last.then(action).catch((error) => this.#say(/** @type {Error} */ (error).message, true));
    return this.#last;
  }

  // Pictures and sounds for the symbol that is chosen, or to test, also dropped on this section.
  #watchFiles() {
    const input = element('pictures', HTMLInputElement);
    const read = (/** @type {File[]} */ files) => this.#do(async () => {
      /** @type {Sample[]} */
      const examples = [];
      for (const [i, file] of files.entries()) {
        const count = files.length > 1 ? ` (${i + 1} of ${files.length})` : '';
        examples.push(isSound(file) ? await this.#hear(file, count) : pictureOf(await fromFile(file)));
      }
      this.#take(examples);
    });
    input.addEventListener('change', () => {
      read([...input.files ?? []]);
      input.value = ''; // the same files can be chosen again
    });
    element('teach').addEventListener('drop', (event) => {
      event.preventDefault();
      event.stopPropagation(); // the page takes other drops for models
      read([...event.dataTransfer?.files ?? []]);
    });
    element('own-sensor').hidden = !/** @type {{ serial?: unknown }} */ (navigator).serial;
    element('record', HTMLButtonElement).addEventListener('click', () => this.#do(() => this.#record()));
  }

  // The samples go into the RAM of the board, as from a microphone: through the emulated USB port, they would take
  // longer than the computation of their features.
  /** Return the features of a sound, which the board computes. @param {File} file @param {string} count @returns {Promise<Sample>} */
  async #hear(file, count) {
    this.#say(`The board hears ${file.name}${count}...`);
    const samples = await samplesOf(file);
    this.#store(Number(await this.#run('teach.microphone()')), samples);
    return { kind: 'sound', text: (await this.#run('teach.hear()')).trim() };
  }

  async #record() {
    this.#say('Your board records: move it for two seconds...');
    const bytes = await this.#sensor.record(element('sensor-program', HTMLTextAreaElement).value);
    this.#take([{ kind: 'motion', text: base64(bytes) }]);
  }

  #addSymbol() {
    const field = element('symbol-name', HTMLInputElement);
    const label = field.value.trim();
    if (!label) return this.#say('The symbol needs a name.', true);
    if (this.#symbols.some((symbol) => symbol.label === label)) return this.#say(`${label} exists already; choose another name.`, true);
    if (this.#symbols.length === MAX_CLASSES) return this.#say(`The limit is ${MAX_CLASSES} symbols; remove one first.`, true);
    field.value = '';
    this.#append(label).choice.checked = true;
    this.#say(`Draw ${label} ${ENOUGH} times. Lift the pen after each one, until the bar is empty.`);
    return this.#update();
  }

  /** Append a symbol, or an example to the symbol of this label. @param {string} label @param {Example} [example] */
  #append(label, example) {
    const known = this.#symbols.find((each) => each.label === label);
    const symbol = known ?? this.#row(label);
    if (!known) {
      this.#symbols.push(symbol);
      element('symbols').append(symbol.row);
    }
    if (example) {
      this.#examples.push(example);
      symbol.pictures.append(this.#picture(example));
    }
    return symbol;
  }

  // A small picture of an example; a click removes the example.
  /** @param {Example} example */
  #picture(example) {
    const canvas = document.createElement('canvas');
    show(canvas, example);
    const remove = button('', () => this.#do(async () => {
      remove.remove();
      this.#examples = this.#examples.filter((each) => each !== example);
      this.#learned = -1; // the board learns the others again
      this.#say(`One example of ${example.label} is removed.`);
      this.#update();
    }));
    remove.append(canvas);
    remove.title = 'Remove this example';
    remove.setAttribute('aria-label', `Remove an example of ${example.label}`);
    return remove;
  }

  /** @param {string} label @returns {Symbol} */
  #row(label) {
    const row = document.createElement('div');
    const choice = document.createElement('input');
    const name = document.createElement('label');
    const count = document.createElement('span');
    const pictures = document.createElement('span');
    choice.type = 'radio';
    choice.name = 'symbol';
    name.append(choice, ` ${label} `);
    count.className = 'dim';
    pictures.className = 'pictures';
    row.className = 'row';
    const remove = button('Remove', () => this.#do(() => this.#remove(label)));
    remove.setAttribute('aria-label', `Remove ${label}`);
    row.append(name, count, pictures, remove);
    return { label, row, choice, count, pictures };
  }

  /** @param {string} label */
  async #remove(label) {
    this.#symbols.find((symbol) => symbol.label === label)?.row.remove();
    this.#symbols = this.#symbols.filter((symbol) => symbol.label !== label);
    this.#examples = this.#examples.filter((example) => example.label !== label);
    this.#learned = -1; // the board learns the others again
    this.#say(`${label} is removed.`);
    this.#update();
  }

  /** Show how many examples each symbol has, and enable what is possible. */
  #update() {
    for (const { label, count } of this.#symbols) {
      const examples = this.#countOf(label);
      count.textContent = examples > ENOUGH ? `${examples} examples` : `${examples} of ${ENOUGH}`;
    }
    for (const id of ['test', 'get-taught', 'use-taught']) {
      element(id).toggleAttribute('disabled', !this.#examples.length);
    }
    this.#keep();
  }

  /** @param {string} label */
  #countOf(label) {
    return this.#examples.filter((example) => example.label === label).length;
  }

  /** Learn examples of the symbol that is chosen, or test them. @param {Sample[]} examples */
  #take(examples) {
    const symbol = this.#symbols.find(({ choice }) => choice.checked);
    const isTest = this.#test.checked;
    return this.#do(async () => {
      for (const { kind } of examples) {
        const known = this.#examples[0]?.kind ?? examples[0].kind;
        if (kind !== known) throw new Error(`the board learns ${NAMES[known]} now; remove these symbols before you add ${NAMES[kind]}`);
      }
      if (isTest) {
        for (const example of examples) await this.#read(example);
      } else if (symbol) {
        await this.#learn(symbol, examples);
      } else {
        element('symbol-name').focus();
        throw new Error('no symbol is chosen; choose one, or type a new name and press Add symbol');
      }
    });
  }

  /** @param {Symbol} symbol @param {Sample[]} examples */
  async #learn({ label }, examples) {
    if (this.#countOf(label) + examples.length > MAX_EXAMPLES) {
      throw new Error(`${label} has ${this.#countOf(label)} examples, the limit is ${MAX_EXAMPLES}; choose Test, or another symbol`);
    }
    for (const example of examples) this.#append(label, { label, ...example });
    this.#say('The board learns...');
    await this.#sync();
    const left = ENOUGH - this.#countOf(label);
    const more = { picture: `Draw ${label} ${left} more times.`, sound: `Add ${left} more sounds of ${label}.`, motion: `Record ${label} ${left} more times.` };
    const next = this.#symbols.length > 1 ? 'Add another symbol, or choose Test.' : 'Add a second symbol, so that the board can choose.';
    this.#say(left > 0 ? `The board has learned it. ${more[this.#kind]}` : `The board knows ${label}. ${next}`);
    this.#update();
  }

  // Give the board the examples that it does not have. It forgets all when it starts again.
  async #sync() {
    if (this.#learned < 0 || this.#learned > this.#examples.length) await this.#forget();
    do {
      const kind = this.#kind;
      const batch = this.#examples.slice(this.#learned, this.#learned + BATCH[kind]);
      const pairs = batch.map(({ label, text }) => `(${JSON.stringify(label)},'${text}'),`).join('');
      const count = Number(await this.#run(`teach.learn('${kind}', ${this.#learned}, (${pairs}))`));
      if (count < 0) await this.#forget();
      else this.#learned = count;
    } while (this.#learned < this.#examples.length);
  }

  async #forget() {
    await this.#run('teach.forget()');
    this.#learned = 0;
  }

  /** @param {string} code */
  #run(code) {
    return this.#exec(`import teach\n${code}`, { waits: (text) => this.#say(text) });
  }

  /** @param {Sample} example */
  async #read({ kind, text }) {
    element('symbol').textContent = '?';
    this.#say('Reading...');
    await this.#sync();
    const { label, unusual, us } = JSON.parse(await this.#run(`teach.read('${kind}', '${text}')`));
    element('symbol').textContent = label;
    const doubt = unusual ? ' It resembles none of the examples much.' : '';
    this.#say(`${(us / 1000).toFixed(1)} ms on a Pico.${doubt}`);
  }

  /** Return the .tflm of network and classes, which the board writes. @returns {Promise<Uint8Array<ArrayBuffer>>} */
  async #export() {
    this.#say('The board writes the model...');
    await this.#sync();
    return bytesOf(await this.#run('teach.save()'));
  }
}
