// pico emulator: rp2040js' core with the cycles of a Cortex-M0+, which waits for flash
// MIT license; Copyright (c) 2026 the tflm authors

import { CortexM0Core } from './node_modules/rp2040js/dist/esm/cortex-m0-core.js';

const PUSH_LR = 0xb5;
const POP_PC = 0xbd;
const isFlash = (address) => address >>> 26 === 4; // 0x10000000 to 0x13ffffff

export class Core extends CortexM0Core {
  // xip: what flash makes the core wait for, null for nothing.
  constructor(mcu, xip = null) {
    super(mcu);
    this.xip = xip;
    this.now = 0; // the cycle that an instruction begins at, of both cores
    this.instructions = 0;
    this.waited = 0; // cycles for flash, of `cycles`
    this.opcode = 0;
    this.fetched = -1; // the word that instructions came from last
    this.wait = 0; // of this instruction
  }

  // One instruction. rp2040js leaves out LR of a PUSH and PC of a POP, a cycle each.
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

  // rp2040js takes instructions from here too: the first half at PC, the other one behind it. A
  // core fetches words.
  readUint16(address) {
    const value = this.rp2040.readUint16(address);
    const behind = address - (this.registers[15] & ~1);
    if (behind === 0) this.opcode = value;
    if (this.xip !== null) {
      if (behind === 0 || behind === 2) {
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
