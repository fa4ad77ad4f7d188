// Tests of the page: programs that the page runs at a board's prompt
// MIT license; Copyright (c) 2026 the tflm authors

import assert from 'node:assert/strict';
import test from 'node:test';
import { Repl } from '../../../page/src/repl.js';

const RAW = 'raw REPL; CTRL-B to exit\r\n>';

// A board whose programs print their own text. Programs with "hang" in it do not end.
class Port {
  #listener = () => {};
  #code = '';
  listen(listener) { this.#listener = listener; }
  #say(text) { setTimeout(() => this.#listener(new TextEncoder().encode(text))); }
  write(bytes) {
    for (const letter of new TextDecoder().decode(bytes)) {
      if (letter === '\x01') this.#say(RAW);
      else if (letter === '\x02') this.#say('\r\nMicroPython\r\n>>> ');
      else if (letter === '\x04') this.#say(this.#code.includes('hang') ? 'OK' : `OK${this.#code}\x04\x04>`);
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
