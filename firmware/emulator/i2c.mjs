// pico emulator: connects devices with registers to an I2C bus of a Pico
// MIT license; Copyright (c) 2026 the tflm authors

const BITS = 9; // bits of a byte and its acknowledgement

// A device with registers. The first byte of a write (the first two if `wide` is 2) selects a register. The
// next bytes are written to it and to the registers that next(register) returns. Reads begin at the register
// that was selected last.
export class Registers {
  #register = 0;
  #missing = 0; // bytes of the register's number that must still come
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

// Connect devices {address: Registers} to a bus. Each byte takes its time on real wires.
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
