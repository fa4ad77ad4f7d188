// Tests of the page: bytes between a serial port of the browser and the tools' worker
// MIT license; Copyright (c) 2026 the tflm authors

import assert from 'node:assert/strict';
import test from 'node:test';
import { Channel } from '../../../page/src/serial_channel.js';
import { SerialPump } from '../../../page/src/serial_pump.js';

// A port that sends back all bytes until its cable is pulled.
class Echo {
  readable = new ReadableStream({ start: (controller) => { this.controller = controller; } });
  writable = new WritableStream({
    write: (bytes) => {
      if (this.pulled) throw new Error('no device');
      this.controller.enqueue(bytes);
    },
  });
  open() { return Promise.resolve(); }
  setSignals() { return Promise.resolve(); }
  close() { return Promise.resolve(); }
  pull() {
    this.pulled = true;
    this.readable = null;
    this.controller.error(new Error('no device'));
  }
}

async function connected() {
  const echo = new Echo();
  const pump = new SerialPump(echo);
  await pump.open();
  return { echo, pump, channel: new Channel(pump.port) };
}

test('read() returns bytes in order, in pieces of the requested size', async () => {
  const { pump, channel } = await connected();
  assert.equal(await channel.write(Uint8Array.of(1, 2, 3), -1), '');
  assert.equal(await channel.write(Uint8Array.of(4, 5), -1), '');
  while (channel.waiting < 5) await new Promise((resolve) => setTimeout(resolve, 1));
  assert.deepEqual([...await channel.read(4, -1)], [1, 2, 3, 4]);
  assert.deepEqual([...await channel.read(4, -1)], [5]);
  assert.equal((await channel.read(1, 5)).length, 0); // none came in time
  await pump.close();
});

test('a pulled cable ends reads and writes, and earlier bytes can be read', async () => {
  const { echo, pump, channel } = await connected();
  await channel.write(Uint8Array.of(7), -1);
  while (!channel.waiting) await new Promise((resolve) => setTimeout(resolve, 1));
  const late = channel.read(1, -1).then(() => channel.read(1, -1));
  echo.pull();
  assert.equal(await late, undefined);
  assert.equal(await channel.write(Uint8Array.of(8), -1), 'lost');
  await pump.close();
});

test('a port that another program uses raises an error with a remedy', async () => {
  const echo = new Echo();
  echo.open = () => Promise.reject(new Error('busy'));
  await assert.rejects(new SerialPump(echo).open(), /another program or page may have it/);
});

// A board that takes no bytes. As Web Serial demands, a port with a locked stream cannot be closed.
class Deaf extends Echo {
  isOpen = false;
  writable = new WritableStream({
    write: (bytes, controller) => new Promise((resolve, reject) => {
      controller.signal.addEventListener('abort', () => reject(new Error('aborted')));
    }),
  });
  open() {
    if (this.isOpen) return Promise.reject(new Error('open'));
    this.isOpen = true;
    return Promise.resolve();
  }
  close() {
    if (this.writable.locked) return Promise.reject(new Error('locked'));
    this.isOpen = false;
    return Promise.resolve();
  }
}

test('a board that takes no bytes leaves the port free', async () => {
  const deaf = new Deaf();
  const pump = new SerialPump(deaf);
  await pump.open();
  const channel = new Channel(pump.port);
  assert.equal(await channel.write(Uint8Array.of(1), 20), 'late');
  assert.equal(await channel.write(Uint8Array.of(2), 20), 'late');
  await pump.close();
  assert.ok(!deaf.isOpen);
  const next = new SerialPump(deaf);
  await next.open();
  await next.close();
});
