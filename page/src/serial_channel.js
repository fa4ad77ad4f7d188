// page: the tools worker's end of a serial port that the page has opened
// MIT license; Copyright (c) 2026 the tflm authors

/** Bytes to and from a MessagePort whose other end is a SerialPump; Python waits for its promises. */
export class Channel {
  #port;
  /** @type {Uint8Array[]} */
  #received = [];
  /** @type {(() => void) | null} */
  #wake = null;
  /** @type {((state: string) => void) | null} */
  #written = null;
  waiting = 0; // bytes
  lost = false;

  /** @param {MessagePort} port */
  constructor(port) {
    this.#port = port;
    /** @param {MessageEvent<import('./messages.js').FromPump>} event */
    port.onmessage = ({ data: message }) => {
      if (message.kind === 'bytes') {
        this.#received.push(message.bytes);
        this.waiting += message.bytes.length;
      } else if (message.kind === 'lost') {
        this.lost = true;
      }
      if (message.kind !== 'bytes') this.#written?.(this.lost ? 'lost' : '');
      this.#wake?.();
    };
  }

  /**
   * Return at most `count` bytes, or none after `milliseconds` (-1 waits forever). Undefined means that
   * the port is gone.
   * @param {number} count @param {number} milliseconds
   */
  async read(count, milliseconds) {
    if (!this.waiting && !this.lost) await this.#more(milliseconds);
    if (!this.waiting && this.lost) return undefined;
    return this.#take(Math.min(count, this.waiting));
  }

  /** @param {number} milliseconds */
  async #more(milliseconds) {
    const timer = milliseconds < 0 ? undefined : setTimeout(() => this.#wake?.(), milliseconds);
    await /** @type {Promise<void>} */ (new Promise((resolve) => { this.#wake = resolve; }));
    clearTimeout(timer);
    this.#wake = null;
  }

  /** @param {number} count */
  #take(count) {
    const taken = new Uint8Array(count);
    for (let at = 0; at < count;) {
      const first = this.#received[0];
      const piece = first.subarray(0, count - at);
      taken.set(piece, at);
      at += piece.length;
      if (piece.length === first.length) this.#received.shift();
      else this.#received[0] = first.subarray(piece.length);
    }
    this.waiting -= count;
    return taken;
  }

  /**
   * Return '' after the bytes are written, 'late' after `milliseconds`, or 'lost' if the port is gone.
   * @param {Uint8Array} bytes @param {number} milliseconds
   * @returns {Promise<string>}
   */
  async write(bytes, milliseconds) {
    if (this.lost) return 'lost';
    this.#port.postMessage({ kind: 'write', bytes });
    const state = await /** @type {Promise<string>} */ (new Promise((resolve) => {
      this.#written = resolve;
      if (milliseconds >= 0) setTimeout(resolve, milliseconds, 'late');
    }));
    this.#written = null;
    return state;
  }
}
