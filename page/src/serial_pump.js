// page: a port of Web Serial, opened; its bytes go to the worker of the tools and come from there
// MIT license; Copyright (c) 2026 the tflm authors

const SPEED = 115200; // baud, as mpremote has it; by USB any is the same
const BUFFER = 65536; // bytes

/** `port` is the end that the worker gets (src/serial_channel.js). */
export class SerialPump {
  #serial;
  #channel = new MessageChannel();
  #closing = false;
  /** @type {Promise<void>} */
  #pumping = Promise.resolve();
  /** @type {ReadableStreamDefaultReader<Uint8Array> | null} */
  #reader = null;
  port = this.#channel.port2;

  /** @param {import('./messages.js').WebSerialPort} serial */
  constructor(serial) {
    this.#serial = serial;
  }

  /** Raises a sentence where that is not possible. */
  async open() {
    try {
      await this.#serial.open({ baudRate: SPEED, bufferSize: BUFFER });
      await this.#serial.setSignals({ dataTerminalReady: true, requestToSend: true });
    } catch {
      throw new Error('the port cannot be opened, another program or page may have it; close that, or plug the board in again');
    }
    /** @param {MessageEvent<import('./messages.js').ToPump>} event */
    this.#channel.port1.onmessage = ({ data: message }) => this.#write(message.bytes);
    this.#pumping = this.#pump();
  }

  /** @param {import('./messages.js').FromPump} message */
  #tell(message) {
    this.#channel.port1.postMessage(message);
  }

  // Until the cable is pulled: then there is no stream any more; after a framing error a new one.
  async #pump() {
    while (this.#serial.readable && !this.#closing) {
      this.#reader = this.#serial.readable.getReader();
      try {
        for (;;) {
          const { value, done } = await this.#reader.read();
          if (done) break;
          this.#tell({ kind: 'bytes', bytes: value });
        }
      } catch {
        // the condition above says whether it was the end
      } finally {
        this.#reader.releaseLock();
      }
    }
    if (!this.#closing) this.#tell({ kind: 'lost' });
  }

  /** @param {Uint8Array} bytes */
  async #write(bytes) {
    const writer = this.#serial.writable?.getWriter();
    try {
      if (!writer) throw new Error('no stream');
      await writer.write(bytes);
      this.#tell({ kind: 'written' });
    } catch {
      this.#tell({ kind: 'lost' });
    } finally {
      writer?.releaseLock();
    }
  }

  /** Give the port back; one that is gone is no error. */
  async close() {
    this.#closing = true;
    await this.#reader?.cancel().catch(() => {});
    await this.#pumping;
    await this.#serial.close().catch(() => {});
    this.#channel.port1.close();
  }
}
