// page: sound for the board, from the visitor's microphone or from a file of the page
// MIT license; Copyright (c) 2026 the tflm authors

import { load } from './loading.js';

export const RATE = 16_000; // samples a second of the front end

/** Samples that the board has not heard yet. */
export class Sound {
  /** @type {number[]} */
  #waiting = [];
  #ended = false;
  #wake = () => {};

  /** How many samples wait. */
  get waiting() {
    return this.#waiting.length;
  }

  /** Append samples. @param {Iterable<number>} samples -1..1 */
  push(samples) {
    if (this.#ended) return;
    for (const value of samples) this.#waiting.push(Math.max(-32768, Math.min(32767, Math.round(value * 32768))));
    this.#wake();
  }

  /** No samples follow. */
  end() {
    this.#ended = true;
    this.#wake();
  }

  /** Remove and return the next samples, with silence after the last one; null after the end. @param {number} count */
  async next(count) {
    while (this.#waiting.length < count && !this.#ended) {
      await new Promise((resolve) => { this.#wake = () => resolve(undefined); });
    }
    if (!this.#waiting.length) return null;
    const piece = new Int16Array(count);
    piece.set(this.#waiting.splice(0, count));
    return piece;
  }
}

const REFUSALS = /** @type {Record<string, string>} */ ({
  NotAllowedError: 'the browser may not use your microphone; allow it beside the address, then press the button again',
  NotFoundError: 'there is no microphone; plug one in, or play the recording',
  NotSupportedError: 'this browser cannot record at 16 kHz; use Chromium, Chrome or Edge, or play the recording',
});

/**
 * Append the sound of the visitor's microphone to `sound`; return a function that switches the microphone off.
 * @param {Sound} sound
 */
export async function record(sound) {
  if (!navigator.mediaDevices) throw new Error('browsers offer a microphone only over HTTPS; open the page from there');
  const context = new AudioContext({ sampleRate: RATE }); // it resamples to its rate
  /** @type {MediaStream | null} */
  let stream = null;
  const off = () => {
    for (const track of stream?.getTracks() ?? []) track.stop();
    context.close();
  };
  try {
    stream = await navigator.mediaDevices.getUserMedia({ audio: { channelCount: 1, echoCancellation: false, noiseSuppression: false } });
    await context.audioWorklet.addModule('microphone_worklet.js');
    const node = new AudioWorkletNode(context, 'samples', { numberOfOutputs: 0, channelCount: 1, channelCountMode: 'explicit' });
    node.port.onmessage = ({ data }) => sound.push(data);
    context.createMediaStreamSource(stream).connect(node);
    await context.resume();
  } catch (error) {
    off();
    const { name, message } = /** @type {Error} */ (error);
    throw new Error(REFUSALS[name] ?? `the microphone does not work: ${message}`);
  }
  return off;
}

/** Append the page's recording of words to `sound`, and end it. @param {Sound} sound */
export async function play(sound) {
  const answer = await load('words.wav');
  const context = new OfflineAudioContext(1, 1, RATE);
  const decoded = await context.decodeAudioData(await answer.arrayBuffer());
  sound.push(decoded.getChannelData(0));
  sound.end();
}
