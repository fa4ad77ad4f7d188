// page: the worker in which the emulated Pico runs, so that the page stays responsive
// MIT license; Copyright (c) 2026 the tflm authors

import { Board } from 'emulator/board.mjs';
import { LED } from 'emulator/chip.mjs';
import { loadImage } from 'emulator/image.mjs';

const MISS = 48; // cycles of a miss of the flash cache, as on a Pico: docs/explanation/measuring.md
const HIGH = 1; // rp2040js: the pin is driven high
const NAP = 1; // milliseconds
const REPORT_EVERY = 500; // milliseconds between two reports of the speed

/** @type {Board | null} */
let board = null;
/** @type {Uint8Array} */
let kept = new Uint8Array(0); // content of flash when the board was switched off
/** @type {number[]} */
let output = [];
let light = { on: false, reported: false }; // the LED, and its state in the last report
let reportTime = 0; // when the speed was reported last
let busy = { real: 0, simulated: 0 }; // milliseconds since then, without sleep

// A message to this worker arrives after the messages that wait already. A timer of 0 ms takes 4 ms.
const turn = new MessageChannel();
turn.port1.onmessage = run;

/** @param {import('./messages.js').FromEmulator} message */
function post(message) {
  self.postMessage(message);
}

function postOutput() {
  if (output.length) post({ kind: 'received', bytes: Uint8Array.from(output) });
  output = [];
}

/** Switch the board off, because of `text`. @param {string} text */
function stop(text) {
  if (!board) return;
  kept = board.flash;
  board = null;
  post({ kind: 'fault', text });
}

// An image replaces only its own blocks of flash, as on a real board: the visitor's files stay.
/** @param {Uint8Array} rom @param {Uint8Array | null} image null keeps the content of flash */
function power(rom, image) {
  const on = board !== null;
  output = [];
  let starts = 0;
  if (board) kept = board.flash.slice();
  const held = kept; // `kept` may change before fillFlash() runs
  try {
    board = new Board({
      rom,
      fillFlash: (flash) => {
        flash.set(held);
        if (image) loadImage(flash, image, 'the image');
      },
      send: (bytes) => output.push(...bytes),
      fault: stop,
      bootloader: () => stop('machine.bootloader() was called, and a real Pico now waits for a UF2 file as a USB drive'),
      miss: MISS,
      started: (mcu) => {
        postOutput();
        post({ kind: 'started', again: starts++ > 0 });
        light.on = false;
        mcu.gpio[LED].addListener((/** @type {number} */ state) => { light.on = state === HIGH; });
      },
    });
  } catch (error) {
    board = null;
    post({ kind: 'fault', text: String(error) });
    return;
  }
  if (!on) run();
}

function run() {
  if (!board) return;
  const begin = performance.now();
  const { clock } = board;
  const nanos = clock.nanos;
  const asleep = board.run();
  const now = performance.now();
  postOutput();
  if (light.on !== light.reported) {
    post({ kind: 'light', on: light.on });
    light.reported = light.on;
  }
  if (!asleep) {
    busy.real += now - begin;
    busy.simulated += (clock.nanos - nanos) / 1e6;
  }
  if (now - reportTime > REPORT_EVERY) {
    post({ kind: 'speed', share: busy.real > 1 ? busy.simulated / busy.real : null });
    reportTime = now;
    busy = { real: 0, simulated: 0 };
  }
  if (asleep) setTimeout(run, NAP);
  else turn.port2.postMessage(null);
}

/** @param {MessageEvent<import('./messages.js').ToEmulator>} event */
self.onmessage = ({ data: message }) => {
  if (message.kind === 'power') power(message.rom, message.image);
  else if (message.kind === 'store') board?.store(message.address, message.bytes);
  else board?.write(message.bytes);
};
