// page: starts the board and connects the modules of the page
// MIT license; Copyright (c) 2026 the tflm authors

import { EmulatedBoard } from './board.js';
import { Drawing } from './digit.js';
import { element } from './elements.js';
import { Model } from './model.js';
import { OwnBoard } from './own_board.js';
import { Prompt } from './prompt.js';
import { PROMPT, Repl } from './repl.js';
import { Tools } from './tools.js';

const FIRST = 3; // the page starts by reading this digit of the test set

/** @param {string} name @returns {Promise<Response>} */
async function get(name) {
  const answer = await fetch(name);
  if (!answer.ok) throw new Error(`${name} could not be loaded (${answer.status}); load the page again`);
  return answer;
}

/** @param {Response} answer */
const bytes = async (answer) => new Uint8Array(await answer.arrayBuffer());

/** Load and unpack a zlib file; few servers compress on the way. @param {string} name */
async function unpacked(name) {
  const { body } = await get(name);
  return bytes(new Response(body?.pipeThrough(new DecompressionStream('deflate'))));
}

/** @param {string} text @param {boolean} on */
function showState(text, on) {
  element('state').textContent = text;
  element('light').className = on ? 'light on' : 'light off';
}

/** @param {number | null} share */
function showSpeed(share) {
  const text = share === null ? 'It sleeps.' : `It runs at ${Math.round(100 * share)} % of a real board's speed.`;
  element('speed').textContent = text;
}

async function start() {
  const [rom, image, answer] = await Promise.all([get('bootrom.bin').then(bytes), unpacked('pico.zlib'), get('about.json')]);
  /** @type {import('./messages.js').About} */
  const about = await answer.json();
  element('version').textContent = `tflm ${about.version}`;
  const board = new EmulatedBoard({
    fault: (text) => showState(`The board stopped: ${text}; restart it.`, false),
    light: (on) => element('led', SVGElement).classList.toggle('on', on),
    speed: showSpeed,
  });
  const prompt = new Prompt(about.programs);
  const repl = new Repl(board, (received) => prompt.show(received));
  prompt.connect(repl);

  /** @param {number[]} pixels */
  const read = async (pixels) => JSON.parse(await repl.exec(`import draw\ndraw.read(bytes((${pixels})))`));
  const drawing = new Drawing(read, about.samples);

  /** @param {Uint8Array | null} newImage null keeps the content of flash */
  const power = async (newImage) => {
    repl.forget();
    board.power(rom, newImage);
    showState('The board is on.', true);
    await drawing.show(about.samples[FIRST]);
    prompt.show(`\r\n${repl.banner.trimStart()}${PROMPT}`);
  };
  element('restart', HTMLButtonElement).addEventListener('click', () => power(null));
  const tools = new Tools();
  const model = new Model(tools, about.models, (code) => repl.exec(code), power);
  new OwnBoard(tools, () => model.given(), about.boards);
  await power(image);
  model.prepare();
  await navigator.serviceWorker?.register('offline.js').catch(() => {}); // optional: without it the page needs a network
}

start().catch((error) => showState(`The board does not start: ${error.message}`, false));
