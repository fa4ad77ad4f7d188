// pico emulator: loads images into flash: .uf2 files, and .bin files for the start of flash
// MIT license; Copyright (c) 2026 the tflm authors

const FLASH = 0x10000000;
const BLOCK = 512;
const MAGIC = 0x0a324655;

// Load an image, the bytes of the file `name`, into `flash`. Throws an Error if it is invalid.
export function loadImage(flash, data, name) {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  if (data.length < BLOCK || view.getUint32(0, true) !== MAGIC) {
    if (data.length > flash.length) throw new Error(`${name} is larger than the flash`);
    flash.set(data, 0);
    return;
  }
  for (let at = 0; at + BLOCK <= data.length; at += BLOCK) {
    const offset = view.getUint32(at + 12, true) - FLASH;
    const bytes = view.getUint32(at + 16, true);
    if (view.getUint32(at, true) !== MAGIC || offset < 0 || offset + bytes > flash.length) {
      throw new Error(`${name} is not an image for a Pico: its block ${at / BLOCK} is wrong`);
    }
    flash.set(data.subarray(at + 32, at + 32 + bytes), offset);
  }
}
