// page: MicroPython's prompt on a serial port: for people, and its raw mode for the page
// MIT license; Copyright (c) 2026 the tflm authors

const CTRL_A = '\x01'; // the raw mode
const CTRL_B = '\x02'; // the prompt
const CTRL_C = '\x03';
const CTRL_D = '\x04'; // in the raw mode: run it; ends each part of an answer
const RAW = 'raw REPL; CTRL-B to exit\r\n>';
export const PROMPT = '>>> ';
const PATIENCE = 30_000; // milliseconds for the board to say that it listens
const RESTARTED = 'the board was started again; ask it again';
const AGAIN = 1000; // milliseconds between two Ctrl-C: while it compiles, a program hears none

/** What code on the board raised; `message` is the last line of its traceback. */
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
  banner = ''; // what the board says before its prompt
  #buffer = '';
  #raw = false;
  #running = false;
  #asked = 0; // programs that have not ended
  #stopping = false; // the first of them
  /** @type {((error?: Error) => void) | null} */
  #wake = null; // whoever waits for the board, with an error where that is in vain
  #session = 0; // the power was switched on so often
  /** @type {Promise<unknown>} */
  #last = Promise.resolve();

  /**
   * @param {import('./board.js').EmulatedBoard} port
   * @param {(bytes: Uint8Array) => void} show takes what a person should see
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

  /** Keys of a person; while a program of the page runs, only Ctrl-C. @param {string} text */
  type(text) {
    if (!this.#raw) this.#write(text);
    else if (text.includes(CTRL_C)) this.stop();
  }

  /** Stop what runs, or is about to. */
  stop() {
    this.#stopping = this.#asked > 0;
    if (this.#running || !this.#raw) this.#write(CTRL_C);
  }

  /**
   * What comes up to `end`, which is left out; pieces of it go to `each` as they come.
   * @param {string} end
   * @param {number} patience milliseconds between two pieces, 0: for ever
   * @param {(text: string) => void} [each]
   */
  async #until(end, patience, each) {
    let found = '';
    for (;;) {
      const at = this.#buffer.indexOf(end);
      const piece = at < 0 ? this.#buffer : this.#buffer.slice(0, at);
      // The beginning of `end` may be the end of what has come.
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
   * Run code on the board, after what it was asked before; returns what it printed.
   * Raises BoardError for an exception of the code.
   * @param {string} code
   * @param {(text: string) => void} [each] takes what it prints as it comes
   * @returns {Promise<string>}
   */
  exec(code, each) {
    this.#asked++;
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
        this.#asked--;
      }
    }
  }

  /** After power-on: forget what the board was asked; who waits for it is told. */
  forget() {
    this.#session++;
    this.#last = Promise.resolve();
    this.#raw = this.#running = this.#stopping = false;
    this.#asked = 0;
    this.#buffer = '';
    this.#wake?.(new Error(RESTARTED));
  }
}
