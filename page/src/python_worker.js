// page: the worker in which the host's tools run: CPython as WebAssembly, with page/python/page_tools.py
// MIT license; Copyright (c) 2026 the tflm authors

import { Channel } from './serial_channel.js';

const FOLDER = '/tflm'; // folder of the tools in Pyodide's file system
const urlOf = (/** @type {string} */ name) => new URL(name, import.meta.url).href; // a file beside this one

/** A file of the tools could not be loaded. */
class MissingError extends Error {}

/** Return the result of a promise that loads files. @template T @param {Promise<T>} coming */
const loaded = (coming) => coming.catch((error) => { throw new MissingError(String(error)); });

/** Return the bytes of a file beside this one. @param {string} name */
async function load(name) {
  const answer = await loaded(fetch(urlOf(name)));
  if (!answer.ok) throw new MissingError(name);
  return answer.arrayBuffer();
}

const START = `
import sys
from pathlib import Path
sys.path.insert(0, '${FOLDER}')
import page_tools
_data = Path('${FOLDER}/data')
_firmware = (_data / 'firmware.bin').read_bytes()
_rom = {str(p.relative_to(_data / 'rom')): p.read_bytes() for p in (_data / 'rom').rglob('*') if p.is_file()}
`;

/** @type {Promise<import('pyodide').PyodideInterface> | null} */
let started = null;

// Pyodide waits for ever if its WebAssembly cannot be loaded. Therefore this function watches its requests.
/** @param {() => Promise<import('pyodide').PyodideInterface>} startPyodide */
async function watched(startPyodide) {
  const unwatched = self.fetch;
  try {
    return await new Promise((resolve, reject) => {
      self.fetch = async (...request) => {
        try {
          const answer = await unwatched(...request);
          if (!answer.ok) throw new Error(`${answer.url}: ${answer.status}`);
          return answer;
        } catch (error) {
          reject(error);
          throw error;
        }
      };
      startPyodide().then(resolve, reject);
    });
  } finally {
    self.fetch = unwatched;
  }
}

async function start() {
  const pyodide = urlOf('pyodide/');
  /** @type {typeof import('pyodide')} */
  const { loadPyodide } = await loaded(import(`${pyodide}pyodide.mjs`));
  const [python, tools] = await Promise.all([loaded(watched(() => loadPyodide({ indexURL: pyodide }))), load('tools.zip')]);
  python.unpackArchive(tools, 'zip', { extractDir: FOLDER });
  python.runPython(START);
  return python;
}

/** @param {import('./messages.js').FromPython} message */
function post(message) {
  self.postMessage(message);
}

/** @type {Promise<void> | null} */
let boards = null;

// Load the tools for boards, with the compiled runtime for firmware without tflm. Few visitors need them.
/** @param {import('pyodide').PyodideInterface} python */
async function startBoards(python) {
  const data = new Uint8Array(await load('compiled.zip'));
  python.FS.writeFile(`${FOLDER}/tflm_tools/packages/compiled.zip`, data);
  python.runPython('import board_tools');
}

// Python waits for the board. That requires WebAssembly promises, which runPythonAsync provides.
/**
 * @param {import('pyodide').PyodideInterface} python
 * @param {Extract<import('./messages.js').ToPython, { port: MessagePort }>} message
 */
async function onBoard(python, { port, label, model, ...message }) {
  await (boards ??= startBoards(python));
  const given = {
    _channel: new Channel(port), _port: label, _name: model.name, _bytes: model.data,
    _progress: (/** @type {number} */ done, /** @type {number} */ all) => post({ kind: 'progress', done, all }),
  };
  for (const [name, value] of Object.entries(given)) python.globals.set(name, value);
  const arguments_ = '_channel, _port, _name, _bytes.to_bytes()';
  if (message.kind === 'doctor') return JSON.parse(await python.runPythonAsync(`board_tools.look(${arguments_})`));
  python.globals.set('_to', message.to);
  python.globals.set('_replace', message.replace);
  return JSON.parse(await python.runPythonAsync(`board_tools.send(${arguments_}, _to, _replace, _progress)`));
}

/**
 * @param {import('pyodide').PyodideInterface} python
 * @param {Extract<import('./messages.js').ToPython, { kind: 'files' }>} message
 */
async function files(python, { board, model }) {
  await (boards ??= startBoards(python));
  for (const [name, value] of Object.entries({ _name: model.name, _bytes: model.data, _board: board })) python.globals.set(name, value);
  const archive = python.runPython('board_tools.files(_name, _bytes.to_bytes(), _board)');
  const [error, data, name, lines] = archive.toJs();
  archive.destroy();
  return { error, data, name, lines };
}

/** @param {import('./messages.js').ToPython} message */
async function answer(message) {
  started ??= start();
  const python = await started;
  const tools = python.globals;
  switch (message.kind) {
    case 'doctor':
    case 'deploy':
      return onBoard(python, message);
    case 'look':
      tools.set('_name', message.name);
      tools.set('_bytes', message.data);
      return JSON.parse(python.runPython('page_tools.look(_name, _bytes.to_bytes())'));
    case 'start':
      return null;
    case 'make':
      tools.set('_quick', message.quick);
      return JSON.parse(python.runPython('page_tools.make(_firmware, _rom, _quick)'));
    case 'report':
      tools.set('_events', message.events);
      return python.runPython('page_tools.page(_events)');
    case 'files':
      return files(python, message);
    default: {
      const products = python.runPython('page_tools.products()');
      const [flat, image] = products.toJs();
      products.destroy();
      return { flat, image };
    }
  }
}

/** @param {MessageEvent<import('./messages.js').ToPython>} event */
self.onmessage = async ({ data: message }) => {
  try {
    post({ kind: 'result', result: await answer(message) });
  } catch (error) {
    // The page ends this worker after either message.
    const lines = String(/** @type {Error} */ (error).message).trim().split('\n');
    if (error instanceof MissingError) post({ kind: 'missing' });
    else post({ kind: 'error', error: `the tools of this page failed (${lines.at(-1)}); try again, or use another model` });
  }
};
