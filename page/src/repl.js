// page: MicroPython's prompt on a serial port, for the visitor, and its raw mode, for programs of the page
// MIT license; Copyright (c) 2026 the tflm authors

const CTRL_A = '\x01'; // enters the raw mode
const CTRL_B = '\x02'; // returns to the prompt
const CTRL_C = '\x03'; // interrupts a program
const CTRL_D = '\x04'; // in the raw mode: runs the code; also ends the output and the traceback
const RAW = 'raw REPL; CTRL-B to exit\r\n>';
export const PROMPT = '>>> ';
const PATIENCE = 30_000; // milliseconds until the board must respond
const LATE = 'the board does not answer; restart it';
const QUIET = 300; // milliseconds in which the answers to earlier tries arrive
const RESTARTED = 'the board was started again; repeat the command';
const STILL = 1000; // milliseconds until a program that waits says so
const OTHER_RUNS = 'The board still works on another part of this page, and continues here after that. Stop ends that work.';
const IN_USE = 'The prompt is in use. Finish its line or press Stop, then the board continues here.';
const AGAIN = 1000; // milliseconds between two Ctrl-C; the compiler ignores them

/** An exception that code on the board raised. `message` is the last line of its traceback. */
export class BoardError extends Error {
  /** @param {string} trace */
  constructor(trace) {
    super(trace.trim().split('\n').at(-1)?.trim() ?? 'the board raised an exception');
    this.trace = trace;
  }
}

/** The board was started again, so the program that ran is gone. The board shows its prompt itself. */
export class RestartError extends Error {}

/**
 * @typedef {object} ExecOptions
 * @property {(text: string) => void} [each] receives the output piece by piece
 * @property {(text: string) => void} [waits] receives the reason if the program has to wait for another
 * @property {boolean} [interrupts] ends what runs or is typed at the prompt instead of waiting for it
 */

export class Repl {
  #port;
  #encoder = new TextEncoder();
  #decoder = new TextDecoder();
  #show;
  #tries;
  #late;
  banner = ''; // text before the board's prompt
  #buffer = '';
  #tail = ''; // last characters of the output that was shown
  #typed = false; // the visitor has typed since the prompt was shown
  #raw = false;
  #running = false;
  #stopping = false; // the program that runs is being stopped
  /** @type {((error?: Error) => void) | null} */
  #wake = null; // resumes #more(), or rejects its promise with an error
  /** @type {((error?: Error) => void) | null} */
  #free = null; // resumes #untilFree() in the same way
  #session = 0; // how often the power was switched on
  /** @type {Promise<unknown>} */
  #last = Promise.resolve();

  /**
   * @param {{ listen: (reader: (bytes: Uint8Array) => void) => void, write: (bytes: Uint8Array) => void }} port
   * @param {(bytes: Uint8Array) => void} show shows bytes to the visitor
   * @param {{ tries?: number, late?: string }} [options] tries: how often a board is asked for its raw mode; a board
   * that starts loses bytes. late: the message for a board that does not answer
   */
  constructor(port, show, { tries = 1, late = LATE } = {}) {
    this.#port = port;
    this.#show = show;
    this.#tries = tries;
    this.#late = late;
    port.listen((bytes) => this.#take(bytes));
    setInterval(() => this.#stopping && this.#running && this.#write(CTRL_C), AGAIN);
  }

  /** @param {Uint8Array} bytes */
  #take(bytes) {
    if (!this.#raw) {
      this.#show(bytes);
      this.#tail = (this.#tail + this.#decoder.decode(bytes, { stream: true })).slice(-PROMPT.length - 1);
      if (this.#tail === `\n${PROMPT}`) {
        this.#typed = false;
        this.#free?.();
      }
      return;
    }
    this.#buffer += this.#decoder.decode(bytes, { stream: true });
    this.#wake?.();
  }

  /** @param {string} text */
  #write(text) {
    this.#port.write(this.#encoder.encode(text));
  }

  /** Send keys of the visitor; while a program of the page runs, only Ctrl-C works. @param {string} text */
  type(text) {
    if (!this.#raw) {
      this.#typed = true;
      this.#write(text);
    } else if (text.includes(CTRL_C)) {
      this.stop();
    }
  }

