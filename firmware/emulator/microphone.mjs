// pico emulator: a PDM microphone at two pins, which says the bits of a file
// MIT license; Copyright (c) 2026 the tflm authors

import { GPIOPinState } from 'rp2040js';

// bytes: the bits, the lowest of a byte first. It is a left one (L/R at ground): a bit is there from
// where its clock falls until it rises; then, and behind the last one, the line is pulled down.
export function connectMicrophone(mcu, bytes, clockPin, dataPin) {
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
