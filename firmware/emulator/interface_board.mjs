// pico emulator: a benchmark's interface board at a Pico's pins: an I2S master, and times of edges
// MIT license; Copyright (c) 2026 the tflm authors

import { GPIOPinState } from 'rp2040js';

const RATE = 16000;
const FRAME_BITS = 32; // two slots of 16 bits
const HALF = 1e9 / (RATE * FRAME_BITS * 2); // nanoseconds of half a period of the bit clock

// Call changed(pin, level, nanoseconds) at each change of these pins.
export function watchPins(mcu, clock, pins, changed) {
  for (const pin of pins) {
    mcu.gpio[pin].addListener((state) => {
      if (state === GPIOPinState.Low || state === GPIOPinState.High) changed(pin, state, clock.nanos);
    });
  }
}

// Return play(bytes, ended), which sends frames of two int16 (left and right, little-endian) as Philips I2S,
// then stops the clocks and calls ended(). Data and word select change at the falling edge of the bit
// clock. Word select changes one period before a slot's highest bit.
export function connectI2sMaster(mcu, clock, clockPin, selectPin, dataPin) {
  const [bitClock, select, data] = [clockPin, selectPin, dataPin].map((pin) => mcu.gpio[pin]);
  let slots = null;
  let bit = 0; // number of the bit since the start
  let high = false; // level of the bit clock
  let due = 0; // time of the next edge in nanoseconds
  let atEnd = () => {};

  const alarm = clock.createAlarm(() => {
    high = !high;
    bitClock.setInputValue(high);
    if (!high) {
      bit++;
      if (bit === 8 * slots.byteLength) {
        atEnd();
        return;
      }
      select.setInputValue((bit + 1) % FRAME_BITS >= FRAME_BITS / 2);
      const slot = bit < 0 ? 0 : slots.getUint16(2 * (bit >> 4), true);
      data.setInputValue(Boolean((slot >> (15 - (bit & 15))) & 1));
    }
    due += HALF;
    alarm.schedule(Math.max(due - clock.nanos, 0));
  });

  return (bytes, ended) => {
    slots = new DataView(bytes.buffer, bytes.byteOffset, bytes.length & ~3);
    atEnd = ended;
    bit = -2; // word select falls one period before the first frame
    high = false;
    bitClock.setInputValue(false);
    select.setInputValue(true);
    due = clock.nanos + HALF;
    alarm.schedule(HALF);
  };
}
