// page: the worker that the host's tools run in: CPython as WebAssembly, and page/python/page_tools.py
// MIT license; Copyright (c) 2026 the tflm authors

const FOLDER = '/tflm'; // of the tools, in Pyodide's file system
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

async function start() {
  const place = new URL('./pyodide/', self.location.href).href;
  /** @type {typeof import('pyodide')} */
  const { loadPyodide } = await import(`${place}pyodide.mjs`);
  const [python, tools] = await Promise.all([loadPyodide({ indexURL: place }), fetch('tools.zip')]);
  if (!tools.ok) throw new Error(`tools.zip did not come (${tools.status}); load the page again`);
  python.unpackArchive(await tools.arrayBuffer(), 'zip', { extractDir: FOLDER });
  python.runPython(START);
  return python;
}

/** @param {import('./messages.js').ToPython} message */
async function answer(message) {
  started ??= start();
  const python = await started;
  const tools = python.globals;
  if (message.kind === 'look') {
    tools.set('_name', message.name);
    tools.set('_bytes', message.data);
    return JSON.parse(python.runPython('page_tools.look(_name, _bytes.to_bytes(), _firmware, _rom)'));
  }
  if (message.kind === 'timed') {
    tools.set('_events', message.events);
    return python.runPython('page_tools.timed(_events)');
  }
  const made = python.runPython('page_tools.made()');
  const [flat, image] = made.toJs();
  made.destroy();
  return { flat, image };
}

/** @param {MessageEvent<import('./messages.js').ToPython>} event */
self.onmessage = async ({ data: message }) => {
  try {
    self.postMessage({ result: await answer(message) });
  } catch (error) {
    const lines = String(/** @type {Error} */ (error).message).trim().split('\n');
    self.postMessage({ error: `the tools failed (${lines.at(-1)}); load the page again` });
  }
};
