// pico emulator: the XIP stream, which reads words from flash in parallel to the cores
// MIT license; Copyright (c) 2026 the tflm authors

// RP2040 datasheet, 2.6.3: STREAM_ADDR and STREAM_CTR start it. Words go to a queue of two, which programs
// read at STREAM_FIFO, or by DMA (request 37) at the auxiliary port. It does not start a word while a core
// fetches one or while the queue is full. A started word is always completed, and a miss of the cache waits
// for its end. Hits do not wait.

const DEPTH = 2;
const REQUEST = 37; // DREQ_XIP_STREAM
const MAX_COUNT = 0x3fffff;
const FLASH = 0x10000000;

const STATUS = 0x08; // registers at 0x14000000
const ADDRESS = 0x14;
const COUNT = 0x18;
const FIFO = 0x1c;
const EMPTY = 2;
const FULL = 4;

export class Stream {
  // cost(): cycles of a word. bus.free: the cycle at which the current miss ends. word(address): reads
  // flash. dma: has setDREQ and clearDREQ.
  constructor(cost, bus, word, dma) {
    Object.assign(this, { cost, bus, word, dma });
    this.address = this.left = 0;
    this.fifo = [];
    this.end = -1; // cycle at which the current word ends, -1 for no word
    this.ready = 0; // cycle from which the next word may be fetched
    this.time = () => 0; // current cycle of the cores
  }

  get busy() {
    return this.left > 0 || this.end >= 0;
  }

  // Let time pass until cycle `now`.
  advance(now) {
    for (;;) {
      if (this.end >= 0) {
        if (this.end > now) return;
        this.fifo.push(this.word(this.address >>> 0));
        this.address += 4;
        this.ready = this.end;
        this.end = -1;
        this.dma.setDREQ(REQUEST);
      }
      if (!this.left || this.fifo.length === DEPTH) return;
      const start = Math.max(this.ready, this.bus.free);
      if (start >= now) return;
      this.left--;
      this.end = start + this.cost();
    }
  }

  // Return the next word. The datasheet does not define the value of an empty queue; here it is 0.
  take() {
    const value = this.fifo.shift() ?? 0;
    if (this.fifo.length === DEPTH - 1) this.ready = Math.max(this.ready, this.time());
    if (!this.fifo.length) this.dma.clearDREQ(REQUEST);
    return value;
  }

  // Read a register; return undefined for other registers of the XIP block.
  read(offset) {
    if (offset === STATUS) return (this.fifo.length ? 0 : EMPTY) | (this.fifo.length === DEPTH ? FULL : 0);
    if (offset === ADDRESS) return this.address >>> 0;
    if (offset === COUNT) return this.left;
    return offset === FIFO ? this.take() : undefined;
  }

  // Write a register. A count of 0 ends the stream after the current word.
  write(offset, value) {
    if (offset === ADDRESS) this.address = ((value & 0x00fffffc) | FLASH) >>> 0;
    if (offset === COUNT) {
      this.left = value & MAX_COUNT;
      this.ready = Math.max(this.ready, this.time());
    }
  }
}
