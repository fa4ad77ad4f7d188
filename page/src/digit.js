// page: the drawing area: turns strokes of a pen into the model's 64 pixels, and shows its answer
// MIT license; Copyright (c) 2026 the tflm authors

import { element } from './elements.js';

const SIDE = 8; // width and height of the model's picture in pixels
const CELL = 4; // a pixel is the number of black dots, 0..16, in a square of 4x4 dots
const DOTS = SIDE * CELL;
const PEN = 5; // width of the pen in dots, as in the data set
const INK = 128; // a dot is black from this opacity (0..255)
const STEP = 1 / 16; // an arrow key moves the pen by this share of the paper
const PAUSE = 350; // milliseconds after the last stroke

/** @typedef {{ x: number, y: number }} Point each 0..1 */

/**
 * Scale the strokes to the full height, as in the data set; return 64 pixels of 0..16.
 * @param {Point[][]} strokes
 * @returns {number[]}
 */
export function picture(strokes) {
  const points = strokes.flat();
  if (!points.length) return Array(SIDE * SIDE).fill(0);
  const [left, right] = [Math.min(...points.map((p) => p.x)), Math.max(...points.map((p) => p.x))];
  const [top, bottom] = [Math.min(...points.map((p) => p.y)), Math.max(...points.map((p) => p.y))];
  const scale = (DOTS - PEN) / Math.max(bottom - top, right - left, STEP);
  const canvas = new OffscreenCanvas(DOTS, DOTS);
  const context = /** @type {OffscreenCanvasRenderingContext2D} */ (canvas.getContext('2d'));
  context.translate(DOTS / 2, DOTS / 2);
  context.scale(scale, scale);
  context.translate(-(left + right) / 2, -(top + bottom) / 2);
  trace(context, strokes, PEN / scale);
  const { data } = context.getImageData(0, 0, DOTS, DOTS);
  const pixels = Array(SIDE * SIDE).fill(0);
  for (let y = 0; y < DOTS; y++) {
    for (let x = 0; x < DOTS; x++) {
      const black = data[4 * (y * DOTS + x) + 3] >= INK;
      if (black) pixels[Math.floor(y / CELL) * SIDE + Math.floor(x / CELL)]++;
    }
  }
  return pixels;
}

/**
 * @param {CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D} context
 * @param {Point[][]} strokes @param {number} width
 */
function trace(context, strokes, width) {
  context.lineWidth = width;
  context.lineCap = context.lineJoin = 'round';
  for (const stroke of strokes) {
    context.beginPath();
    context.moveTo(stroke[0].x, stroke[0].y);
    for (const point of stroke) context.lineTo(point.x, point.y);
    context.stroke();
  }
}

/** Draw 64 pixels on a small canvas. @param {HTMLCanvasElement} canvas @param {number[]} pixels */
function paint(canvas, pixels) {
  canvas.width = canvas.height = SIDE;
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
  pixels.forEach((pixel, i) => {
    context.fillStyle = `rgb(0 0 0 / ${pixel / 16})`;
    context.fillRect(i % SIDE, Math.floor(i / SIDE), 1, 1);
  });
}

export class Drawing {
  #paper = element('paper', HTMLCanvasElement);
  #context = /** @type {CanvasRenderingContext2D} */ (this.#paper.getContext('2d'));
  #rows = /** @type {{ bar: HTMLElement, text: HTMLElement, row: HTMLElement }[]} */ ([]);
  /** @type {Point[][]} */
  #strokes = [];
  #down = false;
  #pen = { x: 0.5, y: 0.5 };
  #timer = 0;
  #read;
  #number = 0; // number of the latest picture; answers to earlier ones are ignored

  /**
   * @param {(pixels: number[], say: (text: string) => void) => Promise<import('./messages.js').Answer>} read
   *   asks the board; say receives the reason if the board has to wait
   * @param {number[][]} samples
   */
  constructor(read, samples) {
    this.#read = read;
    this.#watchPointer();
    this.#paper.addEventListener('keydown', (event) => this.#key(event));
    this.#paper.addEventListener('focus', () => this.#draw());
    this.#paper.addEventListener('blur', () => this.#draw());
    element('clear', HTMLButtonElement).addEventListener('click', () => this.clear());
    this.#makeRows();
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
    this.clear();
    const cell = this.#paper.width / SIDE;
    pixels.forEach((pixel, i) => {
      this.#context.fillStyle = `rgb(20 20 20 / ${pixel / 16})`;
      this.#context.fillRect((i % SIDE) * cell, Math.floor(i / SIDE) * cell, cell, cell);
    });
    return this.#ask(pixels);
  }

  clear() {
    clearTimeout(this.#timer);
    this.#strokes = [];
    this.#down = false;
    this.#number++;
    this.#draw();
    element('answer').textContent = '?';
    element('took').textContent = 'Draw a digit.';
    this.#showScores(-1, Array(this.#rows.length).fill(0));
  }

  #draw() {
    const { width } = this.#paper;
    const context = this.#context;
    context.clearRect(0, 0, width, width);
    context.save();
    context.scale(width, width);
    context.strokeStyle = '#141414';
    trace(context, this.#strokes, 0.08);
    if (document.activeElement === this.#paper && this.#paper.matches(':focus-visible')) {
      context.fillStyle = this.#down ? '#c2410c' : '#1a7f4b';
      context.beginPath();
      context.arc(this.#pen.x, this.#pen.y, 0.02, 0, 7);
      context.fill();
    }
    context.restore();
  }

  #watchPointer() {
    const paper = this.#paper;
    /** @param {PointerEvent} event */
    const movePen = (event) => {
      const box = paper.getBoundingClientRect();
      this.#pen = { x: (event.clientX - box.left) / box.width, y: (event.clientY - box.top) / box.height };
    };
    paper.addEventListener('pointerdown', (event) => {
      paper.setPointerCapture(event.pointerId);
      movePen(event);
      this.#lower();
    });
    paper.addEventListener('pointermove', (event) => {
      if (!this.#down || !event.buttons) return;
      movePen(event);
      this.#move();
    });
    for (const kind of ['pointerup', 'pointercancel']) paper.addEventListener(kind, () => this.#lift());
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (event.key === ' ') {
      if (this.#down) this.#lift();
      else this.#lower();
    } else if (step) {
      const inside = (/** @type {number} */ value) => Math.min(Math.max(value, STEP), 1 - STEP);
      this.#pen = { x: inside(this.#pen.x + step[0] * STEP), y: inside(this.#pen.y + step[1] * STEP) };
      if (this.#down) this.#move();
      else this.#draw();
    } else {
      return;
    }
    event.preventDefault();
  }

  #lower() {
    clearTimeout(this.#timer);
    if (!this.#strokes.length) this.clear();
    this.#down = true;
    this.#strokes.push([this.#pen]);
    this.#draw();
  }

  #move() {
    this.#strokes.at(-1)?.push(this.#pen);
    this.#draw();
  }

  #lift() {
    if (!this.#down) return;
    this.#down = false;
    this.#draw();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#ask(picture(this.#strokes)), PAUSE);
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
