// pico emulator: the stream of words that an RP2040 reads from flash behind the cores' backs
// MIT license; Copyright (c) 2026 the tflm authors

// RP2040 datasheet, 2.6.3: STREAM_ADDR and STREAM_CTR start it; words go to a queue of two, which
// is read at STREAM_FIFO or, by DMA (request 37), at the auxiliary port. It begins no word while
// the cores want one or the queue is full; a word that has begun is fetched to its end, and a miss
// of the cache waits for that. Hits go on meanwhile.

const DEPTH = 2;
const REQUEST = 37; // DREQ_XIP_STREAM
const MOST = 0x3fffff;
const FLASH = 0x10000000;

const STATUS = 0x08; // registers at 0x14000000
const ADDRESS = 0x14;
const COUNT = 0x18;
const FIFO = 0x1c;
const EMPTY = 2;
const FULL = 4;

export class Stream {
  // cost(): cycles of a word. bus: `free`, when a miss that is fetched ends. word(address): of flash.
  // dma: has setDREQ and clearDREQ.
  constructor(cost, bus, word, dma) {
    Object.assign(this, { cost, bus, word, dma });
    this.address = this.left = 0;
    this.fifo = [];
    this.end = -1; // of the word that is being fetched
    this.ready = 0; // since when the next one may be
    this.time = () => 0; // the cores' cycle
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

  // The next word; what an empty queue gives is not documented.
  take() {
    const value = this.fifo.shift() ?? 0;
    if (this.fifo.length === DEPTH - 1) this.ready = Math.max(this.ready, this.time());
    if (!this.fifo.length) this.dma.clearDREQ(REQUEST);
    return value;
  }

  // undefined for a register that is not the stream's.
  read(offset) {
    if (offset === STATUS) return (this.fifo.length ? 0 : EMPTY) | (this.fifo.length === DEPTH ? FULL : 0);
    if (offset === ADDRESS) return this.address >>> 0;
    if (offset === COUNT) return this.left;
    return offset === FIFO ? this.take() : undefined;
  }

  // A count of 0 ends the stream behind the word that is being fetched.
  write(offset, value) {
    if (offset === ADDRESS) this.address = ((value & 0x00fffffc) | FLASH) >>> 0;
    if (offset === COUNT) {
      this.left = value & MOST;
      this.ready = Math.max(this.ready, this.time());
    }
  }
}
