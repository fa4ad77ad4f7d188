// page: starts the board and connects the modules of the page
// MIT license; Copyright (c) 2026 the tflm authors

import { EmulatedBoard } from './board.js';
import { Drawing } from './digit.js';
import { element } from './elements.js';
import { Listening } from './listen.js';
import { load, MissingError } from './loading.js';
import { Model } from './model.js';
import { OwnBoard } from './own_board.js';
import { Prompt } from './prompt.js';
import { BoardError, PROMPT, Repl } from './repl.js';
import { Story } from './story.js';
import { Teach } from './teach.js';
import { Tools } from './tools.js';

const FIRST = 3; // the page starts by reading this digit of the test set
const MAX_RESTARTS = 3; // of an emulator that stops, in a minute
const MINUTE = 60_000; // milliseconds
const RETRY = 2000; // milliseconds until the emulator is loaded again

/** @param {Response} answer */
const bytes = async (answer) => new Uint8Array(await answer.arrayBuffer());

/** Load and unpack a zlib file; few servers compress on the way. @param {string} name */
async function unpacked(name) {
  const { body } = await load(name);
  return bytes(new Response(body?.pipeThrough(new DecompressionStream('deflate'))));
}

/** @param {string} text @param {boolean} on */
function showState(text, on) {
  element('state').textContent = text;
  element('light').className = on ? 'light on' : 'light off';
}

/** @param {number | null} share */
function showSpeed(share) {
  const text = share === null ? 'Idle.' : `It runs at ${Math.round(100 * share)} % of a real board's speed.`;
  element('speed').textContent = text;
}

/**
 * Return a function that starts the board again when its emulator has ended.
 * @param {(state: string) => void} off shows that the board is off
 * @param {(state?: string) => Promise<void>} power
 */
function recovery(off, power) {
  /** @type {number[]} */
  const deaths = []; // times in milliseconds
  let retried = false;
  return (/** @type {boolean} */ missing) => {
    if (missing) {
      off(`The board does not start: ${new MissingError('the emulator').message}.`);
      if (retried) window.addEventListener('online', () => power(), { once: true });
      else setTimeout(power, RETRY);
      retried = true;
      return;
    }
    const now = performance.now();
    deaths.push(now);
    if (deaths.filter((time) => now - time < MINUTE).length > MAX_RESTARTS) {
      off('The emulator stops again and again, perhaps for lack of memory. Close other pages, then press Restart the board.');
    } else {
      power('The emulator had stopped, so the board was started again. Files that were written on it are lost.');
    }
  };
}

async function start() {
  const [rom, image, answer] = await Promise.all([load('bootrom.bin').then(bytes), unpacked('pico.zlib'), load('about.json')]);
  /** @type {import('./messages.js').About} */
  const about = await answer.json().catch(() => { throw new Error('about.json is damaged; load the page again'); });
  element('version').textContent = `tflm ${about.version}`;
  const board = new EmulatedBoard({
    fault: (text) => off(`The board is off: ${text}; restart it.`),
    reset: () => repl.forget('The board was reset.'),
    ended: (missing) => ended(missing),
    light: (on) => element('led', SVGElement).classList.toggle('on', on),
    speed: showSpeed,
  });
  const prompt = new Prompt(about.programs);
  const repl = new Repl(board, (received) => prompt.show(received));
  prompt.connect(repl);

  /** @param {number[]} pixels @param {(text: string) => void} waits */
  const read = async (pixels, waits) => JSON.parse(await repl.exec(`import draw\ndraw.read(bytes((${pixels})))`, { waits }));
  const drawing = new Drawing(read, about.samples);

  /** @param {Uint8Array | null} newImage null keeps the content of flash */
  const power = async (newImage, state = 'The board is on.') => {
    repl.forget();
    showState(state, true);
    board.power(rom, newImage);
    const isOn = await drawing.show(about.samples[FIRST]);
    if (isOn) prompt.show(`\r\n${repl.banner.trimStart()}${PROMPT}`);
  };
  element('restart', HTMLButtonElement).addEventListener('click', () => power(null));

  /** @param {string} state */
  const off = (state) => {
    repl.forget('the board is off');
    showState(state, false);
  };
  const ended = recovery(off, (state) => power(null, state));
  const tools = new Tools();
  /** @type {Repl['exec']} */
  const exec = (code, options) => repl.exec(code, options);
  const model = new Model(tools, about.models, exec, power);
  const ownBoard = new OwnBoard(tools, () => model.given(), about.boards);
  // Run a program of /rom. A large model of the visitor replaces files there, and other programs fill the heap: then
  // the board starts again, and the program, too.
  /** @type {Repl['exec']} */
  const fromRom = async (code, options = {}) => {
    let printed = false;
    const each = (/** @type {string} */ text) => {
      printed = true;
      options.each?.(text);
    };
    try {
      return await repl.exec(code, { ...options, each });
    } catch (error) {
      if (!(error instanceof BoardError) || printed) throw error;
      if (error.message.includes('no module named')) {
        options.waits?.('Your model replaced this one in flash, so the page writes its flash again.');
        model.forget();
        await power(image);
      } else if (/^(ArenaError|MemoryError)/.test(error.message)) {
        options.waits?.("The board's memory is full, so the board starts again.");
        await power(null);
      } else {
        throw error;
      }
      return repl.exec(code, options);
    }
  };
  /** @param {number} address @param {Uint8Array} data */
  const store = (address, data) => board.store(address, data);
  new Listening(fromRom, store);
  new Story(fromRom, () => repl.stop());
  new Teach(exec, store, (given) => model.use(given), () => ownBoard.port());
  await power(image);
  model.prepare();
  await navigator.serviceWorker?.register('offline.js').catch(() => {}); // optional: without it the page needs a network
}

start().catch((error) => {
  showState(`The board does not start: ${error.message}`, false);
  if (error instanceof MissingError) window.addEventListener('online', () => location.reload(), { once: true });
});
