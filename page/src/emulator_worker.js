// page: the worker that the emulated Pico runs in, so that the page never waits for it
// MIT license; Copyright (c) 2026 the tflm authors

import { Board } from 'emulator/board.mjs';
import { LED } from 'emulator/chip.mjs';
import { loadImage } from 'emulator/image.mjs';

const MISS = 48; // cycles of the core for a miss of the flash cache, as a Pico has it: docs/how-to/faster.md
const HIGH = 1; // a pin that is driven high, as rp2040js says it
const NAP = 1; // milliseconds
const TELL_EVERY = 500; // milliseconds

/** @type {Board | null} */
let board = null;
/** @type {Uint8Array} */
let kept = new Uint8Array(0); // what flash held when the board stopped
/** @type {number[]} */
let output = [];
let light = { on: false, told: false }; // the LED, and what the page knows of it
let told = 0; // when the speed was
let busy = { real: 0, simulated: 0 }; // milliseconds since it was told last, without sleep

// A message to oneself comes as soon as others have had their turn; a timer of 0 ms takes 4.
const turn = new MessageChannel();
turn.port1.onmessage = run;

/** @param {import('./messages.js').FromEmulator} message */
function tell(message) {
  self.postMessage(message);
}

/** @param {Uint8Array} rom @param {Uint8Array | null} image null: flash keeps what it holds */
function power(rom, image) {
  const on = board !== null;
  output = [];
  if (board) kept = board.flash.slice();
  const held = kept;
  try {
    board = new Board({
      rom,
      fillFlash: (flash) => (image ? loadImage(flash, image, 'the image') : flash.set(held)),
      send: (bytes) => output.push(...bytes),
      fault: (text) => {
        kept = board?.flash ?? kept;
        board = null;
        tell({ kind: 'fault', text });
      },
      miss: MISS,
      started: (mcu) => {
        light.on = false;
        mcu.gpio[LED].addListener((/** @type {number} */ state) => { light.on = state === HIGH; });
      },
    });
  } catch (error) {
    board = null;
    tell({ kind: 'fault', text: String(error) });
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
  if (output.length) {
    tell({ kind: 'received', bytes: Uint8Array.from(output) });
    output = [];
  }
  if (light.on !== light.told) {
    tell({ kind: 'light', on: light.on });
    light.told = light.on;
  }
  if (!asleep) {
    busy.real += now - begin;
    busy.simulated += (clock.nanos - nanos) / 1e6;
  }
  if (now - told > TELL_EVERY) {
    tell({ kind: 'speed', share: busy.real > 1 ? busy.simulated / busy.real : null });
    told = now;
    busy = { real: 0, simulated: 0 };
  }
  if (asleep) setTimeout(run, NAP);
  else turn.port2.postMessage(null);
}

/** @param {MessageEvent<import('./messages.js').ToEmulator>} event */
self.onmessage = ({ data: message }) => {
  if (message.kind === 'power') power(message.rom, message.image);
  else board?.write(message.bytes);
};
