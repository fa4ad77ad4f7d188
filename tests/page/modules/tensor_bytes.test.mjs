// Tests of the page: numbers, pictures and sound as the bytes of a tensor
// MIT license; Copyright (c) 2026 the tflm authors

import assert from 'node:assert/strict';
import test from 'node:test';
import { numbers, pictureShape, random, canBeSound } from '../../../page/src/tensor_bytes.js';

const tensor = (dtype, shape, size = 1) => ({ name: 'x', dtype, shape, bytes: size * shape.reduce((a, b) => a * b, 1) });

test('commas, spaces and line breaks separate numbers', () => {
  assert.deepEqual(numbers(tensor('int8', [1, 4]), ' 1, -2;3e-1\n 4 '), [1, -2, 0.3, 4]);
  assert.deepEqual(numbers(tensor('float32', [], 4), '7'), [7]);
});

test('invalid numbers and a wrong count raise an error', () => {
  assert.throws(() => numbers(tensor('int8', [2]), '1 two'), /not all of these are finite numbers/);
  assert.throws(() => numbers(tensor('int8', [2]), '1 1e999'), /not all of these are finite numbers/);
  assert.throws(() => numbers(tensor('int8', [2]), ''), /the number of values is 0, and the input has 2; enter 2$/);
  assert.throws(() => numbers(tensor('int8', [1]), '0,5'), /a comma separates numbers, so write 0.5 with a point/);
});

test('random float32 values are from -1 to 1', () => {
  const bytes = random(tensor('float32', [1, 50], 4));
  const values = new Float32Array(bytes.buffer, bytes.byteOffset, 50);
  assert.ok(values.every((value) => value >= -1 && value <= 1) && new Set(values).size > 40);
});

test('a picture has height, width and 1 or 3 channels', () => {
  assert.deepEqual(pictureShape(tensor('int8', [1, 96, 80, 3])), [96, 80, 3]);
  assert.deepEqual(pictureShape(tensor('uint8', [1, 28, 28])), [28, 28, 1]);
  for (const shape of [[1, 96, 96, 2], [1, 10], [1, 3, 3, 1], []]) assert.equal(pictureShape(tensor('int8', shape)), null);
  assert.equal(pictureShape(tensor('int32', [1, 96, 96, 1], 4)), null);
});

test('sound has all samples in one dimension', () => {
  assert.ok(canBeSound(tensor('int16', [1, 320], 2)));
  assert.ok(!canBeSound(tensor('int8', [1, 49, 40])) && !canBeSound(tensor('int8', [1, 20])) && !canBeSound(tensor('int8', [])));
});
