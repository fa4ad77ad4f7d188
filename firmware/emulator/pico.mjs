// pico emulator: node pico.mjs --rom FILE [options] IMAGE: runs a Raspberry Pi Pico on stdin and stdout
// MIT license; Copyright (c) 2026 the tflm authors

// --flash FILE   keep the content of flash in this file. A new image is flashed over it; FILE.image has
//                the hash of the last image
// --uart         the serial port is UART 0 instead of USB
// --led          report changes of the LED on stderr
// --fast         skip the time that the board sleeps
// --pdm CLOCK,DATA,FILE    a PDM microphone at these pins, with bits from a file
// --i2s SCK,WS,SD,FILE     an I2S microphone, with slots from a file
// --motion NAME,BUS,FILE   an accelerometer at an I2C bus, with samples from a file (motion.mjs)
// --analog FILE  voltages at GPIO 26 to 28 for each millisecond (analog.mjs)
// --camera NAME,BUS,DATA,PCLK,HSYNC,VSYNC,FILE   a camera at an I2C bus and these pins, with frames from
//                a file (camera.mjs)
// --i2s-master SCK,WS,SD,FILE    an I2S master, which plays the frames of a file at SIGUSR2
// --watch PIN,... report changes of these pins on stderr
// --xip CYCLES   cycles of a miss of the flash cache (48 on a real Pico, see docs/explanation/measuring.md)
// --clock FACTOR the core runs this many times as fast as its firmware believes
// Exit codes: 0 ended by a signal, 2 wrong arguments, 3 the board faulted.

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
    clock: { type: 'string', default: '1' },
  },
});
const [image] = positionals;
if (!image || !options.rom) {
  console.error('pico: name the boot ROM with --rom and an image');
  process.exit(2);
}

const mark = `${options.flash}.image`; // file with the hash of the last image
let hash = ''; // hash of the image
let board = null;
let output = [];
let play = () => {}; // starts the I2S master

function flush() {
  if (output.length) process.stdout.write(Buffer.from(output));
  output = [];
}

// Write the content of flash to a temporary file, then rename it, so that a kill leaves a whole file.
function saveFlash() {
  if (!options.flash || !board) return;
  let size = board.flash.length; // firmware of FLASH_MB= uses more than the 2 MB of a Pico
  while (size > 2 << 20 && board.flash[size - 1] === 0xff) size--;
  fs.writeFileSync(`${options.flash}.part`, board.flash.subarray(0, size));
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

// nanos: the board's time.
function report(what, nanos) {
  console.error(`pico: ${what} at ${(nanos / 1e6).toFixed(3)} ms`);
}

function watchLed(mcu, clock) {
  mcu.gpio[LED].addListener((state) => {
    report(`led ${state === 1 ? 'on' : 'off'}`, clock.nanos);
  });
}

// Split the text of an option into the numbers of `pins` pins and a path.
function pinsAndFile(pins, text) {
  const words = text.split(',');
  return [words.slice(0, pins).map(Number), words.slice(pins).join(',')];
}

function connect(microphone, count, text, mcu) {
  if (!text) return;
  const [pins, path] = pinsAndFile(count, text);
  microphone(mcu, fs.readFileSync(path), ...pins);
}

// Connect the I2S master. Its file is read when it plays.
function connectMaster(text, mcu, clock) {
  if (!text) return;
  const [pins, path] = pinsAndFile(3, text);
  const master = connectI2sMaster(mcu, clock, ...pins);
  play = () => {
    report('plays', clock.nanos);
    master(fs.readFileSync(path), () => report('played', clock.nanos));
  };
}

// Connect a sensor. text: its name, `count` numbers, and a path.
function connectSensor(sensor, count, text, mcu, clock) {
  if (!text) return;
  const [name, ...words] = text.split(',');
  const data = fs.readFileSync(words.slice(count).join(','));
  sensor(mcu, clock, data, name, ...words.slice(0, count).map(Number));
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
  watchPins(mcu, clock, watched, (pin, level, nanos) => report(`pin ${pin} ${level}`, nanos));
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
    uart: options.uart, fast: options.fast, clock: Number(options.clock), started,
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
