// pico emulator: an RP2040 of rp2040js with a boot ROM, and with fixes of its differences to hardware
// MIT license; Copyright (c) 2026 the tflm authors

import { GPIOPinState, RP2040 } from 'rp2040js';
import { Core } from './core.mjs';
import { pacePio } from './pio.mjs';
import { SimulationClock } from './node_modules/rp2040js/dist/esm/clock/simulation-clock.js';
import { Stream } from './stream.mjs';
import { Xip } from './xip.mjs';

export const LED = 25;
export const BOOTLOADER = 0x42; // number of the breakpoint that replaces the boot ROM's USB bootloader

const SSI = 0x18000; // rp2040js names devices by the upper bits of their address
const XIP_CONTROL = 0x14000;
const XIP_AUXILIARY = 0x50400;
const UART_DATA = 0;
const UART_SENT = 0x20; // interrupt of an empty transmit queue

// Thumb code that replaces routines of the boot ROM. rp2040js does not emulate the serial flash's
// registers, but programs can write to the address window of flash.
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
// The routine must preserve r4.
const PROGRAM_SAVING = [0xb410, ...PROGRAM.slice(0, -1), 0xbc10, 0x4770];
const ROUTINES = {
  IF: RETURN, // connect the flash chip
  EX: RETURN, // end reading in place
  FC: FLUSH, // flush the cache
  CX: RETURN, // read in place again
  RE: ERASE,
  RP: PROGRAM_SAVING,
  UB: [0xbe00 | BOOTLOADER, 0xe7fe], // wait in the USB bootloader: breakpoint, then an endless loop
};

// Replace the ROUTINES in the boot ROM's table of functions.
function replaceRoutines(bootrom) {
  const view = new DataView(bootrom.buffer);
  for (let entry = view.getUint16(0x14, true); view.getUint16(entry, true); entry += 4) {
    const name = String.fromCharCode(view.getUint8(entry), view.getUint8(entry + 1));
    const address = view.getUint16(entry + 2, true) & ~1;
    (ROUTINES[name] ?? []).forEach((word, i) => view.setUint16(address + 2 * i, word, true));
  }
}

// Report unaligned accesses, which fault on a Cortex-M0+ but not in rp2040js.
function checkAlignment(mcu, fault) {
  for (const [name, mask] of [['readUint32', 3], ['writeUint32', 3], ['readUint16', 1], ['writeUint16', 1]]) {
    const access = mcu[name];
    mcu[name] = function (address, value) {
      if (address & mask) fault(`unaligned ${name} at 0x${(address >>> 0).toString(16)}`);
      return access.call(this, address, value);
    };
  }
}

// Raise a UART's transmit interrupt after each sent byte, like hardware. rp2040js raises it permanently.
function fixUart(uart) {
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

// Make a pin read its driven or pulled level. rp2040js only reads levels set from outside.
function readBack(pin) {
  pin.addListener((state) => pin.setInputValue(state === GPIOPinState.High || state === GPIOPinState.InputPullUp));
}

// Make a chip. rom: bytes of the boot ROM. fillFlash(flash): writes the content of flash at power-on.
// fault(text): called for errors that stop a real chip. miss: cycles of a miss of the XIP cache while
// flash runs at half the core's clock, 0 for no wait.
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
  mcu.uart.forEach(fixUart);
  mcu.gpio.forEach(readBack);
  mcu.pio.forEach((block) => pacePio(block, mcu, clock));
  fillFlash(mcu.flash);
  mcu.core.reset();
  // Skip the boot ROM's start code, which needs the flash chip's registers.
  mcu.core.PC = 0x10000000;
  mcu.core.LR = 0;
  return { mcu, clock, xip };
}
