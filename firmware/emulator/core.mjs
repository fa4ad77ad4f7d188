// pico emulator: rp2040js' core with the cycles of a Cortex-M0+ and the time that it waits for flash
// MIT license; Copyright (c) 2026 the tflm authors

import { CortexM0Core } from './node_modules/rp2040js/dist/esm/cortex-m0-core.js';

const PUSH_LR = 0xb5;
const POP_PC = 0xbd;
const isFlash = (address) => address >>> 26 === 4; // 0x10000000 to 0x13ffffff

export class Core extends CortexM0Core {
  // xip: the model of flash whose read() returns cycles to wait, or null for no wait.
  constructor(mcu, xip = null) {
    super(mcu);
    this.xip = xip;
    this.now = 0; // cycle at which the instruction begins; both cores count the same time
    this.instructions = 0;
    this.waited = 0; // part of `cycles` that was spent waiting for flash
    this.opcode = 0;
    this.fetched = -1; // address of the last fetched word of code
    this.wait = 0; // cycles that this instruction waits
  }

  // Execute one instruction. rp2040js does not count the cycles of LR in a PUSH and of PC in a POP.
  executeInstruction() {
    this.wait = 0;
    super.executeInstruction();
    const kind = this.opcode >> 8;
    this.cycles += this.wait + (kind === PUSH_LR || kind === POP_PC ? 1 : 0);
    this.waited += this.wait;
    this.instructions++;
  }

  #read(address, code) {
    this.wait += this.xip.read(address >>> 0, this.now + this.wait, code);
  }

  // rp2040js also reads instructions here: the first half at PC, the second half at PC + 2. A real core
  // fetches words.
  readUint16(address) {
    const value = this.rp2040.readUint16(address);
    const offset = address - (this.registers[15] & ~1);
    if (offset === 0) this.opcode = value;
    if (this.xip !== null) {
      if (offset === 0 || offset === 2) {
        const word = address & ~3;
        if (word !== this.fetched) {
          this.fetched = word;
          if (isFlash(address)) this.#read(word, true);
        }
      } else if (isFlash(address)) {
        this.#read(address, false);
      }
    }
    return value;
  }

  readUint32(address) {
    if (this.xip !== null && isFlash(address)) this.#read(address, false);
    return this.rp2040.readUint32(address);
  }

  readUint8(address) {
    if (this.xip !== null && isFlash(address)) this.#read(address, false);
    return this.rp2040.readUint8(address);
  }
}
