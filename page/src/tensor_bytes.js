// page: turns random values, numbers, pictures and sound into the bytes of a tensor
// MIT license; Copyright (c) 2026 the tflm authors

/** @typedef {import('./messages.js').Tensor} Tensor */

/** Return the number of values of a tensor. @param {Tensor} tensor */
export const elements = (tensor) => tensor.shape.reduce((a, b) => a * b, 1);

/** Return random float32 values of -1 to 1 as bytes. @param {Tensor} tensor */
export const random = (tensor) => bytesOf(Float32Array.from({ length: elements(tensor) }, () => 2 * Math.random() - 1));

/** @param {ArrayBufferView} values */
const bytesOf = (values) => new Uint8Array(values.buffer, values.byteOffset, values.byteLength);

/** Return [height, width, channels] of a tensor that can be a picture, else null. @param {Tensor} tensor */
export function pictureShape({ dtype, shape }) {
  const [height, width, channels = 1] = shape.length === 3 && shape[0] === 1 ? shape.slice(1) : shape.slice(-3);
  const fits = shape.length >= 3 && [1, 3].includes(channels) && height > 3 && width > 3;
  return fits && ['int8', 'uint8', 'float32'].includes(dtype) ? [height, width, channels] : null;
}

/**
 * Return a picture as bytes: 0..255 as uint8, -128..127 as int8, 0..1 as float32.
 * @param {Tensor} tensor @param {Blob} file
 */
export async function fromPicture(tensor, file) {
  const [height, width, channels] = /** @type {number[]} */ (pictureShape(tensor));
  const bitmap = await createImageBitmap(file).catch(() => null);
  if (!bitmap) throw new Error('this browser cannot read the file as a picture; use a PNG or JPEG');
  const canvas = new OffscreenCanvas(width, height);
  const context = /** @type {OffscreenCanvasRenderingContext2D} */ (canvas.getContext('2d'));
  context.drawImage(bitmap, 0, 0, width, height);
  const { data } = context.getImageData(0, 0, width, height);
  const pixels = new Uint8Array(height * width * channels);
  for (let i = 0; i < height * width; i++) {
    const [red, green, blue] = data.subarray(4 * i, 4 * i + 3);
    if (channels === 3) pixels.set([red, green, blue], 3 * i);
    else pixels[i] = 0.299 * red + 0.587 * green + 0.114 * blue;
  }
  if (tensor.dtype === 'float32') return bytesOf(Float32Array.from(pixels, (pixel) => pixel / 255));
  return tensor.dtype === 'int8' ? pixels.map((pixel) => pixel ^ 0x80) : pixels;
}

/** Return whether a tensor can be sound: all samples in one dimension. @param {Tensor} tensor */
export const canBeSound = ({ dtype, shape }) =>
  Math.max(...shape, 0) >= 160 && Math.max(...shape) === shape.reduce((a, b) => a * b, 1) && ['int8', 'int16', 'float32'].includes(dtype);

const RATE = 16000; // samples a second

/**
 * Return the start of a recording at 16 kHz: int16, its upper byte as int8, or -1..1 as float32.
 * @param {Tensor} tensor @param {Blob} file
 */
export async function fromSound(tensor, file) {
  const count = elements(tensor);
  const context = new OfflineAudioContext(1, count, RATE);
  const sound = await context.decodeAudioData(await file.arrayBuffer()).catch(() => null);
  if (!sound) throw new Error('this browser cannot read the file as sound; use a WAV');
  const samples = new Float32Array(count);
  samples.set(sound.getChannelData(0).subarray(0, count));
  if (tensor.dtype === 'float32') return bytesOf(samples);
  const words = Int16Array.from(samples, (value) => Math.max(-32768, Math.min(32767, Math.round(32768 * value))));
  return bytesOf(tensor.dtype === 'int16' ? words : Int8Array.from(words, (word) => word >> 8));
}

/** Return the numbers of a text; commas, semicolons and white space separate them. @param {Tensor} tensor @param {string} text */
export function numbers(tensor, text) {
  const values = text.split(/[\s,;]+/).filter(Boolean).map(Number);
  if (!values.every(Number.isFinite)) throw new Error('not all of these are finite numbers; write 0.5, -1, 3e-2');
  const count = elements(tensor);
  if (values.length !== count) {
    const comma = /\d,\d/.test(text) ? '; a comma separates numbers, so write 0.5 with a point' : '';
    throw new Error(`the number of values is ${values.length}, and the input has ${count}; enter ${count}${comma}`);
  }
  return values;
}