  /** Stop the program that runs, or the line at the prompt. */
  stop() {
    this.#stopping = this.#raw;
    if (this.#running || !this.#raw) this.#write(CTRL_C);
    if (!this.#raw && this.#tail.endsWith('\n>')) this.#write(CTRL_B); // the visitor has entered the raw mode
  }

  /**
   * Return the board's output up to the first of `ends`, and which one that was. Each received piece goes
   * to `each` at once.
   * @param {string[]} ends
   * @param {number} patience milliseconds between two pieces, 0 waits forever
   * @param {(text: string) => void} [each]
   */
  async #until(ends, patience, each) {
    let found = '';
    for (;;) {
      const seen = ends.map((end) => ({ end, at: this.#buffer.indexOf(end) })).filter(({ at }) => at >= 0);
      const first = seen.sort((a, b) => a.at - b.at)[0];
      // The received text may end with the beginning of one of `ends`.
      const keep = Math.max(...ends.map((end) => end.length)) - 1;
      const text = this.#buffer.slice(0, first ? first.at : Math.max(this.#buffer.length - keep, 0));
      found += text;
      if (text) each?.(text);
      this.#buffer = this.#buffer.slice(text.length + (first ? first.end.length : 0));
      if (first) return { text: found, end: first.end };
      await this.#more(patience);
    }
  }

  /** @param {number} patience */
  #more(patience) {
    return new Promise((resolve, reject) => {
      const wake = this.#wake = (/** @type {Error | undefined} */ error) => {
        clearTimeout(timer);
        this.#wake = null;
        if (error) reject(error);
        else resolve(undefined);
      };
      const late = () => wake(new Error(this.#late));
      const timer = patience ? setTimeout(late, patience) : undefined;
    });
  }

  /**
   * Run code on the board after the programs that wait already; return its output.
   * Raises BoardError for an exception of the code.
   * @param {string} code
   * @param {ExecOptions} [options]
   * @returns {Promise<string>}
   */
  exec(code, options = {}) {
    const timer = setTimeout(() => options.waits?.(this.#raw ? OTHER_RUNS : IN_USE), STILL);
    const session = this.#session;
    const done = this.#last.then(() => this.#exec(code, session, options, timer)).finally(() => clearTimeout(timer));
    this.#last = done.catch(() => {});
    return done;
  }

  /** @param {string} code @param {number} session @param {ExecOptions} options @param {number} timer */
  async #exec(code, session, { each, interrupts = false }, timer) {
    if (session === this.#session && this.#typed) await this.#untilFree(interrupts);
    if (session !== this.#session) throw new RestartError(RESTARTED);
    clearTimeout(timer);
    this.#raw = true;
    this.#buffer = '';
    try {
      await this.#enterRaw();
      this.#write((this.#stopping ? 'raise KeyboardInterrupt' : code) + CTRL_D);
      await this.#until(['OK'], PATIENCE);
      this.#running = true;
      const { output, trace } = await this.#result(each);
      this.#running = false;
      this.#write(CTRL_B);
      this.banner = (await this.#until([PROMPT], PATIENCE)).text;
      if (trace) throw new BoardError(trace);
      return output;
    } finally {
      if (session === this.#session) this.#running = this.#raw = this.#stopping = false;
    }
  }

  async #enterRaw() {
    for (let left = this.#tries; ; left--) {
      this.#write(`\r${CTRL_C}\r${CTRL_A}`);
      try {
        await this.#until([RAW], PATIENCE / this.#tries);
        break;
      } catch (error) {
        if (left === 1 || error instanceof RestartError) throw error;
      }
    }
    if (this.#tries === 1) return;
    await new Promise((resolve) => setTimeout(resolve, QUIET));
    this.#buffer = '';
  }

  // A program that ends by SystemExit, as of sys.exit() and machine.soft_reset(), has no traceback. The
  // board then resets its heap and starts the raw mode again.
  /** @param {((text: string) => void) | undefined} each */
  async #result(each) {
    const { text: output } = await this.#until([CTRL_D], 0, each);
    const { text: trace, end } = await this.#until([`${CTRL_D}>`, RAW], PATIENCE);
    if (end !== RAW) return { output, trace };
    each?.(trace.replaceAll(CTRL_D, ''));
    return { output, trace: '' };
  }

  /** Wait until the prompt shows an empty line. @param {boolean} interrupts */
  async #untilFree(interrupts) {
    const interrupt = () => this.#write(CTRL_C);
    const timer = interrupts ? setInterval(interrupt, AGAIN) : undefined;
    const late = interrupts ? setTimeout(() => this.#free?.(new Error(this.#late)), PATIENCE) : undefined;
    if (interrupts) interrupt();
    try {
      await new Promise((resolve, reject) => {
        this.#free = (error) => (error ? reject(error) : resolve(undefined));
      });
    } finally {
      this.#free = null;
      clearInterval(timer);
      clearTimeout(late);
    }
  }

  /** Drop all programs after a start of the board; their promises are rejected. @param {string} [reason] */
  forget(reason = RESTARTED) {
    this.#session++;
    this.#last = Promise.resolve();
    this.#raw = this.#running = this.#stopping = this.#typed = false;
    this.#buffer = '';
    const error = new RestartError(reason);
    this.#wake?.(error);
    this.#free?.(error);
  }
}
