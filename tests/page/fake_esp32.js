// Tests of the page: a Web Serial API with one port, which leads to a simulated ESP32 of the test
// MIT license; Copyright (c) 2026 the tflm authors

const POLL = 10; // milliseconds between two reads of the board's output

/** The test defines boardOpen(), boardClose(), boardRead() and boardWrite(text, time in ms): each letter is a byte. */
class FakePort {
  #reading = false;
  readable = null;
  writable = null;

  getInfo() {
    return { usbVendorId: 0x10c4, usbProductId: 0xea60 };
  }

  async open({ baudRate }) {
    if (this.readable) throw new DOMException('The port is already open.', 'InvalidStateError');
    if (baudRate !== 115200) throw new DOMException('The board has another speed.', 'NetworkError');
    await window.boardOpen();
    this.readable = new ReadableStream({ start: (controller) => this.#read(controller) });
    this.writable = new WritableStream({
      write: (bytes) => window.boardWrite(String.fromCharCode(...bytes), performance.now()),
    });
  }

  // The board resets while RTS alone is set, as its circuit does.
  async setSignals({ dataTerminalReady = false, requestToSend = false }) {
    if (requestToSend && !dataTerminalReady) throw new DOMException('The board is held in reset.', 'NetworkError');
  }

  async #read(controller) {
    this.#reading = true;
    while (this.#reading) {
      const text = await window.boardRead();
      if (text && this.#reading) controller.enqueue(Uint8Array.from(text, (letter) => letter.charCodeAt(0)));
      await new Promise((resolve) => setTimeout(resolve, POLL));
    }
  }

  async close() {
    if (this.readable?.locked || this.writable?.locked) throw new TypeError('Cannot cancel a locked stream');
    this.#reading = false;
    this.readable = this.writable = null;
    await window.boardClose();
  }
}

const port = new FakePort();
Object.defineProperty(navigator, 'serial', { value: { requestPort: async () => port } });
