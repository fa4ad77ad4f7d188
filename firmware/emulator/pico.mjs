// pico emulator: node pico.mjs --rom FILE [options] IMAGE: a Raspberry Pi Pico on stdin and stdout
// MIT license; Copyright (c) 2026 the tflm authors

// --flash FILE   what flash holds is kept here from run to run; an image that was not the last
//                one goes over it, as when a board is flashed (FILE.image has the last one's hash)
// --uart         the serial port is UART 0 instead of USB
// --led          tell changes of the LED on stderr
// --fast         while the board sleeps, time runs as fast as it can
// --pdm CLOCK,DATA,FILE    a PDM microphone at these pins, which says the bits of a file
// --i2s SCK,WS,SD,FILE     an I2S microphone, which says its slots
// --motion NAME,BUS,FILE   an accelerometer at an I2C bus, which measures its samples (motion.mjs)
// --analog FILE  voltages at GPIO 26 to 28, for each millisecond (analog.mjs)
// --camera NAME,BUS,DATA,PCLK,HSYNC,VSYNC,FILE   a camera at an I2C bus and these pins, which sees
//                the frames of a file (camera.mjs)
// --i2s-master SCK,WS,SD,FILE    an I2S master, which plays the frames that a file has at SIGUSR2
// --watch PIN,... tell changes of these pins on stderr
// --xip CYCLES   wait for flash: so long for a miss of its cache (48 is a Pico's; see docs/how-to/faster.md)
// Exit codes: 0 stopped from outside, 2 wrong arguments, 3 the board faulted.

import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { parseArgs } from 'node:util';
import { connectAnalog } from './analog.mjs';
import { Board } from './board.mjs';
import { connectCamera } from './camera.mjs';
import { LED } from './chip.mjs';
import { loadImage } from './image.mjs';
import { connectI2sMaster, watchPins } from './interface_board.mjs';
import { connectI2s, connectPdm } from './microphone.mjs';
import { connectMotion } from './motion.mjs';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rom: { type: 'string' },
    flash: { type: 'string' },
    uart: { type: 'boolean' },
    led: { type: 'boolean' },
    fast: { type: 'boolean' },
    pdm: { type: 'string' },
    i2s: { type: 'string' },
    motion: { type: 'string' },
    'i2s-master': { type: 'string' },
    watch: { type: 'string' },
    analog: { type: 'string' },
    camera: { type: 'string' },
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
let board = null;
let output = [];
let play = () => {}; // what an I2S master does at a signal

function flush() {
  if (output.length) process.stdout.write(Buffer.from(output));
  output = [];
}

// Write what flash holds beside its file, then rename: a kill leaves one or the other.
function saveFlash() {
  if (!options.flash || !board) return;
  fs.writeFileSync(`${options.flash}.part`, board.flash.subarray(0, 2 << 20));
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
  if (options.flash && fs.existsSync(options.flash)) {
    target.set(fs.readFileSync(options.flash));
    if (fs.existsSync(mark) && fs.readFileSync(mark, 'utf8') === hash) return;
  }
  loadImage(target, fs.readFileSync(image), image);
}

function send(bytes) {
  for (const byte of bytes) output.push(byte);
}

// nanos: of the board's time.
function tell(what, nanos) {
  console.error(`pico: ${what} at ${(nanos / 1e6).toFixed(3)} ms`);
}

function watchLed(mcu, clock) {
  mcu.gpio[LED].addListener((state) => {
    tell(`led ${state === 1 ? 'on' : 'off'}`, clock.nanos);
  });
}

// text: so many pins, and a file: [numbers, path].
function pinsAndFile(pins, text) {
  const parts = text.split(',');
  return [parts.slice(0, pins).map(Number), parts.slice(pins).join(',')];
}

function connect(microphone, count, text, mcu) {
  if (!text) return;
  const [pins, path] = pinsAndFile(count, text);
  microphone(mcu, fs.readFileSync(path), ...pins);
}

// The file is read when it is played.
function connectMaster(text, mcu, clock) {
  if (!text) return;
  const [pins, path] = pinsAndFile(3, text);
  const master = connectI2sMaster(mcu, clock, ...pins);
  play = () => {
    tell('plays', clock.nanos);
    master(fs.readFileSync(path), () => tell('played', clock.nanos));
  };
}

// text: a name, so many numbers, and a file.
function connectSensor(sensor, count, text, mcu, clock) {
  if (!text) return;
  const [name, ...parts] = text.split(',');
  const data = fs.readFileSync(parts.slice(count).join(','));
  sensor(mcu, clock, data, name, ...parts.slice(0, count).map(Number));
}

function started(mcu, clock) {
  if (options.led) watchLed(mcu, clock);
  connect(connectPdm, 2, options.pdm, mcu);
  connect(connectI2s, 3, options.i2s, mcu);
  if (options.analog) connectAnalog(mcu, clock, fs.readFileSync(options.analog));
  connectSensor(connectMotion, 1, options.motion, mcu, clock);
  connectSensor(connectCamera, 5, options.camera, mcu, clock);
  connectMaster(options['i2s-master'], mcu, clock);
  const watched = options.watch ? options.watch.split(',').map(Number) : [];
  watchPins(mcu, clock, watched, (pin, level, nanos) => tell(`pin ${pin} ${level}`, nanos));
}

function run() {
  const asleep = board.run();
  flush();
  if (asleep) setTimeout(run, 1);
  else setImmediate(run);
}

try {
  hash = createHash('sha256').update(fs.readFileSync(image)).digest('hex');
  board = new Board({
    rom: fs.readFileSync(options.rom), fillFlash, send, fault, miss: Number(options.xip),
    uart: options.uart, fast: options.fast, started,
  });
} catch (error) {
  console.error(`pico: ${error.message}`);
  process.exit(2);
}
process.stdin.on('data', (data) => board.write(data));
process.on('SIGTERM', () => finish(0));
process.on('SIGINT', () => finish(0));
process.on('SIGUSR2', () => play());
run();
