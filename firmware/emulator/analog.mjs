// pico emulator: voltages from a file at a Pico's analog inputs
// MIT license; Copyright (c) 2026 the tflm authors

const CHANNELS = 3; // GPIO 26 to 28
const MILLISECOND = 1e6; // nanoseconds

// Connect a file to the analog inputs. bytes: for each millisecond from power-on, 12 bits of each channel
// as uint16, little-endian. The file repeats at its end.
export function connectAnalog(mcu, clock, bytes) {
  const values = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const count = Math.floor(bytes.length / (2 * CHANNELS));
  const { adc } = mcu;
  const read = adc.onADCRead;
  adc.onADCRead = (channel) => {
    const at = CHANNELS * (Math.floor(clock.nanos / MILLISECOND) % count) + channel;
    if (channel < CHANNELS) adc.channelValues[channel] = values.getUint16(2 * at, true);
    read(channel);
  };
}
