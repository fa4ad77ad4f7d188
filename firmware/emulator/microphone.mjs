// pico emulator: microphones at a Pico's pins that say what a file has: PDM and I2S
// MIT license; Copyright (c) 2026 the tflm authors

import { GPIOPinState } from 'rp2040js';

// bytes: the bits, the lowest of a byte first. It is a left one (L/R at ground): a bit is there from
// where its clock falls until it rises; then, and behind the last one, the line is pulled down.
export function connectPdm(mcu, bytes, clockPin, dataPin) {
  const data = mcu.gpio[dataPin];
  let next = 0;
  let before = GPIOPinState.Input;
  mcu.gpio[clockPin].addListener((state) => {
    if (state === GPIOPinState.Low && before === GPIOPinState.High) {
      data.setInputValue(Boolean((bytes[next >> 3] >> (next & 7)) & 1));
      next++;
    } else if (state === GPIOPinState.High) {
      data.setInputValue(false);
    }
    before = state;
  });
}

// bytes: slots of 32 bits, little-endian, left and right in turn. The highest bit of a slot comes
// where the clock falls after the rise that saw another word select (I2S as Philips has it).
export function connectI2s(mcu, bytes, clockPin, selectPin, dataPin) {
  const slots = new DataView(bytes.buffer, bytes.byteOffset, bytes.length & ~3);
  const data = mcu.gpio[dataPin];
  const select = mcu.gpio[selectPin];
  let right = true;
  let slot = 0;
  let at = -1; // of the slot in `bytes`
  let bit = 0;
  mcu.gpio[clockPin].addListener((state) => {
    if (state === GPIOPinState.High) {
      const now = select.value === GPIOPinState.High;
      if (now === right) return;
      right = now;
      at++;
      slot = 4 * at < slots.byteLength ? slots.getInt32(4 * at, true) : 0;
      bit = 32;
    } else if (state === GPIOPinState.Low) {
      bit--;
      data.setInputValue(bit >= 0 && Boolean((slot >>> bit) & 1));
    }
  });
}
