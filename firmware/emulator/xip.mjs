// pico emulator: computes how long an RP2040 waits for flash: the XIP cache and the bus to flash
// MIT license; Copyright (c) 2026 the tflm authors

// RP2040 datasheet, 2.6.3: 16 KB, two ways, lines of 8 bytes. Each half of a line has a separate valid bit,
// and a miss fetches 4 bytes. The datasheet does not specify which line is replaced; here it is the least
// recently used one.

const WAYS = 2;
const LINE_BITS = 3;
const SETS = 1024;
const HALF = 4; // address bit that selects the half of a line

const FLASH = 0x10000000;
const NO_ALLOCATE = 0x01000000; // bits of the address select the kind of access
const NO_CHECK = 0x02000000;
const OFFSET = 0x00ffffff;

// The caller gives the cycles of a miss at this divider of the core's clock. Each further step of the
// divider adds the clocks of one word on four wires: 6 for address, 2 for mode, 4 to wait, 8 for data.
const DIVIDER = 2;
const CLOCKS = 20;
// Cycles of a miss besides the word itself. A streamed word does not need them.
const MISS_ALONE = 4;

const CONTROL = 0x00; // registers of the cache at 0x14000000
const FLUSH = 0x04;
const STATUS = 0x08;
const HITS = 0x0c;
const ACCESSES = 0x10;
const ENABLE = 1;
const FLUSH_READY = 1;

// The cache: which words of flash it holds.
export class Cache {
  constructor() {
    this.lines = new Int32Array(WAYS * SETS);
    this.halves = new Uint8Array(WAYS * SETS); // valid halves: bit 0 the lower, bit 1 the upper
    this.last = new Uint8Array(SETS); // the last used way
    this.flush();
  }

  flush() {
    this.lines.fill(-1);
    this.halves.fill(0);
  }

  // Return whether the cache holds the word at an offset of flash.
  has(offset) {
    return this.#find(offset, offset & HALF ? 2 : 1) >= 0;
  }

  // Read a word, which is fetched if the cache does not hold it; return whether it was a hit.
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

// The time of each read of flash. Both cores share the cache and its bus: while a word is fetched, each
// access waits for it, even a hit.
export class Xip {
  // miss: cycles of a miss while flash runs at half the core's clock.
  // divider(): divider of the core's clock in the interface to flash.
  constructor(miss, divider = () => DIVIDER) {
    this.miss = miss;
    this.divider = divider;
    this.cache = new Cache();
    this.enabled = true;
    this.free = 0; // cycle at which the bus is free
    this.stream = null; // the Stream, which uses the same bus
    this.hits = this.accesses = 0;
    this.model = [0, 0]; // misses in this range of addresses count as the model's
    this.misses = { model: 0, code: 0, rest: 0 };
  }

  // Return the cycles that a read of `address` waits. now: cycle at which it begins. code: an instruction.
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
    const location = (address & OFFSET) | FLASH;
    if (code) this.misses.code++;
    else if (location >= begin && location < end) this.misses.model++;
    else this.misses.rest++;
    const fetched = wait + this.miss + this.#slower;
    this.free = now + fetched;
    return fetched;
  }

  get #slower() {
    return CLOCKS * ((this.divider() || DIVIDER) - DIVIDER);
  }

  // Cycles of a streamed word.
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

  // The cache's registers as a device of rp2040js. Any write clears a counter.
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
