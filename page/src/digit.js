// page: the section "Draw a digit": the paper, and the board's answer with the score of each digit
// MIT license; Copyright (c) 2026 the tflm authors

import { element } from './elements.js';
import { paint, Paper } from './paper.js';

const PAUSE = 350; // milliseconds after the last stroke

export class Drawing {
  #rows = /** @type {{ bar: HTMLElement, text: HTMLElement, row: HTMLElement }[]} */ ([]);
  #paper;
  #read;
  #number = 0; // number of the latest picture; answers to earlier ones are ignored

  /**
   * @param {(pixels: number[], say: (text: string) => void) => Promise<import('./messages.js').Answer>} read
   *   asks the board; say receives the reason if the board has to wait
   * @param {number[][]} samples
   */
  constructor(read, samples) {
    this.#read = read;
    this.#makeRows();
    this.#paper = new Paper(element('paper', HTMLCanvasElement), element('clear', HTMLButtonElement), {
      pause: PAUSE,
      drawn: (pixels) => this.#ask(pixels),
      cleared: () => this.#clear(),
    });
    samples.forEach((pixels, digit) => this.#addSample(pixels, digit));
  }

  #makeRows() {
    const body = element('scores', HTMLTableElement).tBodies[0];
    for (let digit = 0; digit < 10; digit++) {
      const row = body.insertRow();
      const head = document.createElement('th');
      head.scope = 'row';
      head.textContent = String(digit);
      row.append(head);
      const bar = document.createElement('i');
      row.insertCell().append(bar);
      this.#rows.push({ bar, text: row.insertCell(), row });
    }
  }

  /** @param {number[]} pixels @param {number} digit */
  #addSample(pixels, digit) {
    const button = document.createElement('button');
    const canvas = document.createElement('canvas');
    paint(canvas, pixels);
    button.type = 'button';
    button.setAttribute('aria-label', `a ${digit} of the test set`);
    button.append(canvas);
    button.addEventListener('click', () => this.show(pixels));
    element('samples').append(button);
  }

  /** Show a picture instead of strokes, and ask for its answer; return whether it came. @param {number[]} pixels */
  show(pixels) {
    this.#paper.show(pixels);
    return this.#ask(pixels);
  }

  #clear() {
    this.#number++;
    element('answer').textContent = '?';
    element('took').textContent = 'Draw a digit.';
    this.#showScores(-1, Array(this.#rows.length).fill(0));
  }

  /** @param {number[]} pixels */
  async #ask(pixels) {
    const number = ++this.#number;
    element('took').textContent = 'Reading...';
    const say = (/** @type {string} */ text) => {
      if (number === this.#number) element('took').textContent = text;
    };
    try {
      const answer = await this.#read(pixels, say);
      if (number === this.#number) this.#showAnswer(answer);
      return true;
    } catch (error) {
      say(/** @type {Error} */ (error).message);
      return false;
    }
  }

  /** @param {import('./messages.js').Answer} answer */
  #showAnswer(answer) {
    element('answer').textContent = String(answer.digit);
    element('took').textContent = `${(answer.us / 1000).toFixed(1)} ms on a Pico`;
    this.#showScores(answer.digit, answer.scores);
  }

  /** @param {number} best its row is marked @param {number[]} scores 0..1 */
  #showScores(best, scores) {
    scores.forEach((score, digit) => {
      const { bar, text, row } = this.#rows[digit];
      bar.style.width = `${100 * score}%`;
      text.textContent = best < 0 ? '' : `${Math.round(100 * score)} %`;
      row.className = digit === best ? 'best' : '';
    });
  }
}
