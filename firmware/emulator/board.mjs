// pico emulator: a Pico with its power on: runs it in real time, with its serial port and resets
// MIT license; Copyright (c) 2026 the tflm authors

import { BOOTLOADER, makeChip } from './chip.mjs';
import { TwoCores } from './two_cores.mjs';
import { UartSerial, UsbSerial } from './serial.mjs';

const RAM = 0x20000000;
const WATCHDOG = 0x40058; // rp2040js names devices by the upper bits of their address
const STEPS = 1000; // instructions between two checks of the serial port
const ROUNDS = 400; // such checks in one call of run()
const SHORT = 20_000; // nanoseconds to sleep while bytes wait
const MILLISECOND = 1e6; // nanoseconds

// Runs in node and in a web page. The caller calls run() repeatedly.
export class Board {
  #fillFlash;
  #options;
  #queue = []; // bytes for the serial port
  #anchor = null; // real and simulated time when the board fell asleep
  #reset = false;

  // rom: bytes of the boot ROM. fillFlash(flash): writes the content of flash at power-on.
  // send(bytes): receives the output of the serial port. fault(text): called for errors that stop a real
  // chip. miss: cycles of a miss of the XIP cache (48 on a real Pico), 0 for no wait.
  // uart: the port is UART 0 instead of USB. fast: skip the time that the board sleeps.
  // clock: how many times as fast the core runs as its firmware believes.
  // started(mcu, clock): called after power-on and after each reset. bootloader(): called when the board
  // enters its USB bootloader; without it, the board is reset.
  constructor({ rom, fillFlash, send, fault, miss = 0, uart = false, fast = false, clock = 1, started = () => {}, bootloader = null }) {
    this.#fillFlash = fillFlash;
    this.#options = { rom, send, fault, miss, uart, fast, factor: clock, started, bootloader };
    this.#start();
  }

  // The content of flash.
  get flash() {
    return this.mcu.flash;
  }

  // Send bytes to the serial port.
  write(bytes) {
    for (const byte of bytes) this.#queue.push(byte);
  }

  // Write bytes into RAM, as the DMA of a sensor does; an address outside of RAM writes nothing.
  store(address, bytes) {
    const { sram } = this.mcu;
    const start = address - RAM;
    if (start >= 0 && start + bytes.length <= sram.length) sram.set(bytes, start);
  }

  // Make a chip at power-on.
  #start() {
    const { rom, send, fault, miss, uart, started } = this.#options;
    const { mcu, clock } = makeChip(rom, this.#fillFlash, fault, miss);
    this.mcu = mcu;
    this.clock = clock;
    this.cores = new TwoCores(mcu);
    this.serial = uart ? new UartSerial(mcu, send, clock) : new UsbSerial(mcu, send);
    this.#anchor = null;
    this.#watchResets();
    started(mcu, clock);
  }

  // Resets happen after the current steps (run). Until then the watchdog must be off: its alarm would be
  // due again at once, and time would stand still.
  #watchResets() {
    const { mcu } = this;
    const watchdog = mcu.peripherals[WATCHDOG];
    watchdog.onWatchdogTrigger = () => {
      watchdog.alarm.enable = false;
      watchdog.timer.enable = false;
      this.#reset = true;
    };
    const { bootloader } = this.#options;
    const stop = mcu.onBreak;
    mcu.onBreak = (code) => {
      if (code !== BOOTLOADER) stop(code);
      else if (bootloader) bootloader();
      else this.#reset = true;
    };
  }

  // Let time pass while the cores sleep; return false if real time has to catch up.
  #sleep() {
    const { clock, serial } = this;
    const bytes = this.#queue.length > 0 || serial.waiting;
    let wait = clock.nanosToNextAlarm;
    if (wait <= 0) wait = MILLISECOND;
    if (bytes) wait = Math.min(wait, SHORT);
    if (bytes || this.#options.fast) {
      this.#anchor = null;
    } else {
      // Simulated time may not run ahead of real time.
      const now = performance.now() * MILLISECOND;
      this.#anchor ??= { real: now, simulated: clock.nanos };
      const left = this.#anchor.simulated + (now - this.#anchor.real) - clock.nanos;
      if (left < wait) {
        if (left > 0) clock.tick(left);
        return false;
      }
    }
    clock.tick(wait);
    if (bytes) serial.feed(this.#queue);
    return true;
  }

  // Run for some hundredths of a second of real time; return true if the board sleeps.
  run() {
    let asleep = false;
    for (let round = 0; round < ROUNDS && !asleep; round++) {
      this.serial.feed(this.#queue);
      const cycle = 1e9 / (this.mcu.clkSys * this.#options.factor);
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

  // Start again after a reset, with the same content of flash.
  #startAgain() {
    this.#reset = false;
    const flash = this.flash.slice();
    this.#fillFlash = (target) => target.set(flash);
    this.#start();
  }
}
