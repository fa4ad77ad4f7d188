// page: the loudest second of a sound file as samples for the front end on the board
// MIT license; Copyright (c) 2026 the tflm authors

const RATE = 16_000; // samples a second of the front end
const HOP = 320; // samples of 20 ms
const HOPS = 49; // of an example: about a second, as the network reads it
const CHANNELS = 40; // features of a hop

/** Return whether a file is a sound, by its type or name. @param {File} file */
export const isSound = (file) => file.type.startsWith('audio/') || /\.(wav|mp3|ogg|flac|m4a)$/i.test(file.name);

/**
 * Return the loudest second of a sound file as bytes of int16 at 16 kHz; a shorter sound ends with silence.
 * @param {File} file
 */
export async function samplesOf(file) {
  const context = new OfflineAudioContext(1, RATE, RATE); // it resamples to its rate
  const sound = await context.decodeAudioData(await file.arrayBuffer()).catch(() => null);
  if (!sound) throw new Error(`this browser cannot read ${file.name} as a sound; use a WAV`);
  const channels = Array.from({ length: sound.numberOfChannels }, (_, i) => sound.getChannelData(i));
  const samples = channels[0].map((_, i) => channels.reduce((sum, channel) => sum + channel[i], 0) / channels.length);
  const start = loudest(samples);
  const found = new Int16Array(HOP * HOPS);
  samples.slice(start, start + found.length).forEach((value, i) => {
    found[i] = Math.max(-32768, Math.min(32767, Math.round(value * 32768)));
  });
  return new Uint8Array(found.buffer);
}

/** Return the first sample of the loudest second. @param {Float32Array} samples */
function loudest(samples) {
  /** @type {number[]} */
  const energies = []; // of each 20 ms
  for (let at = 0; at + HOP <= samples.length; at += HOP) {
    energies.push(samples.subarray(at, at + HOP).reduce((sum, value) => sum + value * value, 0));
  }
  let sum = 0;
  let best = { sum: -1, first: 0 };
  energies.forEach((energy, i) => {
    sum += energy - (energies[i - HOPS] ?? 0);
    const first = Math.max(i + 1 - HOPS, 0);
    if (sum > best.sum && (i + 1 >= HOPS || i === energies.length - 1)) best = { sum, first };
  });
  return best.first * HOP;
}

/** Draw features on a small canvas: time to the right, high tones on top. @param {HTMLCanvasElement} canvas @param {Uint8Array} features int8 */
export function paintFeatures(canvas, features) {
  canvas.width = HOPS;
  canvas.height = CHANNELS;
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
  features.forEach((byte, i) => {
    context.fillStyle = `rgb(0 0 0 / ${((byte + 128) % 256) / 255})`;
    context.fillRect(Math.floor(i / CHANNELS), CHANNELS - 1 - (i % CHANNELS), 1, 1);
  });
}
