// pico emulator: an I2C bus of a Pico with devices at it, each of which is a file of registers
// MIT license; Copyright (c) 2026 the tflm authors

const BITS = 9; // of a byte, with its acknowledgement

// A device behind a bus: the first byte of a write (or two, as `wide`) names the register, further
// ones go to it and, by next(register), to others; reads begin at the register that was named last.
export class Registers {
  #register = 0;
  #missing = 0; // bytes of the register's name
  wide = 1;

  start(reading) {
    this.#missing = reading ? 0 : this.wide;
    if (!reading) this.#register = 0;
  }

  write(byte) {
    if (this.#missing) {
      this.#missing--;
      this.#register = (this.#register << 8) | byte;
      return;
    }
    this.set(this.#register, byte);
    this.#register = this.next(this.#register);
  }

  read() {
    const value = this.get(this.#register);
    this.#register = this.next(this.#register);
    return value & 0xff;
  }

  next(register) {
    return register + 1;
  }
}

// devices: {address: Registers}. Each byte takes the time that it takes on wires.
export function connectI2c(bus, mcu, clock, devices) {
  let device = null;
  let due = () => {};
  const alarm = clock.createAlarm(() => due());
  const later = (bits, action) => {
    due = action;
    alarm.schedule((bits * (bus.sclLowPeriod + bus.sclHighPeriod) * 1e9) / mcu.clkSys);
  };
  bus.onStart = () => later(1, () => bus.completeStart());
  bus.onConnect = (address, mode) => {
    device = devices[address] ?? null;
    device?.start(mode === 1);
    later(BITS, () => bus.completeConnect(device !== null));
  };
  bus.onWriteByte = (byte) => {
    device.write(byte);
    later(BITS, () => bus.completeWrite(true));
  };
  bus.onReadByte = () => {
    const value = device.read();
    later(BITS, () => bus.completeRead(value));
  };
  bus.onStop = () => later(1, () => bus.completeStop());
}
