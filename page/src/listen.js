// page: the section "Say a word": the board detects words in the sound of the visitor's microphone
// MIT license; Copyright (c) 2026 the tflm authors

import { element } from './elements.js';
import { jsonLines } from './json_lines.js';
import { play, RATE, record, Sound } from './microphone.js';

const PIECE = 8000; // samples that page/rom/listen.py processes at once
const MORE = 1; // states of its buffer
const LAST = 2;
const LATE = RATE; // samples of delay that the page reports
const MAX_LATE = 60 * RATE; // samples of delay after which the microphone is switched off

/** A piece of sound and the state of the buffer after it. @param {Int16Array} samples @param {number} state */
function bufferOf(samples, state) {
  const bytes = new Uint8Array(samples.byteLength + 1);
  bytes.set(new Uint8Array(samples.buffer));
  bytes[samples.byteLength] = state;
  return bytes;
}

/** @param {number} samples */
const seconds = (samples) => (samples / RATE).toFixed(1);

export class Listening {
  #exec;
  #store;
  /** @type {Sound | null} */
  #sound = null; // what the board hears now
  #off = () => {}; // switches the microphone off
  #heard = 0; // samples

  /**
   * @param {import('./repl.js').Repl['exec']} exec runs a program of /rom
   * @param {(address: number, bytes: Uint8Array) => void} store writes into the RAM of the board
   */
  constructor(exec, store) {
    this.#exec = exec;
    this.#store = store;
    element('listen-start', HTMLButtonElement).addEventListener('click', () => this.#listen(async (sound) => {
      this.#say('Allow the page to use your microphone.');
      this.#off = await record(sound);
    }));
    element('listen-play', HTMLButtonElement).addEventListener('click', () => this.#listen(play));
    element('listen-stop', HTMLButtonElement).addEventListener('click', () => this.#endSound());
  }

  /** @param {string} text @param {boolean} [bad] */
  #say(text, bad = false) {
    const state = element('listen-state');
    state.textContent = text;
    state.className = bad ? 'bad' : '';
  }

  /** @param {boolean} works */
  #enable(works) {
    for (const id of ['listen-start', 'listen-play']) element(id, HTMLButtonElement).disabled = works;
    element('listen-stop', HTMLButtonElement).disabled = !works;
  }

  // The board still hears what waits.
  #endSound() {
    this.#off();
    this.#off = () => {};
    this.#sound?.end();
  }

  /** Let the board hear the sound that `begin` gives. @param {(sound: Sound) => Promise<void>} begin */
  async #listen(begin) {
    const sound = this.#sound = new Sound();
    this.#heard = 0;
    element('words').replaceChildren();
    this.#enable(true);
    try {
      await begin(sound);
      this.#say('The board loads the model.');
      let address = 0;
      let ended = false;
      const each = jsonLines(async (value) => {
        if (!address) address = value;
        else this.#show(value);
        if (!ended) ended = await this.#feed(sound, address);
      });
      await this.#exec('import listen\nlisten.run()', { each, waits: (reason) => this.#say(reason) });
      this.#say(`The board has heard ${seconds(this.#heard)} s.`);
    } catch (error) {
      this.#say(/** @type {Error} */ (error).message, true);
    }
    this.#endSound();
    this.#sound = null;
    this.#enable(false);
  }

  // Store the next piece as soon as the sound has it; return whether it was the last one. The samples go into the RAM
  // of the board, as from the DMA of a microphone. Half a second of silence follows the sound: a word at its end is
  // detected a little later.
  /** @param {Sound} sound @param {number} address */
  async #feed(sound, address) {
    const piece = await sound.next(PIECE);
    if (sound !== this.#sound) return true; // the program on the board has ended
    this.#store(address, bufferOf(piece ?? new Int16Array(PIECE), piece ? MORE : LAST));
    if (!piece) return true;
    this.#heard += PIECE;
    const late = sound.waiting;
    if (late > MAX_LATE) this.#endSound();
    const delay = late > LATE ? ` ${seconds(late)} s wait: the emulator is slower than a real Pico.` : '';
    this.#say(`The board has heard ${seconds(this.#heard)} s.${delay}`);
    return false;
  }

  /** @param {[number, string, number][]} words */
  #show(words) {
    for (const [time, label, percent] of words) {
      const item = document.createElement('li');
      const word = document.createElement('b');
      word.textContent = label;
      item.append(word, ` ${percent} %, after ${time.toFixed(2)} s`);
      element('words').append(item);
    }
  }
}
