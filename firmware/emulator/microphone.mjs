// pico emulator: PDM and I2S microphones at a Pico's pins, with sound from a file
// MIT license; Copyright (c) 2026 the tflm authors

import { GPIOPinState } from 'rp2040js';

// Connect a left PDM microphone (L/R at ground). bytes: its bits, the lowest bit of a byte first. A bit is
// valid from the falling to the rising edge of the clock. Otherwise, and after the last bit, the line is low.
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

// Connect an I2S microphone (Philips I2S). bytes: slots of 32 bits, little-endian, left and right in turn.
// The highest bit of a slot comes at the falling edge of the clock after a rising edge with a new word select.
export function connectI2s(mcu, bytes, clockPin, selectPin, dataPin) {
  const slots = new DataView(bytes.buffer, bytes.byteOffset, bytes.length & ~3);
  const data = mcu.gpio[dataPin];
  const select = mcu.gpio[selectPin];
  let right = true;
  let slot = 0;
  let at = -1; // index of the slot
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
