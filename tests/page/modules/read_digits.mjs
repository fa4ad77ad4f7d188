// Tests of the page: node read_digits.mjs WORKER ROM IMAGE SAMPLES: reads digits without a browser
// MIT license; Copyright (c) 2026 the tflm authors

// WORKER is the bundle of src/emulator_worker.js, SAMPLES a file of pictures of 64 bytes. Prints JSON: the
// board's answers, how often its LED was switched on, and the exceptions of stopped programs.
import fs from 'node:fs';
import { pathToFileURL } from 'node:url';
import { Repl } from '../../../page/src/repl.js';

const [worker, rom, image, samples] = process.argv.slice(2);
setTimeout(() => process.exit(1), 280_000); // the parent may be able to end only a wrapper of node
let listener = null;
let flashes = 0;
globalThis.self = {
  postMessage(message) {
    if (message.kind === 'received') listener?.(message.bytes);
    else if (message.kind === 'fault') throw new Error(message.text);
    else if (message.kind === 'light') flashes += Number(message.on);
  },
};
// Node's own MessageChannel delivers a thousand messages before any timer.
globalThis.MessageChannel = class {
  port1 = { onmessage: null };
  port2 = { postMessage: () => setImmediate(() => this.port1.onmessage()) };
};
await import(pathToFileURL(worker));
const send = (data) => globalThis.self.onmessage({ data });
const repl = new Repl(
  { write: (bytes) => send({ kind: 'send', bytes }), listen(reader) { listener = reader; } },
  () => {},
);
send({ kind: 'power', rom: fs.readFileSync(rom), image: fs.readFileSync(image) });
const pictures = fs.readFileSync(samples);
const answers = [];
for (let at = 0; at < pictures.length; at += 64) {
  const text = await repl.exec(`import draw\ndraw.read(bytes((${[...pictures.subarray(at, at + 64)]})))`);
  answers.push(JSON.parse(text));
}
// Endless programs are stopped before they run or later.
const stopped = [];
for (const wait of [0, 100, 2000]) {
  const end = repl.exec("while True:\n    pass").catch((error) => error.message);
  await new Promise((resolve) => setTimeout(resolve, wait));
  repl.stop();
  stopped.push(await end);
}
console.log(JSON.stringify({ answers, flashes, stopped }));
process.exit(0);
