// pico emulator: accelerometers with a FIFO at a Pico's I2C bus, with samples from a file
// MIT license; Copyright (c) 2026 the tflm authors

import { Registers, connectI2c } from './i2c.mjs';

const AXES = 6; // values of a sample: three accelerations, three angular rates
const SECOND = 1e9; // nanoseconds

// Base class: puts the samples of a file into the FIFO at the sensor's rate while the FIFO is on. The last
// sample repeats.
class Sensor extends Registers {
  constructor(clock, bytes) {
    super();
    this.clock = clock;
    this.samples = new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + (bytes.length & ~1)));
    this.count = Math.floor(this.samples.length / AXES);
    this.taken = 0; // samples read from the file
    this.reset();
  }

  reset() {
    this.file = new Uint8Array(256);
    this.fifo = [];
    this.due = Infinity; // time of the next sample in nanoseconds
  }

  // Start sampling.
  run(rate) {
    this.period = SECOND / rate;
    this.due = this.clock.nanos + this.period;
  }

  // Put all samples until now into the FIFO.
  advance() {
    while (this.due <= this.clock.nanos) {
      const at = AXES * Math.min(this.taken, this.count - 1);
      this.put(this.samples.subarray(at, at + 3), this.samples.subarray(at + 3, at + AXES));
      this.taken++;
      this.due += this.period;
    }
  }
}

function bytesOf(values, bigEndian) {
  return [...values].flatMap((v) => (bigEndian ? [(v >> 8) & 0xff, v & 0xff] : [v & 0xff, (v >> 8) & 0xff]));
}

// MPU-6000 and MPU-6050 register map, revision 4.2. The sensor sleeps after a reset.
const MPU_BYTES = 1024;
class Mpu6050 extends Sensor {
  reset() {
    super.reset();
    this.file[0x6b] = 0x40;
    this.file[0x75] = 0x68;
  }

  set(register, value) {
    const { file } = this;
    this.advance();
    if (register === 0x6b && value & 0x80) return this.reset();
    if (register === 0x74 || register === 0x75) return;
    const was = file[0x6a];
    file[register] = value;
    if (register === 0x6a) {
      if (value & 0x04 && !(value & 0x40)) this.fifo = [];
      file[0x6a] &= ~0x04;
    }
    const on = file[0x6a] & 0x40 && !(file[0x6b] & 0x40);
    const filtered = (file[0x1a] & 7) > 0 && (file[0x1a] & 7) < 7;
    if (!on) this.due = Infinity;
    else if (!(was & 0x40) || this.due === Infinity) this.run((filtered ? 1000 : 8000) / (1 + file[0x19]));
  }

  put(accelerations, rates) {
    const into = this.file[0x23];
    if (into & 0x08) this.fifo.push(...bytesOf(accelerations, true));
    for (let axis = 0; axis < 3; axis++) {
      if (into & (0x40 >> axis)) this.fifo.push(...bytesOf(rates.subarray(axis, axis + 1), true));
    }
    while (this.fifo.length > MPU_BYTES) {
      this.fifo.shift();
      this.file[0x3a] |= 0x10;
    }
  }

  get(register) {
    this.advance();
    if (register === 0x72) {
      this.counted = this.fifo.length; // a later read of the lower byte returns the same count
      return this.counted >> 8;
    }
    if (register === 0x73) return this.counted;
    if (register === 0x74) return this.fifo.length ? this.fifo.shift() : 0xff;
    const value = this.file[register];
    if (register === 0x3a) this.file[0x3a] = 0;
    return value;
  }

  next(register) {
    return register === 0x74 ? register : super.next(register);
  }
}

const ST_RATES = [0, 12.5, 26, 52, 104, 208, 416, 833, 1666, 3332, 6664];

// Base class of LSM6DS3 and LSM6DSOX. The accelerometer's rate is the rate of the FIFO.
class Lsm6ds extends Sensor {
  reset() {
    super.reset();
    this.file[0x12] = 0x04;
    this.overrun = false;
  }

