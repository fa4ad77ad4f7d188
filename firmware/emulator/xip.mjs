// pico emulator: how long an RP2040 waits for flash: the XIP cache, and the bus behind it
// MIT license; Copyright (c) 2026 the tflm authors

// RP2040 datasheet, 2.6.3: 16 KB, two ways, lines of 8 bytes. Each half of a line has a valid bit
// of its own, and a miss fetches 4 bytes. Which way a line replaces is not documented: the one
// that was used longer ago is taken here.

const WAYS = 2;
const LINE_BITS = 3;
const SETS = 1024;
const HALF = 4; // the bit of an address that tells the half of a line

const FLASH = 0x10000000;
const NO_ALLOCATE = 0x01000000; // windows that flash is read through, by bits of the address
const NO_CHECK = 0x02000000;
const OFFSET = 0x00ffffff;

// At this divider of the core's clock a miss takes what the caller says; each step of the divider
// adds the clocks that a word of four lines takes: 6 of address, 2 of mode, 4 to wait, 8 of data.
const DIVIDER = 2;
const CLOCKS = 20;
// What a miss takes beside the word itself: a stream has no core that asks and no line to fill.
const MISS_ALONE = 4;

const CONTROL = 0x00; // registers of the cache at 0x14000000
const FLUSH = 0x04;
const STATUS = 0x08;
const HITS = 0x0c;
const ACCESSES = 0x10;
const ENABLE = 1;
const FLUSH_READY = 1;

// Which words of flash the cache holds.
export class Cache {
  constructor() {
    this.lines = new Int32Array(WAYS * SETS);
    this.halves = new Uint8Array(WAYS * SETS); // valid ones: 1 the lower, 2 the upper
    this.last = new Uint8Array(SETS); // the way that was used last
    this.flush();
  }

  flush() {
    this.lines.fill(-1);
    this.halves.fill(0);
  }

  // Whether the word at an offset of flash is there.
  has(offset) {
    return this.#find(offset, offset & HALF ? 2 : 1) >= 0;
  }

  // Look for a word, and fetch it if it is not there; true for a hit.
  read(offset) {
    const half = offset & HALF ? 2 : 1;
    const found = this.#find(offset, half);
    const set = (offset >>> LINE_BITS) & (SETS - 1);
    if (found >= 0) {
      this.last[set] = found >= SETS ? 1 : 0;
      return true;
    }
    const line = offset >>> LINE_BITS;
    let way = 1 - this.last[set];
    if (this.lines[set + SETS * (1 - way)] === line) way = 1 - way;
    const at = set + SETS * way;
    if (this.lines[at] !== line) {
      this.lines[at] = line;
      this.halves[at] = 0;
    }
    this.halves[at] |= half;
    this.last[set] = way;
    return false;
  }

  #find(offset, half) {
    const line = offset >>> LINE_BITS;
    const set = line & (SETS - 1);
    if (this.lines[set] === line && this.halves[set] & half) return set;
    if (this.lines[set + SETS] === line && this.halves[set + SETS] & half) return set + SETS;
    return -1;
  }
}

// Flash as the cores see it: what each read waits for. Both cores share it: who comes while a word
// is fetched waits until it is there, for a hit too.
export class Xip {
  // miss: cycles of the core that a miss takes while flash has half the core's clock.
  // divider(): of the core's clock, as the interface to flash has it.
  constructor(miss, divider = () => DIVIDER) {
    this.miss = miss;
    this.divider = divider;
    this.cache = new Cache();
    this.enabled = true;
    this.free = 0; // when the bus is, in cycles
    this.stream = null; // which wants it, too
    this.hits = this.accesses = 0;
    this.model = [0, 0]; // addresses whose misses count as the model's
    this.misses = { model: 0, code: 0, rest: 0 };
  }

  // Cycles that a read at an address of the windows waits, which begins at cycle `now`.
  read(address, now, code) {
    this.accesses++;
    this.stream?.advance(now);
    let wait = this.free > now ? this.free - now : 0;
    if (this.#hit(address)) {
      this.hits++;
      return wait;
    }
    if (this.stream?.end > now + wait) wait = this.stream.end - now;
    const [begin, end] = this.model;
    const place = (address & OFFSET) | FLASH;
    if (code) this.misses.code++;
    else if (place >= begin && place < end) this.misses.model++;
    else this.misses.rest++;
    const fetched = wait + this.miss + this.#slower;
    this.free = now + fetched;
    return fetched;
  }

  get #slower() {
    return CLOCKS * ((this.divider() || DIVIDER) - DIVIDER);
  }

  // Cycles of a word that is streamed.
  get streamed() {
    return this.miss ? this.miss - MISS_ALONE + this.#slower : 0;
  }

  #hit(address) {
    const { cache } = this;
    const offset = address & OFFSET;
    if (!this.enabled) return false;
    if (address & NO_CHECK) {
      if (!(address & NO_ALLOCATE)) cache.read(offset);
      return false;
    }
    return address & NO_ALLOCATE ? cache.has(offset) : cache.read(offset);
  }

  // The cache's registers, as rp2040js wants a device; counters are cleared by any write.
  get registers() {
    return {
      readUint32: (offset) => {
        if (offset === CONTROL) return this.enabled ? ENABLE : 0;
        if (offset === STATUS) return FLUSH_READY | (this.stream?.read(offset) ?? 0);
        if (offset === HITS) return this.hits;
        return offset === ACCESSES ? this.accesses : (this.stream?.read(offset) ?? 0);
      },
      writeUint32Atomic: (offset, value) => {
        if (offset === CONTROL) this.enabled = Boolean(value & ENABLE);
        else if (offset === FLUSH) this.cache.flush();
        else if (offset === HITS) this.hits = 0;
        else if (offset === ACCESSES) this.accesses = 0;
        else this.stream?.write(offset, value);
      },
    };
  }
}
