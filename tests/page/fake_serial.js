// Tests of the page: a Web Serial API with one port, which leads to a second emulated Pico
// MIT license; Copyright (c) 2026 the tflm authors

class FakePort {
  #worker = new Worker('emulator_worker.js', { type: 'module' });
  #stream = null; // the controller of `readable` while the port is open
  #said = ''; // output of the board while the port is closed
  readable = null;
  writable = null;
  written = 0; // bytes since the port was opened
  cutAt = Infinity; // after this many bytes the cable is pulled and the power fails

  constructor() {
    this.#worker.onmessage = ({ data: message }) => {
      if (message.kind !== 'received') return;
      if (this.#stream) this.#stream.enqueue(message.bytes);
      else this.#said += new TextDecoder().decode(message.bytes);
    };
  }

  async power() {
    const bytes = async (name) => new Uint8Array(await (await fetch(name)).arrayBuffer());
    this.rom = await bytes('bootrom.bin');
    this.#worker.postMessage({ kind: 'power', rom: this.rom, image: await bytes('pico.uf2') });
  }

  getInfo() {
    return { usbVendorId: 0x2e8a, usbProductId: 5 };
  }

  async open() {
    if (this.readable) throw new DOMException('The port is already open.', 'InvalidStateError');
    this.written = 0;
    this.readable = new ReadableStream({ start: (controller) => { this.#stream = controller; } });
    this.writable = new WritableStream({ write: (bytes) => this.#write(bytes) });
  }

  async setSignals() {}

  #write(bytes) {
    const left = this.cutAt - this.written; // bytes before the cable is pulled
    this.written += bytes.length;
    this.#send(bytes.slice(0, Math.max(left, 0)));
    if (left >= bytes.length) return;
    this.#stream.error(new DOMException('The device has been lost.', 'NetworkError'));
    this.readable = this.writable = this.#stream = null;
    this.#said = '';
    this.#worker.postMessage({ kind: 'power', rom: this.rom, image: null });
    throw new DOMException('The device has been lost.', 'NetworkError');
  }

  #send(bytes) {
    this.#worker.postMessage({ kind: 'send', bytes });
  }

  async close() {
    this.readable = this.writable = this.#stream = null;
    this.#said = '';
  }

  async #until(text) {
    while (!this.#said.includes(text)) await new Promise((resolve) => setTimeout(resolve, 50));
    const found = this.#said.slice(0, this.#said.indexOf(text));
    this.#said = this.#said.slice(found.length + text.length);
    return found;
  }

  /** Run code on the board while the port is closed; return its output and its traceback. */
  async exec(code) {
    const send = (text) => this.#send(new TextEncoder().encode(text));
    this.#said = '';
    send('\r\x03\x03\r\x01');
    await this.#until('raw REPL; CTRL-B to exit\r\n>');
    send('\x04'); // soft reset: a new heap
    await this.#until('raw REPL; CTRL-B to exit\r\n>');
    send(`${code}\x04`);
    await this.#until('OK');
    const found = [await this.#until('\x04'), await this.#until('\x04')];
    send('\x02');
    return found;
  }
}

let fake = null;

/** Return the port after its board is powered on. */
async function fakePort() {
  if (!fake) {
    fake = new FakePort();
    await fake.power();
  }
  return fake;
}

Object.defineProperty(navigator, 'serial', { value: { requestPort: fakePort } });
