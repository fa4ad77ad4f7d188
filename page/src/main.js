// page: starts the board and puts the parts of the page together
// MIT license; Copyright (c) 2026 the tflm authors

import { EmulatedBoard } from './board.js';
import { Drawing } from './digit.js';
import { element } from './elements.js';
import { Model } from './model.js';
import { OwnBoard } from './own_board.js';
import { Prompt } from './prompt.js';
import { PROMPT, Repl } from './repl.js';
import { Tools } from './tools.js';

const FIRST = 3; // the digit of the test set that is read first

/** @param {string} name @returns {Promise<Response>} */
async function get(name) {
  const answer = await fetch(name);
  if (!answer.ok) throw new Error(`${name} did not come (${answer.status}); load the page again`);
  return answer;
}

/** @param {Response} answer */
const bytes = async (answer) => new Uint8Array(await answer.arrayBuffer());

/** What zlib made of a file; few servers would make it small on the way. @param {string} name */
async function unpacked(name) {
  const { body } = await get(name);
  return bytes(new Response(body?.pipeThrough(new DecompressionStream('deflate'))));
}

/** @param {string} text @param {boolean} on */
function tellState(text, on) {
  element('state').textContent = text;
  element('light').className = on ? 'light on' : 'light off';
}

/** @param {number | null} share */
function tellSpeed(share) {
  const text = share === null ? 'It sleeps.' : `It runs at ${Math.round(100 * share)} % of a real one's speed.`;
  element('speed').textContent = text;
}

async function start() {
  const [rom, image, answer] = await Promise.all([get('bootrom.bin').then(bytes), unpacked('pico.zlib'), get('about.json')]);
  /** @type {import('./messages.js').About} */
  const about = await answer.json();
  element('version').textContent = `tflm ${about.version}`;
  const board = new EmulatedBoard({
    fault: (text) => tellState(`The board stopped: ${text}; restart it.`, false),
    light: (on) => element('led', SVGElement).classList.toggle('on', on),
    speed: tellSpeed,
  });
  const prompt = new Prompt(about.programs);
  const repl = new Repl(board, (received) => prompt.show(received));
  prompt.connect(repl);

  /** @param {number[]} pixels */
  const read = async (pixels) => JSON.parse(await repl.exec(`import draw\ndraw.read(bytes((${pixels})))`));
  const drawing = new Drawing(read, about.samples);

  /** @param {Uint8Array | null} made null: flash keeps what it holds */
  const power = async (made) => {
    repl.forget();
    board.power(rom, made);
    tellState('The board is on.', true);
    await drawing.show(about.samples[FIRST]);
    prompt.show(`\r\n${repl.banner.trimStart()}${PROMPT}`);
  };
  element('restart', HTMLButtonElement).addEventListener('click', () => power(null));
  const tools = new Tools();
  const model = new Model(tools, about.models, (code) => repl.exec(code), power);
  new OwnBoard(tools, () => model.given(), about.boards);
  await power(image);
  model.prepare();
  await navigator.serviceWorker?.register('offline.js').catch(() => {}); // not everywhere: it does without
}

start().catch((error) => tellState(`The board does not start: ${error.message}`, false));
