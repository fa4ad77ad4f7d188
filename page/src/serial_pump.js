// page: moves bytes between a port of Web Serial and the tools' worker
// MIT license; Copyright (c) 2026 the tflm authors

const SPEED = 115200; // baud, as in mpremote; USB ignores it
const BUFFER = 65536; // bytes
const PATIENCE = 1000; // milliseconds until a port must have given up a write

/** `port` is the worker's end (src/serial_channel.js). */
export class SerialPump {
  #serial;
  #channel = new MessageChannel();
  #closing = false;
  /** @type {Promise<void>} */
  #pumping = Promise.resolve();
  /** @type {ReadableStreamDefaultReader<Uint8Array> | null} */
  #reader = null;
  /** @type {WritableStreamDefaultWriter<Uint8Array> | null} */
  #writer = null; // of the write that has not ended
  /** @type {Promise<void>} */
  #writing = Promise.resolve();
  port = this.#channel.port2;

  /** @param {import('./messages.js').WebSerialPort} serial */
  constructor(serial) {
    this.#serial = serial;
  }

  /** Open the port. Raises an Error with a sentence if that fails. */
  async open() {
    try {
      await this.#serial.open({ baudRate: SPEED, bufferSize: BUFFER });
      await this.#serial.setSignals({ dataTerminalReady: true, requestToSend: true });
    } catch {
      throw new Error('the port cannot be opened, another program or page may have it; close that, or reconnect the board');
    }
    /** @param {MessageEvent<import('./messages.js').ToPump>} event */
    this.#channel.port1.onmessage = ({ data: message }) => {
      this.#writing = this.#writing.then(() => this.#write(message.bytes));
    };
    this.#pumping = this.#pump();
  }

  /** @param {import('./messages.js').FromPump} message */
  #post(message) {
    this.#channel.port1.postMessage(message);
  }

  // Read until the cable is pulled: then `readable` is null. After a framing error it is a new stream.
  async #pump() {
    while (this.#serial.readable && !this.#closing) {
      this.#reader = this.#serial.readable.getReader();
      try {
        for (;;) {
          const { value, done } = await this.#reader.read();
          if (done) break;
          this.#post({ kind: 'bytes', bytes: value });
        }
      } catch {
        // the condition of the outer loop checks whether the port is gone
      } finally {
        this.#reader.releaseLock();
      }
    }
    if (!this.#closing) this.#post({ kind: 'lost' });
  }

  /** @param {Uint8Array} bytes */
  async #write(bytes) {
    if (this.#closing) return;
    try {
      this.#writer = this.#serial.writable?.getWriter() ?? null;
      if (!this.#writer) throw new Error('no stream');
      await this.#writer.write(bytes);
      this.#post({ kind: 'written' });
    } catch {
      this.#post({ kind: 'lost' });
    } finally {
      this.#writer?.releaseLock();
      this.#writer = null;
    }
  }

  // End the write of a board that takes no bytes. A port with a locked stream cannot be closed.
  async #endWrite() {
    const ended = this.#writer?.abort().catch(() => {});
    const late = new Promise((resolve) => setTimeout(resolve, PATIENCE));
    await Promise.race([ended, late]);
    this.#writer?.releaseLock();
  }

  /** Close the port; does nothing if the port is gone. */
  async close() {
    this.#closing = true;
    await this.#reader?.cancel().catch(() => {});
    await this.#pumping;
    await this.#endWrite();
    await this.#serial.close().catch(() => {});
    this.#channel.port1.close();
  }
}
