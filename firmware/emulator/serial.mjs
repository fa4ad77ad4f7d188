// pico emulator: the board's serial port, over USB or UART 0
// MIT license; Copyright (c) 2026 the tflm authors

import { USBCDC } from 'rp2040js';

const MAX_WAITING = 256; // bytes waiting in the USB device; rp2040js accepts 512

// The serial port over USB. rp2040js' device answers each poll, even without data, which keeps the board
// busy. This class answers only when there are data.
export class UsbSerial {
  constructor(mcu, send) {
    this.cdc = new USBCDC(mcu.usbCtrl);
    this.connected = false;
    this.asked = null;
    this.cdc.onDeviceConnected = () => { this.connected = true; };
    this.cdc.onSerialData = send;
    const { usb } = this.cdc;
    this.answer = usb.onEndpointRead;
    usb.onEndpointRead = (endpoint, size) => {
      if (endpoint === this.cdc.outEndpoint && !this.cdc.txFIFO.itemCount) this.asked = [endpoint, size];
      else this.answer(endpoint, size);
    };
  }

  // Move bytes from the array `queue` to the board, as far as it accepts them.
  feed(queue) {
    if (!this.connected) return;
    const count = Math.min(queue.length, MAX_WAITING - this.cdc.txFIFO.itemCount);
    for (const byte of queue.splice(0, Math.max(count, 0))) this.cdc.sendSerialByte(byte);
    if (this.asked && this.cdc.txFIFO.itemCount) {
      const asked = this.asked;
      this.asked = null;
      this.answer(...asked);
    }
  }

  // Whether the board has not yet read all bytes.
  get waiting() {
    return this.connected && this.cdc.txFIFO.itemCount > 0;
  }
}

// The serial port over UART 0, at the speed of its baud rate.
export class UartSerial {
  constructor(mcu, send, clock) {
    this.uart = mcu.uart[0];
    this.clock = clock;
    this.next = 0;
    this.waiting = false;
    this.uart.onByte = (byte) => send([byte]);
  }

  feed(queue) {
    const { uart, clock } = this;
    if (queue.length && uart.enabled && clock.nanos >= this.next && !uart.rxFIFO.full) {
      uart.feedByte(queue.shift());
      this.next = clock.nanos + 10e9 / (uart.baudRate || 115200);
    }
  }
}