  set(register, value) {
    this.advance();
    if (register === 0x12 && value & 1) return this.reset();
    this.file[register] = value;
    if (register !== this.mode) return;
    this.fifo = [];
    this.overrun = false;
    if ((value & 7) === 6) this.run(ST_RATES[this.file[0x10] >> 4]);
    else this.due = Infinity;
  }

  next(register) {
    if (!(this.file[0x12] & 0x04)) return register;
    return register === this.last ? this.first : super.next(register);
  }
}

// LSM6DS3 datasheet, revision 10: a FIFO of 16-bit words, angular rates before accelerations.
class Lsm6ds3 extends Lsm6ds {
  mode = 0x0a;
  first = 0x3e;
  last = 0x3f;
  pattern = 0;

  reset() {
    super.reset();
    this.file[0x0f] = 0x69;
  }

  set(register, value) {
    super.set(register, value);
    if (register === this.mode) this.pattern = 0;
  }

  get axes() {
    return ((this.file[0x08] >> 3) & 7 ? 3 : 0) + (this.file[0x08] & 7 ? 3 : 0);
  }

  put(accelerations, rates) {
    if ((this.file[0x08] >> 3) & 7) this.fifo.push(...rates);
    if (this.file[0x08] & 7) this.fifo.push(...accelerations);
    while (this.fifo.length > 4095) {
      this.fifo.shift();
      this.pattern = (this.pattern + 1) % this.axes;
      this.overrun = true;
    }
  }

  get(register) {
    this.advance();
    const words = this.fifo.length;
    if (register === 0x3a) return words;
    if (register === 0x3b) return (words >> 8) | (words ? 0 : 0x10) | (this.overrun ? 0x40 : 0);
    if (register === 0x3c) return this.pattern;
    if (register === 0x3d) return 0;
    if (register === 0x3e) return this.fifo[0] ?? 0;
    if (register === 0x3f) {
      const value = (this.fifo.shift() ?? 0) >> 8;
      if (words) this.pattern = (this.pattern + 1) % this.axes;
      return value;
    }
    return this.file[register];
  }
}

// LSM6DSOX datasheet, revision 4: groups of a tag and three words. The tag has the kind of sensor and a
// counter 0..3 of the time.
class Lsm6dsox extends Lsm6ds {
  mode = 0x0a;
  first = 0x78;
  last = 0x7e;
  time = 0;

  reset() {
    super.reset();
    this.file[0x0f] = 0x6c;
  }

  put(accelerations, rates) {
    const push = (tag, values) => this.fifo.push([(tag << 3) | (this.time << 1), ...bytesOf(values, false)]);
    if (this.file[0x09] >> 4) push(1, rates);
    if (this.file[0x09] & 15) push(2, accelerations);
    this.time = (this.time + 1) & 3;
    while (this.fifo.length > 511) {
      this.fifo.shift();
      this.overrun = true;
    }
  }

  get(register) {
    this.advance();
    const groups = this.fifo.length;
    if (register === 0x3a) return groups;
    if (register === 0x3b) return (groups >> 8) | (this.overrun ? 0x48 : 0);
    if (register < 0x78 || register > 0x7e) return this.file[register];
    const value = this.fifo[0]?.[register - 0x78] ?? 0;
    if (register === 0x7e) this.fifo.shift();
    return value;
  }
}

const SENSORS = { mpu6050: [Mpu6050, 0x68], lsm6ds3: [Lsm6ds3, 0x6a], lsm6dsox: [Lsm6dsox, 0x6a] };

// Connect the sensor `name` to an I2C bus. bytes: samples of six int16, little-endian, in the units of the
// sensor's registers.
export function connectMotion(mcu, clock, bytes, name, bus) {
  if (!SENSORS[name]) throw new Error(`no sensor ${name}; choose one of ${Object.keys(SENSORS).join(', ')}`);
  const [Kind, address] = SENSORS[name];
  connectI2c(mcu.i2c[bus], mcu, clock, { [address]: new Kind(clock, bytes) });
}
