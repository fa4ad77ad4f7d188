// Tests of the page: programs that the page runs at a board's prompt
// MIT license; Copyright (c) 2026 the tflm authors

import assert from 'node:assert/strict';
import test from 'node:test';
import { Repl } from '../../../page/src/repl.js';

const RAW = 'raw REPL; CTRL-B to exit\r\n>';

// A board whose programs print their own text. Programs with "hang" in it do not end, and those with
// "exit" in it end by SystemExit.
class Port {
  #listener = () => {};
  #code = '';
  listen(listener) { this.#listener = listener; }
  #answer() {
    if (this.#code.includes('exit')) return `OK${this.#code}\x04\x04\r\nMPY: soft reboot\r\n${RAW}`;
    return this.#code.includes('hang') ? 'OK' : `OK${this.#code}\x04\x04>`;
  }
  #say(text) { setTimeout(() => this.#listener(new TextEncoder().encode(text))); }
  write(bytes) {
    for (const letter of new TextDecoder().decode(bytes)) {
      if (letter === '\x01') this.#say(RAW);
      else if (letter === '\x02') this.#say('\r\nMicroPython\r\n>>> ');
      else if (letter === '\x04') this.#say(this.#answer());
      else if (letter === '!') this.#say('!\r\n>>> ');
      this.#code = letter < ' ' ? '' : this.#code + letter;
    }
  }
}

test('programs run one after another, and a restart rejects all pending programs', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const repl = new Repl(new Port(), () => {});
  assert.deepEqual(await Promise.all([repl.exec('one'), repl.exec('two')]), ['one', 'two']);
  const waiting = [repl.exec('hang'), repl.exec('never')];
  await new Promise((resolve) => setTimeout(resolve, 50));
  repl.forget();
  for (const each of waiting) await assert.rejects(each, /the board was started again/);
  assert.equal(await repl.exec('three'), 'three');
});

test('a program that ends by SystemExit ends, and shows the soft reset', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const repl = new Repl(new Port(), () => {});
  let shown = '';
  assert.equal(await repl.exec('exit', { each: (text) => { shown += text; } }), 'exit');
  assert.equal(shown, 'exit\r\nMPY: soft reboot\r\n');
  assert.equal(await repl.exec('next'), 'next');
});

test('a program waits for the line that is typed at the prompt', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const repl = new Repl(new Port(), () => {});
  repl.type('half');
  let ended = false;
  let reason = '';
  const end = repl.exec('one', { waits: (text) => { reason = text; } }).then(() => { ended = true; });
  await new Promise((resolve) => setTimeout(resolve, 1100));
  assert.ok(!ended && reason.startsWith('The prompt is in use.'));
  repl.type('!');
  await end;
});

test('a board that starts loses bytes, and is asked again', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const port = new Port();
  const write = port.write.bind(port);
  let writes = 0;
  // The board gets two of the first three tries late, together.
  port.write = (bytes) => {
    writes += 1;
    if (writes === 3) write(bytes);
    if (writes > 2) write(bytes);
  };
  const repl = new Repl(port, () => {}, { tries: 100 });
  assert.equal(await repl.exec('one'), 'one');
});
