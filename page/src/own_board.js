// page: runs `tflm doctor` and `tflm deploy` on a visitor's board by Web Serial, or saves files for it
// MIT license; Copyright (c) 2026 the tflm authors

import { element, save } from './elements.js';
import { SerialPump } from './serial_pump.js';

const NO_SERIAL = 'This browser has no Web Serial; use a new Chromium, Chrome, Edge, Opera or Firefox on a computer, or the files below.';
const NO_PROMISES = 'This browser is too old to wait for a board (WebAssembly lacks promises); use a newer one, or the files below.';

/** @typedef {import('./messages.js').Given} Given */

export class OwnBoard {
  #tools;
  #model;
  /** @type {import('./messages.js').WebSerialPort | null} */
  #serial = null; // the chosen port
  #buttons = ['doctor', 'deploy', 'another'].map((id) => element(id, HTMLButtonElement));

  /**
   * @param {import('./tools.js').Tools} tools
   * @param {() => Promise<Given>} model returns the chosen model
   * @param {import('./messages.js').About['boards']} boards
   */
  constructor(tools, model, boards) {
    this.#tools = tools;
    this.#model = model;
    const serial = /** @type {{ serial?: import('./messages.js').WebSerial }} */ (navigator).serial;
    if (serial && 'Suspending' in WebAssembly) {
      element('wired').hidden = false;
      const [look, send, another] = this.#buttons;
      look.addEventListener('click', () => this.#try(() => this.#look(serial)));
      send.addEventListener('click', () => this.#try(() => this.#send(serial)));
      another.addEventListener('click', () => this.#try(async () => {
        this.#serial = await this.#choose(serial);
        this.#say('The port is chosen.');
      }));
    } else {
      element('unwired').hidden = false;
      element('unwired').textContent = serial ? NO_PROMISES : NO_SERIAL;
    }
    element('kind', HTMLSelectElement).append(...boards.map(({ id, name }) => new Option(name, id)));
    element('get-files', HTMLButtonElement).addEventListener('click', () => this.#try(() => this.#files()));
  }

  /** @param {string} text @param {boolean} [bad] */
  #say(text, bad = false) {
    const state = element('own-state');
    state.textContent = text;
    state.className = bad ? 'bad' : '';
  }

  // Run an action with all buttons disabled; show the message of an Error that it raises.
  /** @param {() => Promise<void>} action */
  async #try(action) {
    for (const each of this.#buttons) each.disabled = true;
    element('own-said').hidden = true;
    try {
      await action();
    } catch (error) {
      this.#say(/** @type {Error} */ (error).message, true);
    } finally {
      for (const each of this.#buttons) each.disabled = false;
      element('sent').hidden = true;
      element('sent-bytes').textContent = '';
    }
  }

  /** @param {import('./messages.js').WebSerial} serial */
  async #choose(serial) {
    const port = await serial.requestPort().catch(() => null);
    if (!port) throw new Error('no port was chosen; plug the board in and choose one');
    return port;
  }

  /** Return the port of the visitor's board; the visitor chooses it the first time. Raises an Error with a sentence. */
  async port() {
    const { serial } = /** @type {{ serial?: import('./messages.js').WebSerial }} */ (navigator);
    if (!serial) throw new Error(NO_SERIAL);
    this.#serial ??= await this.#choose(serial);
    return this.#serial;
  }

  /** @param {import('./messages.js').WebSerial} serial */
  #look(serial) {
    return this.#withPort(serial, 'Looking at the board...', (port, label, model) => ({ kind: 'doctor', port, label, model }));
  }

  /** @param {import('./messages.js').WebSerial} serial */
  #send(serial) {
    const to = element('to', HTMLSelectElement).value;
    const replace = element('replace', HTMLInputElement).checked;
    return this.#withPort(serial, 'Preparing the model for the board, then sending it...', (port, label, model) => (
      { kind: 'deploy', port, label, model, to, replace }
    ));
  }

  /**
   * @param {import('./messages.js').WebSerial} serial @param {string} meanwhile
   * @param {(port: MessagePort, label: string, model: Given) => import('./messages.js').ToPython} message
   */
  async #withPort(serial, meanwhile, message) {
    this.#serial ??= await this.#choose(serial);
    const { usbVendorId = 0, usbProductId = 0 } = this.#serial.getInfo();
    const [vendor, product] = [usbVendorId, usbProductId].map((id) => id.toString(16).padStart(4, '0'));
    const pump = new SerialPump(this.#serial);
    await pump.open();
    try {
      this.#say(meanwhile);
      const model = await this.#model();
      const answer = await this.#tools.ask(message(pump.port, `usb://${vendor}:${product}`, model), (done, all) => this.#showBytes(done, all));
      if (answer.error) throw new Error(answer.error);
      element('own-said').textContent = answer.said;
      element('own-said').hidden = false;
      this.#say('Done.');
    } finally {
      await pump.close();
    }
  }

  /** @param {number} done @param {number} all */
  #showBytes(done, all) {
    const bar = element('sent', HTMLProgressElement);
    bar.hidden = false;
    bar.max = all;
    bar.value = done;
    element('sent-bytes').textContent = `${done.toLocaleString('en')} of ${all.toLocaleString('en')} bytes`;
  }

  async #files() {
    const model = await this.#model();
    this.#say('Making the files...');
    const { error, data, name, lines } = await this.#tools.ask({ kind: 'files', board: element('kind', HTMLSelectElement).value, model });
    if (error) throw new Error(error);
    save(data, name);
    element('own-said').textContent = lines;
    element('own-said').hidden = false;
    this.#say(`${name} is saved.`);
  }
}
