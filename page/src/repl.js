// page: MicroPython's prompt on a serial port, for the visitor, and its raw mode, for programs of the page
// MIT license; Copyright (c) 2026 the tflm authors

const CTRL_A = '\x01'; // enters the raw mode
const CTRL_B = '\x02'; // returns to the prompt
const CTRL_C = '\x03'; // interrupts a program
const CTRL_D = '\x04'; // in the raw mode: runs the code; also ends the output and the traceback
const RAW = 'raw REPL; CTRL-B to exit\r\n>';
export const PROMPT = '>>> ';
const PATIENCE = 30_000; // milliseconds until the board must respond
const RESTARTED = 'the board was started again; repeat the command';
const AGAIN = 1000; // milliseconds between two Ctrl-C; the compiler ignores them

/** An exception that code on the board raised. `message` is the last line of its traceback. */
export class BoardError extends Error {
  /** @param {string} trace */
  constructor(trace) {
    super(trace.trim().split('\n').at(-1)?.trim() ?? 'the board raised an exception');
    this.trace = trace;
  }
}

export class Repl {
  #port;
  #encoder = new TextEncoder();
  #decoder = new TextDecoder();
  #show;
  banner = ''; // text before the board's prompt
  #buffer = '';
  #raw = false;
  #running = false;
  #pending = 0; // programs that have not ended
  #stopping = false; // the first of them is being stopped
  /** @type {((error?: Error) => void) | null} */
  #wake = null; // resumes #more(), or rejects its promise with an error
  #session = 0; // how often the power was switched on
  /** @type {Promise<unknown>} */
  #last = Promise.resolve();

  /**
   * @param {import('./board.js').EmulatedBoard} port
   * @param {(bytes: Uint8Array) => void} show shows bytes to the visitor
   */
  constructor(port, show) {
    this.#port = port;
    this.#show = show;
    port.listen((bytes) => this.#take(bytes));
    setInterval(() => this.#stopping && this.#running && this.#write(CTRL_C), AGAIN);
  }

  /** @param {Uint8Array} bytes */
  #take(bytes) {
    if (!this.#raw) {
      this.#show(bytes);
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
    if (!this.#raw) this.#write(text);
    else if (text.includes(CTRL_C)) this.stop();
  }

  /** Stop the program that runs or waits to run. */
  stop() {
    this.#stopping = this.#pending > 0;
    if (this.#running || !this.#raw) this.#write(CTRL_C);
  }

  /**
   * Return the board's output up to `end`, without `end`. Each received piece goes to `each` at once.
   * @param {string} end
   * @param {number} patience milliseconds between two pieces, 0 waits forever
   * @param {(text: string) => void} [each]
   */
  async #until(end, patience, each) {
    let found = '';
    for (;;) {
      const at = this.#buffer.indexOf(end);
      const piece = at < 0 ? this.#buffer : this.#buffer.slice(0, at);
      // The received text may end with the beginning of `end`.
      const keep = at < 0 ? Math.min(end.length - 1, piece.length) : 0;
      const text = piece.slice(0, piece.length - keep);
      found += text;
      if (text) each?.(text);
      this.#buffer = this.#buffer.slice(at < 0 ? text.length : at + end.length);
      if (at >= 0) return found;
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
      const late = () => wake(new Error('the board does not answer; restart it'));
      const timer = patience ? setTimeout(late, patience) : undefined;
    });
  }

  /**
   * Run code on the board after the programs that wait already; return its output.
   * Raises BoardError for an exception of the code.
   * @param {string} code
   * @param {(text: string) => void} [each] receives the output piece by piece
   * @returns {Promise<string>}
   */
  exec(code, each) {
    this.#pending++;
    const session = this.#session;
    const done = this.#last.then(() => this.#exec(code, session, each));
    this.#last = done.catch(() => {});
    return done;
  }

  /** @param {string} code @param {number} session @param {((text: string) => void) | undefined} each */
  async #exec(code, session, each) {
    if (session !== this.#session) throw new Error(RESTARTED);
    this.#raw = true;
    this.#buffer = '';
    try {
      this.#write(`\r${CTRL_C}\r${CTRL_A}`);
      await this.#until(RAW, PATIENCE);
      this.#write((this.#stopping ? 'raise KeyboardInterrupt' : code) + CTRL_D);
      await this.#until('OK', PATIENCE);
      this.#running = true;
      const output = await this.#until(CTRL_D, 0, each);
      const trace = await this.#until(`${CTRL_D}>`, PATIENCE);
      this.#running = false;
      this.#write(CTRL_B);
      this.banner = await this.#until(PROMPT, PATIENCE);
      if (trace) throw new BoardError(trace);
      return output;
    } finally {
      if (session === this.#session) {
        this.#running = this.#raw = this.#stopping = false;
        this.#pending--;
      }
    }
  }

  /** Drop all programs after a power-on; their promises are rejected. */
  forget() {
    this.#session++;
    this.#last = Promise.resolve();
    this.#raw = this.#running = this.#stopping = false;
    this.#pending = 0;
    this.#buffer = '';
    this.#wake?.(new Error(RESTARTED));
  }
}
