// page: sends the samples of a microphone from the browser's audio thread to the page
// MIT license; Copyright (c) 2026 the tflm authors

class Samples extends AudioWorkletProcessor {
  /** @param {Float32Array[][]} inputs */
  process([channels]) {
    if (channels.length) this.port.postMessage(channels[0].slice());
    return true;
  }
}

registerProcessor('samples', Samples);
