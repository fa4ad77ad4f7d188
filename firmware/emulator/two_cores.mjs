// pico emulator: adds core 1 to rp2040js, which has one core: FIFO, launch, SEV, interrupts
// MIT license; Copyright (c) 2026 the tflm authors

import { Core } from './core.mjs';
import { RPSIO } from './node_modules/rp2040js/dist/esm/sio.js';

const CPUID = 0x00;
const FIFO_STATUS = 0x50;
const FIFO_WRITE = 0x54;
const FIFO_READ = 0x58;
const FIFO_WORDS = 8;
const POWER_OF_CORE_1 = 1 << 16;
const INTERRUPTS = [15, 16]; // SIO_PROC0, SIO_PROC1
const SHARED = ['gpioValue', 'gpioOutputEnable', 'qspiGpioValue', 'qspiGpioOutputEnable', 'spinLock'];
// The words for which core 1's boot ROM waits. Vector table, stack pointer and entry follow.
const HANDSHAKE = [0, 0, 1];

const WAIT_LOOP = 0x3ff8; // an unused address of the boot ROM
const WFE_AND_BRANCH_BACK = 0xe7fdbf20;

// Both cores of a chip. step() runs one instruction of the core whose time is earlier.
export class TwoCores {
  constructor(mcu) {
    this.mcu = mcu;
    this.cores = [mcu.core, new Core(mcu, mcu.core.xip)];
    this.blocks = [mcu.sio, new RPSIO(mcu)]; // SIO of each core; each core has a separate divider
    this.times = [0, 0]; // time of each core in cycles
    this.fifo = [[], []]; // words for each core
    mcu.stream.time = () => Math.max(this.times[0], this.times[1]);
    this.running = false;
    this.words = []; // received words of the handshake
    this.#shareSio();
    this.#watchPower();
    // Both cores receive the interrupts of devices, and each core enables a selection.
    mcu.setInterrupt = (number, value) => {
      this.cores[0].setInterrupt(number, value);
      if (this.running) this.cores[1].setInterrupt(number, value);
    };
    mcu.logger = { ...mcu.logger, info: (_, message) => { if (message === 'SEV') this.#sendEvent(); } };
  }

  #shareSio() {
    const [first, second] = this.blocks;
    for (const name of SHARED) {
      Object.defineProperty(second, name, {
        get: () => first[name],
        set: (value) => { first[name] = value; },
      });
    }
    this.blocks.forEach((block, core) => {
      const read = block.readUint32;
      const write = block.writeUint32;
      block.readUint32 = (offset) => {
        if (offset === CPUID) return core;
        if (offset === FIFO_STATUS) {
          return (this.fifo[core].length ? 1 : 0) | (this.fifo[1 - core].length < FIFO_WORDS ? 2 : 0);
        }
        if (offset !== FIFO_READ) return read.call(block, offset);
        const word = this.fifo[core].shift() ?? 0;
        this.#raise();
        return word;
      };
      block.writeUint32 = (offset, value) => {
        if (offset === FIFO_WRITE) this.#send(1 - core, value >>> 0);
        else if (offset !== FIFO_STATUS) write.call(block, offset, value);
      };
    });
  }

  // Core 1 is reset and launched through the power manager.
  #watchPower() {
    const power = this.mcu.peripherals[0x40010];
    const write = power.writeUint32;
    power.writeUint32 = (offset, value) => {
      const was = power.frceOff & POWER_OF_CORE_1;
      write.call(power, offset, value);
      const off = power.frceOff & POWER_OF_CORE_1;
      if (!was && off) {
        this.running = false;
        this.cores[1] = new Core(this.mcu, this.mcu.core.xip);
        this.fifo[0].length = this.fifo[1].length = 0;
        this.#raise();
      } else if (was && !off) {
        this.words = [];
        this.fifo[1].length = 0;
        this.#send(0, 0); // the boot ROM reports that it is ready
      }
    };
  }

  // Send a word to a core. Core 1 in its boot ROM treats it as a word of the handshake and echoes it.
  #send(core, word) {
    if (core === 1 && !this.running) {
      const wanted = HANDSHAKE[this.words.length];
      if (wanted === undefined || wanted === word) this.words.push(word);
      else this.words = word === 0 ? [0] : [];
      if (this.fifo[0].length < FIFO_WORDS) this.fifo[0].push(word);
      if (this.words.length === HANDSHAKE.length + 3) this.#launch(...this.words.slice(HANDSHAKE.length));
    } else if (this.fifo[core].length < FIFO_WORDS) {
      this.fifo[core].push(word);
    }
    this.#raise();
    this.#sendEvent();
  }

  #launch(vectors, stack, entry) {
    const core = this.cores[1];
    core.VTOR = vectors;
    core.SP = stack;
    core.PC = entry & ~1;
    // When the entry function returns, the boot ROM waits for another launch.
    this.mcu.bootrom[WAIT_LOOP >> 2] = WFE_AND_BRANCH_BACK;
    core.LR = WAIT_LOOP | 1;
    core.waiting = false;
    this.times[1] = this.times[0];
    this.running = true;
  }

  #raise() {
    this.cores[0].setInterrupt(INTERRUPTS[0], this.fifo[0].length > 0);
    if (this.running) this.cores[1].setInterrupt(INTERRUPTS[1], this.fifo[1].length > 0);
  }

  #sendEvent() {
    for (const core of this.cores) {
      if (core.waiting) core.waiting = false;
      else core.eventRegistered = true;
    }
  }

  get #active() {
    return this.running && !this.cores[1].waiting;
  }

  get waiting() {
    return this.cores[0].waiting && !this.#active;
  }

  // Execute one instruction; return the cycles by which the chip's time advances.
  step() {
    const { mcu, cores, blocks, times } = this;
    if (mcu.stream.busy) mcu.stream.advance(mcu.stream.time());
    const asleep = cores[0].waiting;
    if (this.#active && (asleep || times[1] < times[0])) {
      const core = cores[1];
      const before = core.cycles;
      mcu.core = core;
      mcu.sio = blocks[1];
      core.now = times[1];
      core.executeInstruction();
      mcu.core = cores[0];
      mcu.sio = blocks[0];
      times[1] += core.cycles - before;
      if (!asleep) return 0;
      const passed = Math.max(times[1] - times[0], 0);
      times[0] = Math.max(times[0], times[1]);
      return passed;
    }
    const before = cores[0].cycles;
    cores[0].now = times[0];
    cores[0].executeInstruction();
    const passed = cores[0].cycles - before;
    times[0] += passed;
    if (!this.#active) times[1] = times[0];
    return passed;
  }
}
