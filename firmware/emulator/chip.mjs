// pico emulator: an RP2040 of rp2040js with a boot ROM, mended where hardware does otherwise
// MIT license; Copyright (c) 2026 the tflm authors

import { GPIOPinState, RP2040 } from 'rp2040js';
import { Core } from './core.mjs';
import { pacePio } from './pio.mjs';
import { SimulationClock } from './node_modules/rp2040js/dist/esm/clock/simulation-clock.js';
import { Stream } from './stream.mjs';
import { Xip } from './xip.mjs';

export const LED = 25;

const SSI = 0x18000; // devices by the upper bits of their address, as rp2040js has them
const XIP_CONTROL = 0x14000;
const XIP_AUXILIARY = 0x50400;
const UART_DATA = 0;
const UART_SENT = 0x20; // the interrupt of an empty transmit queue

// Thumb code in place of routines of the boot ROM: rp2040js has no serial flash behind its
// registers, but lets programs write to the window where flash is read.
const RETURN = [0x4770]; // bx lr
const FLUSH = [0x2005, 0x0680, 0x6040, 0x4770]; // r0 = 5 << 26, the cache's registers; store at r0 + 4
const ERASE = [ // r0: offset, r1: bytes
  0x2201, 0x0712, 0x1880, // r0 += 1 << 28, the window
  0x2200, 0x43d2, //         r2 = -1
  0x3904, 0xd401, //         next: r1 -= 4; if negative, done
  0xc004, 0xe7fb, //         store r2 at r0, r0 += 4; again
  0x4770,
];
const PROGRAM = [ // r0: offset, r1: data, r2: bytes; programming only clears bits
  0x2301, 0x071b, 0x18c0, // r0 += 1 << 28
  0x3a01, 0xd406, //         next: r2 -= 1; if negative, done
  0x780b, 0x7804, //         r3 = *r1, r4 = *r0
  0x4023, 0x7003, //         *r0 = r3 & r4
  0x3101, 0x3001, 0xe7f6, // r1 += 1, r0 += 1; again
  0x4770,
];
// The routine saves r4, which its caller keeps.
const PROGRAM_SAVING = [0xb410, ...PROGRAM.slice(0, -1), 0xbc10, 0x4770];
const ROUTINES = {
  IF: RETURN, // connect the flash chip
  EX: RETURN, // leave reading in place
  FC: FLUSH, // the cache
  CX: RETURN, // read in place again
  RE: ERASE,
  RP: PROGRAM_SAVING,
};

// Replace the routines that the boot ROM's table of functions names.
function replaceRoutines(bootrom) {
  const view = new DataView(bootrom.buffer);
  for (let entry = view.getUint16(0x14, true); view.getUint16(entry, true); entry += 4) {
    const name = String.fromCharCode(view.getUint8(entry), view.getUint8(entry + 1));
    const address = view.getUint16(entry + 2, true) & ~1;
    (ROUTINES[name] ?? []).forEach((word, i) => view.setUint16(address + 2 * i, word, true));
  }
}

// Unaligned access faults on a Cortex-M0+; rp2040js lets it pass.
function checkAlignment(mcu, fault) {
  for (const [name, mask] of [['readUint32', 3], ['writeUint32', 3], ['readUint16', 1], ['writeUint16', 1]]) {
    const access = mcu[name];
    mcu[name] = function (address, value) {
      if (address & mask) fault(`unaligned ${name} at 0x${(address >>> 0).toString(16)}`);
      return access.call(this, address, value);
    };
  }
}

// rp2040js raises a UART's transmit interrupt for ever; hardware does when a byte was sent.
function mendUart(uart) {
  uart.checkInterrupts = function () {
    this.rp2040.setInterrupt(this.irq, Boolean(this.interruptStatus & this.interruptMask));
  };
  const write = uart.writeUint32;
  uart.writeUint32 = function (offset, value) {
    write.call(this, offset, value);
    if (offset === UART_DATA) {
      this.interruptStatus |= UART_SENT;
      this.checkInterrupts();
    }
  };
}

// Reading a pin gives what it is driven or pulled to; rp2040js gives what was set from outside alone.
function readBack(pin) {
  pin.addListener((state) => pin.setInputValue(state === GPIOPinState.High || state === GPIOPinState.InputPullUp));
}

// A chip with the bytes of its boot ROM, and `fillFlash(flash)` to put into flash what is there at power-on.
// fault(text) is called for what stops a real chip. miss: cycles that a miss of the XIP cache takes
// while flash has half the core's clock, 0 for flash that nothing waits for.
export function makeChip(rom, fillFlash, fault, miss = 0) {
  const clock = new SimulationClock();
  const mcu = new RP2040(clock);
  const flash = new Xip(miss, () => mcu.peripherals[SSI].baudr);
  const xip = miss ? flash : null;
  mcu.core = new Core(mcu, xip);
  flash.stream = new Stream(() => flash.streamed, flash, (address) => mcu.readUint32(address), mcu.dma);
  mcu.stream = flash.stream;
  mcu.peripherals[XIP_CONTROL] = flash.registers;
  mcu.peripherals[XIP_AUXILIARY] = { readUint32: () => flash.stream.take(), writeUint32Atomic() {} };
  const where = () => {
    const hex = (value) => (value >>> 0).toString(16);
    return `pc 0x${hex(mcu.core.PC)}, lr 0x${hex(mcu.core.LR)}`;
  };
  const silent = () => {};
  mcu.logger = { debug: silent, info: silent, warn: silent, error: silent };
  mcu.loadBootrom(new Uint32Array(rom.buffer.slice(rom.byteOffset, rom.byteOffset + (rom.length & ~3))));
  replaceRoutines(mcu.bootrom);
  checkAlignment(mcu, (text) => fault(`${text}, ${where()}`));
  mcu.onBreak = (code) => fault(`breakpoint ${code}, ${where()}`);
  mcu.uart.forEach(mendUart);
  mcu.gpio.forEach(readBack);
  mcu.pio.forEach((block) => pacePio(block, mcu, clock));
  fillFlash(mcu.flash);
  mcu.core.reset();
  // What the boot ROM does before this needs the flash chip's registers.
  mcu.core.PC = 0x10000000;
  mcu.core.LR = 0;
  return { mcu, clock, xip };
}
