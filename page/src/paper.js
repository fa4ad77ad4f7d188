// page: a sheet of paper: turns strokes of a pen, or a picture of them, into the network's 64 pixels
// MIT license; Copyright (c) 2026 the tflm authors

const SIDE = 8; // width and height of the model's picture in pixels
const CELL = 4; // a pixel is the number of black dots, 0..16, in a square of 4x4 dots
const DOTS = SIDE * CELL;
const PEN = 5; // width of the pen in dots, as in the data set
const INK = 128; // a dot is black from this opacity (0..255)
const STEP = 1 / 16; // an arrow key moves the pen by this share of the paper

const SHEET = 128; // width and height of a picture from a file in pixels
const MIN_CONTRAST = 40; // of 255, between ink and paper

/** @typedef {{ x: number, y: number }} Point each 0..1 */

/**
 * Scale the strokes to the full height, as in the data set; return 64 pixels of 0..16.
 * @param {Point[][]} strokes
 * @returns {number[]}
 */
function picture(strokes) {
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
export function paint(canvas, pixels) {
  canvas.width = canvas.height = SIDE;
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
  pixels.forEach((pixel, i) => {
    context.fillStyle = `rgb(0 0 0 / ${pixel / 16})`;
    context.fillRect(i % SIDE, Math.floor(i / SIDE), 1, 1);
  });
}

/**
 * Return 64 pixels of 0..16 of a picture file. Ink is what differs from the picture's edge.
 * @param {Blob} file
 */
export async function fromFile(file) {
  const bitmap = await createImageBitmap(file).catch(() => null);
  if (!bitmap) throw new Error('this browser cannot read the file as a picture; use a PNG or JPEG');
  const canvas = new OffscreenCanvas(SHEET, SHEET);
  const context = /** @type {OffscreenCanvasRenderingContext2D} */ (canvas.getContext('2d'));
  context.fillStyle = 'white';
  context.fillRect(0, 0, SHEET, SHEET);
  context.drawImage(bitmap, 0, 0, SHEET, SHEET);
  const { data } = context.getImageData(0, 0, SHEET, SHEET);
  const grey = Array.from({ length: SHEET * SHEET }, (_, i) => 0.299 * data[4 * i] + 0.587 * data[4 * i + 1] + 0.114 * data[4 * i + 2]);
  const edge = grey.filter((_, i) => i < SHEET || i >= SHEET * (SHEET - 1)).sort((a, b) => a - b);
  const differences = grey.map((value) => Math.abs(value - edge[SHEET]));
  const contrast = differences.reduce((a, b) => Math.max(a, b));
  if (contrast < MIN_CONTRAST) throw new Error('the picture has no ink; use a dark symbol on light paper');
  return pixelsOf(differences.map((value) => value > contrast / 2), bitmap.width / bitmap.height);
}

/** Scale the ink of a square sheet to the full height, as picture() does. @param {boolean[]} ink @param {number} aspect width by height of the picture */
function pixelsOf(ink, aspect) {
  const dots = ink.flatMap((black, i) => (black ? [{ x: (i % SHEET) * aspect, y: Math.floor(i / SHEET) }] : []));
  const bounds = (/** @type {'x' | 'y'} */ axis) => dots.reduce(([low, high], dot) => [Math.min(low, dot[axis]), Math.max(high, dot[axis])], [Infinity, -Infinity]);
  const [[left, right], [top, bottom]] = [bounds('x'), bounds('y')];
  const scale = (DOTS - 1) / Math.max(bottom - top, right - left, 1);
  const pixels = Array(SIDE * SIDE).fill(0);
  for (let y = 0; y < DOTS; y++) {
    for (let x = 0; x < DOTS; x++) {
      const column = Math.round(((x - (DOTS - 1) / 2) / scale + (left + right) / 2) / aspect);
      const row = Math.round((y - (DOTS - 1) / 2) / scale + (top + bottom) / 2);
      const isInside = column >= 0 && column < SHEET && row >= 0 && row < SHEET;
      if (isInside && ink[row * SHEET + column]) pixels[Math.floor(y / CELL) * SIDE + Math.floor(x / CELL)]++;
    }
  }
  return pixels;
}

/**
 * @typedef {object} PaperOptions
 * @property {number} pause milliseconds after the last stroke, when the picture is whole
 * @property {boolean} [single] the next stroke begins a new picture; otherwise it is added
 * @property {(pixels: number[]) => void} drawn
 * @property {(milliseconds: number) => void} [waiting] the pen was lifted: the picture is whole after this time; 0: it
 * is down again, or the picture is whole
 * @property {() => void} [cleared]
 */

export class Paper {
  #paper;
  #context;
  /** @type {Point[][]} */
  #strokes = [];
  #down = false;
  #pen = { x: 0.5, y: 0.5 };
  #timer = 0;
  #drawn = false; // the strokes are a whole picture
  #options;

  /**
   * @param {HTMLCanvasElement} paper @param {HTMLButtonElement} clear
   * @param {PaperOptions} options
   */
  constructor(paper, clear, options) {
    this.#paper = paper;
    this.#options = options;
    this.#context = /** @type {CanvasRenderingContext2D} */ (paper.getContext('2d'));
    this.#watchPointer();
    paper.addEventListener('keydown', (event) => this.#key(event));
    paper.addEventListener('focus', () => this.#draw());
    paper.addEventListener('blur', () => this.#draw());
    clear.addEventListener('click', () => this.clear());
  }

  /** Show a picture instead of strokes. @param {number[]} pixels */
  show(pixels) {
    this.clear();
    const cell = this.#paper.width / SIDE;
    pixels.forEach((pixel, i) => {
      this.#context.fillStyle = `rgb(20 20 20 / ${pixel / 16})`;
      this.#context.fillRect((i % SIDE) * cell, Math.floor(i / SIDE) * cell, cell, cell);
    });
  }

  /** Take the picture at once instead of waiting for another stroke. */
  take() {
    if (!this.#strokes.length || this.#drawn) return;
    clearTimeout(this.#timer);
    this.#down = false;
    this.#drawn = true;
    this.#options.waiting?.(0);
    this.#options.drawn(picture(this.#strokes));
  }

  clear() {
    clearTimeout(this.#timer);
    this.#options.waiting?.(0);
    this.#strokes = [];
    this.#down = this.#drawn = false;
    this.#draw();
    this.#options.cleared?.();
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
    } else if (event.key === 'Enter') {
      this.take();
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
    this.#options.waiting?.(0);
    const { single } = this.#options;
    if (!this.#strokes.length || (single && this.#drawn)) this.clear();
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
    this.#timer = setTimeout(() => this.take(), this.#options.pause);
    this.#options.waiting?.(this.#options.pause);
  }
}
