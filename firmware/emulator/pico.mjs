// pico emulator: node pico.mjs --rom FILE [options] IMAGE: a Raspberry Pi Pico on stdin and stdout
// MIT license; Copyright (c) 2026 the tflm authors

// --flash FILE   what flash holds is kept here from run to run; an image that was not the last
//                one goes over it, as when a board is flashed (FILE.image has the last one's hash)
// --uart         the serial port is UART 0 instead of USB
// --led          tell changes of the LED on stderr
// --fast         while the board sleeps, time runs as fast as it can
// --xip CYCLES   wait for flash: so long for a miss of its cache (48 is a Pico's; see docs/pico.md)
// Exit codes: 0 stopped from outside, 2 wrong arguments, 3 the board faulted.

import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { parseArgs } from 'node:util';
import { LED, makeChip } from './chip.mjs';
import { loadImage } from './image.mjs';
import { TwoCores } from './two_cores.mjs';
import { UartSerial, UsbSerial } from './serial.mjs';

const STEPS = 1000; // instructions between two looks at the serial port
const ROUNDS = 400; // such looks between two looks at the world outside
const SHORT = 20_000; // nanoseconds to sleep while bytes wait

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rom: { type: 'string' },
    flash: { type: 'string' },
    uart: { type: 'boolean' },
    led: { type: 'boolean' },
    fast: { type: 'boolean' },
    xip: { type: 'string', default: '0' },
  },
});
const [image] = positionals;
if (!image || !options.rom) {
  console.error('pico: name the boot ROM with --rom and an image');
  process.exit(2);
}

const mark = `${options.flash}.image`; // a file
let hash = ''; // of the image
let flash = null;
let queue = [];
let output = [];
let chip, cores, serial, anchor, timer;

function flush() {
  if (output.length) process.stdout.write(Buffer.from(output));
  output = [];
}

// Write what flash holds beside its file, then rename: a kill leaves one or the other.
function saveFlash() {
  if (!options.flash) return;
  fs.writeFileSync(`${options.flash}.part`, chip.mcu.flash.subarray(0, 2 << 20));
  fs.renameSync(`${options.flash}.part`, options.flash);
  fs.writeFileSync(mark, hash);
}

function finish(code) {
  flush();
  saveFlash();
  process.exit(code);
}

function fault(text) {
  console.error(`pico: fault: ${text}`);
  finish(3);
}

function fillFlash(target) {
  if (flash) {
    target.set(flash);
    return;
  }
  if (options.flash && fs.existsSync(options.flash)) {
    target.set(fs.readFileSync(options.flash));
    if (fs.existsSync(mark) && fs.readFileSync(mark, 'utf8') === hash) return;
  }
  loadImage(target, image);
}

function send(bytes) {
  for (const byte of bytes) output.push(byte);
}

// The chip from power-on; after a reset it starts with what flash holds then.
function start() {
  chip = makeChip(options.rom, fillFlash, fault, Number(options.xip));
  const { mcu, clock } = chip;
  cores = new TwoCores(mcu);
  serial = options.uart ? new UartSerial(mcu, send, clock) : new UsbSerial(mcu, send);
  anchor = null;
  mcu.peripherals[0x40058].onWatchdogTrigger = () => { reset = true; };
  if (options.led) {
    mcu.gpio[LED].addListener((state) => {
      console.error(`pico: led ${state === 1 ? 'on' : 'off'} at ${(clock.nanos / 1e6).toFixed(3)} ms`);
    });
  }
}

let reset = false;

// Let time pass while the cores sleep; returns false when the world outside has to catch up.
function sleep() {
  const { clock } = chip;
  const bytes = queue.length > 0 || serial.waiting;
  let wait = clock.nanosToNextAlarm;
  if (wait <= 0) wait = 1e6;
  if (bytes) wait = Math.min(wait, SHORT);
  if (bytes || options.fast) {
    anchor = null;
  } else {
    // Simulated time may not run ahead of ours.
    const now = Number(process.hrtime.bigint());
    anchor ??= { real: now, simulated: clock.nanos };
    const room = anchor.simulated + (now - anchor.real) - clock.nanos;
    if (room < wait) {
      if (room > 0) clock.tick(room);
      return false;
    }
  }
  clock.tick(wait);
  if (bytes) serial.feed(queue);
  return true;
}

function run() {
  timer = null;
  let asleep = false;
  for (let round = 0; round < ROUNDS && !asleep; round++) {
    serial.feed(queue);
    const cycle = 1e9 / chip.mcu.clkSys;
    for (let i = 0; i < STEPS; i++) {
      if (cores.waiting) {
        if (!sleep()) {
          asleep = true;
          break;
        }
      } else {
        const cycles = cores.step();
        if (cycles) chip.clock.tick(cycles * cycle);
        anchor = null;
      }
    }
    if (reset) {
      reset = false;
      flash = chip.mcu.flash.slice();
      start();
    }
  }
  flush();
  timer = asleep ? setTimeout(run, 1) : setImmediate(run);
}

try {
  hash = createHash('sha256').update(fs.readFileSync(image)).digest('hex');
  start();
} catch (error) {
  console.error(`pico: ${error.message}`);
  process.exit(2);
}
process.stdin.on('data', (data) => { queue.push(...data); });
process.on('SIGTERM', () => finish(0));
process.on('SIGINT', () => finish(0));
run();
