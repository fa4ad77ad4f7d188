// page: the terminal with the board's prompt, and programs that a click runs
// MIT license; Copyright (c) 2026 the tflm authors

import { FitAddon } from '@xterm/addon-fit';
import { Terminal } from '@xterm/xterm';
import { button, element } from './elements.js';
import { PROMPT, RestartError } from './repl.js';
import { open } from './terminal_styles.js';

const ROWS = 16;
// The background is --band of style.css.
const DARK = { background: '#20252a', foreground: '#e4e7ea', cursor: '#e4e7ea', selectionBackground: '#46505a' };
const LIGHT = { background: '#f2f4ef', foreground: '#1c2024', cursor: '#1c2024', selectionBackground: '#c7d2dc' };

export class Prompt {
  /** @type {import('./repl.js').Repl | null} */
  #repl = null;
  #terminal = new Terminal({
    fontSize: 13, rows: ROWS, cursorBlink: false, convertEol: true, screenReaderMode: true, scrollback: 2000,
    fontFamily: 'ui-monospace, SFMono-Regular, Menlo, "DejaVu Sans Mono", monospace',
  });
  #leaving = false; // the next TAB leaves the terminal

  /** @param {import('./messages.js').About['programs']} programs */
  constructor(programs) {
    const container = element('terminal');
    const fit = new FitAddon();
    this.#terminal.loadAddon(fit);
    open(this.#terminal, container);
    const fill = () => this.#terminal.resize(fit.proposeDimensions()?.cols || this.#terminal.cols, ROWS);
    new ResizeObserver(fill).observe(container);
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const paint = () => { this.#terminal.options.theme = dark.matches ? DARK : LIGHT; };
    dark.addEventListener('change', paint);
    paint();
    this.#terminal.onData((text) => this.#repl?.type(text));
    this.#terminal.attachCustomKeyEventHandler((event) => this.#isForTerminal(event));
    this.#addPrograms(programs);
    element('start', HTMLButtonElement).addEventListener('click', () => this.run());
    element('stop', HTMLButtonElement).addEventListener('click', () => this.#repl?.stop());
  }

  /** @param {import('./repl.js').Repl} repl */
  connect(repl) {
    this.#repl = repl;
  }

  /** @param {Uint8Array | string} text */
  show(text) {
    this.#terminal.write(text);
  }

  // After Esc, TAB leaves the terminal. Without this, keyboard users could not leave it.
  /** @param {KeyboardEvent} event */
  #isForTerminal(event) {
    if (event.key === 'Tab' && this.#leaving) return false;
    if (event.type === 'keydown' && event.key !== 'Shift') this.#leaving = event.key === 'Escape';
    return true;
  }

  /** @param {import('./messages.js').About['programs']} programs */
  #addPrograms(programs) {
    const choose = (/** @type {typeof programs[0]} */ program) => {
      element('about').textContent = program.about;
      element('code', HTMLTextAreaElement).value = program.code;
    };
    for (const program of programs) {
      element('programs').append(button(program.title, () => {
        choose(program);
        this.run();
      }));
    }
    choose(programs[0]);
  }

  /** Run the program in the text field. */
  async run() {
    const start = element('start', HTMLButtonElement);
    start.disabled = true;
    this.show('\r\n');
    try {
      const each = (/** @type {string} */ text) => this.show(text);
      await this.#repl?.exec(element('code', HTMLTextAreaElement).value, { each, interrupts: true });
      this.show(PROMPT);
    } catch (error) {
      const { trace, message } = /** @type {import('./repl.js').BoardError} */ (error);
      this.show(trace ?? `${message}\r\n`);
      if (!(error instanceof RestartError)) this.show(PROMPT);
    }
    start.disabled = false;
  }
}
