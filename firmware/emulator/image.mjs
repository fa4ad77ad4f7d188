// pico emulator: images of flash: .uf2 files, and .bin files that lie at the start of flash
// MIT license; Copyright (c) 2026 the tflm authors

import fs from 'node:fs';

const FLASH = 0x10000000;
const BLOCK = 512;
const MAGIC = 0x0a324655;

// Put an image into `flash`, a Uint8Array; throws an Error that says what is wrong.
export function loadImage(flash, file) {
  const data = fs.readFileSync(file);
  if (data.length < BLOCK || data.readUInt32LE(0) !== MAGIC) {
    if (data.length > flash.length) throw new Error(`${file} is larger than the flash`);
    flash.set(data, 0);
    return;
  }
  for (let at = 0; at + BLOCK <= data.length; at += BLOCK) {
    const offset = data.readUInt32LE(at + 12) - FLASH;
    const bytes = data.readUInt32LE(at + 16);
    if (data.readUInt32LE(at) !== MAGIC || offset < 0 || offset + bytes > flash.length) {
      throw new Error(`${file} is no image for a Pico: its block ${at / BLOCK} is wrong`);
    }
    flash.set(data.subarray(at + 32, at + 32 + bytes), offset);
  }
}
