// pico emulator: node bench.mjs --rom FILE JOB: runs a script on a Pico and counts its cycles
// MIT license; Copyright (c) 2026 the tflm authors

// JOB is a JSON file, which bench/core.py writes:
//
//   {"firmware": .uf2, "memory": [[address in flash, file], ...], "miss": cycles of a miss,
//    "model": [first address, end address], "script": MicroPython source, "result": file}
//
// The raw REPL on UART 0 runs the script, which sends words to the emulator at the address DEVICE.
// The result:
//
//   {"text": output of the script, "error": its traceback, "peeks": [hex of requested memory, ...],
//    "marks": [[value, cycles, instructions, cycles waited for flash, misses of the model, of code, of
//               other data], ...]}
//
// Cycles, instructions and waiting are of core 0. Misses are of both cores.

import fs from 'node:fs';
import { parseArgs } from 'node:util';
import { makeChip } from './chip.mjs';
import { loadImage } from './image.mjs';
import { TwoCores } from './two_cores.mjs';
import { UartSerial } from './serial.mjs';

const DEVICE = 0x30000; // 0x30000000; rp2040js names devices by the upper bits of their address
const MARK = 4;
const PEEK_ADDRESS = 8;
const PEEK = 12;
const FLASH = 0x10000000;

const STEPS = 1000; // instructions between two checks of the serial port
const NAP = 20_000; // nanoseconds to sleep while bytes wait
const LIMIT = 900e9; // maximum time of a script in nanoseconds
const RAW_REPL = '\x01';
const EXECUTE = '\x04';
const READY = 'raw REPL; CTRL-B to exit\r\n>';

function fail(text) {
  console.error(`cycles: ${text}`);
  process.exit(1);
}

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { rom: { type: 'string' } },
});
const job = JSON.parse(fs.readFileSync(positionals[0], 'utf8'));
const result = { text: '', error: '', peeks: [], marks: [] };

function fillFlash(flash) {
  loadImage(flash, fs.readFileSync(job.firmware), job.firmware);
  for (const [address, file] of job.memory) flash.set(fs.readFileSync(file), address - FLASH);
}

const { mcu, clock, xip } = makeChip(
  fs.readFileSync(options.rom), fillFlash, (text) => fail(`the board stopped: ${text}`), job.miss,
);
const cores = new TwoCores(mcu);
const received = [];
const queue = [];
const serial = new UartSerial(mcu, (bytes) => received.push(...bytes), clock);

if (xip) xip.model = job.model;

function mark(value) {
  const { model, code, rest } = xip ? xip.misses : { model: 0, code: 0, rest: 0 };
  const { instructions, waited } = mcu.core;
  result.marks.push([value, cores.times[0], instructions, waited, model, code, rest]);
}

let peekAt = 0;
mcu.peripherals[DEVICE] = {
  readUint32: () => 0,
  writeUint32Atomic(offset, value) {
    if (offset === MARK) mark(value);
    else if (offset === PEEK_ADDRESS) peekAt = value >>> 0;
    else if (offset === PEEK) {
      const bytes = Array.from({ length: value }, (_, i) => mcu.readUint8(peekAt + i));
      result.peeks.push(Buffer.from(bytes).toString('hex'));
    }
  },
};

// Run until the board's output ends with `end`; return the output.
function until(end) {
  const limit = clock.nanos + LIMIT;
  for (;;) {
    serial.feed(queue);
    for (let i = 0; i < STEPS; i++) {
      if (cores.waiting) {
        clock.tick(Math.min(clock.nanosToNextAlarm || NAP, NAP));
        break;
      }
      const cycles = cores.step();
      if (cycles) clock.tick((cycles * 1e9) / mcu.clkSys);
    }
    const text = Buffer.from(received).toString('latin1');
    if (text.endsWith(end)) {
      received.length = 0;
      return text;
    }
    if (clock.nanos > limit) fail(`the board does not answer; its last output was ${JSON.stringify(text.slice(-200))}`);
  }
}

queue.push(...Buffer.from(RAW_REPL));
until(READY);
queue.push(...Buffer.from(job.script + EXECUTE));
const parts = until(`${EXECUTE}>`).split(EXECUTE);
if (!parts[0].startsWith('OK')) fail(`the board did not run the script; it answered ${JSON.stringify(parts[0])}`);
[result.text, result.error] = [parts[0].slice(2), parts[1]].map((text) => text.replaceAll('\r\n', '\n'));
fs.writeFileSync(job.result, JSON.stringify(result));
