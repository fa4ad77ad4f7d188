// pico emulator: a Pico with its power on: serial port, resets, time that keeps pace with ours
// MIT license; Copyright (c) 2026 the tflm authors

import { makeChip } from './chip.mjs';
import { TwoCores } from './two_cores.mjs';
import { UartSerial, UsbSerial } from './serial.mjs';

const WATCHDOG = 0x40058; // as rp2040js names devices
const STEPS = 1000; // instructions between two looks at the serial port
const ROUNDS = 400; // such looks between two looks at the world outside
const SHORT = 20_000; // nanoseconds to sleep while bytes wait
const MILLISECOND = 1e6; // nanoseconds

// Knows nothing of where it runs, be it node or a web page: whoever has it calls run() over and over.
export class Board {
  #fillFlash;
  #options;
  #queue = []; // bytes for the serial port
  #anchor = null; // a moment of our time and of the board's, since it sleeps
  #reset = false;

  // rom: bytes of the boot ROM. fillFlash(flash): puts into it what is there at power-on.
  // send(bytes): takes what the serial port says. fault(text): is called for what stops a real chip.
  // miss: cycles that a miss of the XIP cache takes (48 is a Pico's), 0 not to wait for flash.
  // uart: the port is UART 0 instead of USB. fast: while the board sleeps, time runs as fast as it can.
  // started(mcu, clock): is called after power-on and after each reset.
  constructor({ rom, fillFlash, send, fault, miss = 0, uart = false, fast = false, started = () => {} }) {
    this.#fillFlash = fillFlash;
    this.#options = { rom, send, fault, miss, uart, fast, started };
    this.#start();
  }

  // What flash holds.
  get flash() {
    return this.mcu.flash;
  }

  // Send bytes to the serial port.
  write(bytes) {
    for (const byte of bytes) this.#queue.push(byte);
  }

  // The chip from power-on.
  #start() {
    const { rom, send, fault, miss, uart, started } = this.#options;
    const { mcu, clock } = makeChip(rom, this.#fillFlash, fault, miss);
    this.mcu = mcu;
    this.clock = clock;
    this.cores = new TwoCores(mcu);
    this.serial = uart ? new UartSerial(mcu, send, clock) : new UsbSerial(mcu, send);
    this.#anchor = null;
    mcu.peripherals[WATCHDOG].onWatchdogTrigger = () => { this.#reset = true; };
    started(mcu, clock);
  }

  // Let time pass while the cores sleep; returns false when the world outside has to catch up.
  #sleep() {
    const { clock, serial } = this;
    const bytes = this.#queue.length > 0 || serial.waiting;
    let wait = clock.nanosToNextAlarm;
    if (wait <= 0) wait = MILLISECOND;
    if (bytes) wait = Math.min(wait, SHORT);
    if (bytes || this.#options.fast) {
      this.#anchor = null;
    } else {
      // Simulated time may not run ahead of ours.
      const now = performance.now() * MILLISECOND;
      this.#anchor ??= { real: now, simulated: clock.nanos };
      const room = this.#anchor.simulated + (now - this.#anchor.real) - clock.nanos;
      if (room < wait) {
        if (room > 0) clock.tick(room);
        return false;
      }
    }
    clock.tick(wait);
    if (bytes) serial.feed(this.#queue);
    return true;
  }

  // Run a while, some hundredths of a second of ours; returns true when the board sleeps.
  run() {
    let asleep = false;
    for (let round = 0; round < ROUNDS && !asleep; round++) {
      this.serial.feed(this.#queue);
      const cycle = 1e9 / this.mcu.clkSys;
      for (let i = 0; i < STEPS; i++) {
        if (this.cores.waiting) {
          if (!this.#sleep()) {
            asleep = true;
            break;
          }
        } else {
          const cycles = this.cores.step();
          if (cycles) this.clock.tick(cycles * cycle);
          this.#anchor = null;
        }
      }
      if (this.#reset) this.#startAgain();
    }
    return asleep;
  }

  // After a reset flash holds what it held before.
  #startAgain() {
    this.#reset = false;
    const flash = this.flash.slice();
    this.#fillFlash = (target) => target.set(flash);
    this.#start();
  }
}
