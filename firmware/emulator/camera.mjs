// pico emulator: the cameras HM01B0 and OV7670 at a Pico's pins, with frames from a file
// MIT license; Copyright (c) 2026 the tflm authors

// A camera has registers at an I2C bus. It sends frames only with the settings that are simulated here.
// A frame takes its real time. If no state machine of a PIO runs at its start, the pins do not change.

import { Registers, connectI2c } from './i2c.mjs';

const SECOND = 1e9; // nanoseconds

// Return the means of all complete blocks of `size` by `size` pixels.
function means(frame, columns, lines, size) {
  const width = Math.floor(columns / size);
  const height = Math.floor(lines / size);
  const found = new Uint8Array(width * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      let sum = 0;
      for (let i = 0; i < size * size; i++) {
        sum += frame[(size * y + Math.floor(i / size)) * columns + size * x + (i % size)];
      }
      found[y * width + x] = Math.floor(sum / (size * size));
    }
  }
  return { pixels: found, width, height };
}

// Base class: sends the frames of a file in order, then repeats the last one.
class Camera extends Registers {
  #at = 0;

  constructor(mcu, clock, bytes, pins) {
    super();
    this.mcu = mcu;
    this.clock = clock;
    this.bytes = bytes;
    this.pins = pins; // pin numbers: data, pclk, hsync, vsync
    this.reset();
    this.alarm = clock.createAlarm(() => this.#advance());
    this.sending = null;
  }

  reset() {
    this.file = new Map();
  }

  get(register) {
    return this.file.get(register) ?? 0;
  }

  set(register, value) {
    this.file.set(register, value);
    if (!this.streaming()) return;
    if (!this.sending) {
      this.sending = this.#forever();
      this.#advance();
    }
  }

  pin(name, value) {
    this.mcu.gpio[this.pins[name]].setInputValue(Boolean(value));
  }

  #advance() {
    const { value } = this.sending.next();
    this.alarm.schedule(value);
  }

  // Drive the pins; yield the nanoseconds until the next change.
  *#forever() {
    for (;;) {
      const size = this.columns * this.lines;
      const last = Math.floor(this.bytes.length / size) - 1;
      const begin = size * Math.min(this.#at, last);
      const frame = this.bytes.subarray(begin, begin + size);
      const seen = this.mcu.pio.some(({ machines }) => machines.some(({ enabled }) => enabled));
      if (seen && this.streaming()) {
        this.#at++;
        yield* this.frame(frame);
      } else {
        yield this.period;
      }
    }
  }
}

// HM01B0 datasheet, revision 6, with 2x2 binning on one data wire: the highest bit comes first, the clock
// runs only during pixels, and data change at its falling edge.
class Hm01b0 extends Camera {
  wide = 2;
  columns = 324;
  lines = 244;
  period = SECOND / 30;

  reset() {
    super.reset();
    this.file.set(0x0000, 0x01).set(0x0001, 0xb0);
  }

  set(register, value) {
    if (register === 0x0103) this.reset();
    else super.set(register, value);
  }

  streaming() {
    const has = (register, value) => this.get(register) === value;
    return has(0x0100, 1) && has(0x3010, 1) && has(0x0383, 3) && has(0x0387, 3) && has(0x0390, 3)
      && has(0x3059, 0x22) && has(0x3060, 0x30);
  }

  *frame(frame) {
    const { pixels, width, height } = means(frame, this.columns, this.lines, 2);
    const line = this.period / ((this.get(0x0340) << 8) | this.get(0x0341));
    const bit = line / ((this.get(0x0342) << 8) | this.get(0x0343)) / 8;
    const dark = this.period - line * height;
    this.pin('vsync', 1);
    yield dark / 2;
    for (let y = 0; y < height; y++) {
      this.pin('hsync', 1);
      for (let x = 0; x < width; x++) {
        const pixel = pixels[y * width + x];
        for (let i = 7; i >= 0; i--) {
          this.pin('data', (pixel >> i) & 1);
          yield bit / 2;
          this.pin('pclk', 1);
          yield bit / 2;
          this.pin('pclk', 0);
        }
      }
      this.pin('hsync', 0);
      yield line - 8 * width * bit;
    }
    this.pin('vsync', 0);
    yield dark / 2;
  }
}

// OV7670 datasheet, version 1.4, and implementation guide, with columns and lines divided by 4. Bytes are
// brightness and colour in turn. Its input clock is assumed to be 10 MHz.
class Ov7670 extends Camera {
  columns = 640;
  lines = 480;
  clockHz = 10e6;
  period = (SECOND * 510 * 784 * 2) / 10e6;

  reset() {
    super.reset();
    this.file.set(0x0a, 0x76).set(0x0b, 0x73).set(0x11, 0x80).set(0x3a, 0x0d);
  }

  set(register, value) {
    if (register === 0x12 && value & 0x80) this.reset();
    else super.set(register, value);
  }

  streaming() {
    const has = (register, value) => this.get(register) === value;
    return has(0x11, 0) && has(0x12, 0) && has(0x0c, 4) && has(0x3e, 0x1a) && has(0x72, 0x22)
      && has(0x73, 0xf2) && !(this.get(0x3a) & 8) && !(this.get(0x3d) & 1) && has(0x15, 0x20);
  }

  byte(value) {
    for (let i = 0; i < 8; i++) {
      this.mcu.gpio[this.pins.data + i].setInputValue(Boolean((value >> i) & 1));
    }
  }

  *frame(frame) {
    const { pixels, width, height } = means(frame, this.columns, this.lines, 4);
    const line = (4 * 784 * 2 * SECOND) / this.clockHz; // one line of the output takes four lines of the sensor
    const clock = (4 * SECOND) / this.clockHz;
    this.pin('vsync', 1);
    yield (3 / 4) * line;
    this.pin('vsync', 0);
    yield 5 * line;
    for (let y = 0; y < height; y++) {
      this.pin('hsync', 1);
      for (let i = 0; i < 2 * width; i++) {
        const at = y * width + (i >> 1);
        this.byte(i & 1 ? pixels[at] ^ 0x5a : pixels[at]);
        yield clock / 2;
        this.pin('pclk', 1);
        yield clock / 2;
        this.pin('pclk', 0);
      }
      this.pin('hsync', 0);
      yield line - 2 * width * clock;
    }
    yield this.period - (height + 5.75) * line;
  }
}

const CAMERAS = { hm01b0: [Hm01b0, 0x24], ov7670: [Ov7670, 0x21] };

// Connect the camera `name` to an I2C bus and pins. bytes: frames of 324x244 (HM01B0) or 640x480 pixels
// (OV7670), one byte per pixel.
export function connectCamera(mcu, clock, bytes, name, bus, data, pclk, hsync, vsync) {
  if (!CAMERAS[name]) throw new Error(`no camera ${name}; choose one of ${Object.keys(CAMERAS).join(', ')}`);
  const [Kind, address] = CAMERAS[name];
  const camera = new Kind(mcu, clock, bytes, { data, pclk, hsync, vsync });
  connectI2c(mcu.i2c[bus], mcu, clock, { [address]: camera });
}
