// pico emulator: a benchmark's interface board at a Pico's pins: I2S master, and a clock for edges
// MIT license; Copyright (c) 2026 the tflm authors

import { GPIOPinState } from 'rp2040js';

const RATE = 16000;
const FRAME_BITS = 32; // two slots of 16 bits
const HALF = 1e9 / (RATE * FRAME_BITS * 2); // nanoseconds of half a period of the bit clock

// Tells of each change of these pins: told(pin, level, nanoseconds).
export function watchPins(mcu, clock, pins, told) {
  for (const pin of pins) {
    mcu.gpio[pin].addListener((state) => {
      if (state === GPIOPinState.Low || state === GPIOPinState.High) told(pin, state, clock.nanos);
    });
  }
}

// Returns play(bytes, ended): frames of two int16, left and right, little-endian, go out as I2S of
// Philips has it, then the clocks stop. Data and word select change while the bit clock falls; the
// select does so a period before a slot's highest bit.
export function connectI2sMaster(mcu, clock, clockPin, selectPin, dataPin) {
  const [bitClock, select, data] = [clockPin, selectPin, dataPin].map((pin) => mcu.gpio[pin]);
  let slots = null;
  let bit = 0; // of all that are played
  let high = false; // the bit clock
  let due = 0; // nanoseconds
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
    bit = -2; // the select falls a period before the first frame
    high = false;
    bitClock.setInputValue(false);
    select.setInputValue(true);
    due = clock.nanos + HALF;
    alarm.schedule(HALF);
  };
}
