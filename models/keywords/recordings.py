# Make words.wav and others.wav for tests and documentation, by speakers of the test set
# MIT license; Copyright (c) 2026 the tflm authors

import io
import sys
import wave
from pathlib import Path

import numpy as np

_HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(_HERE), str(_HERE.parent)]

from tflm_tools.training import streams, voices  # noqa: E402
from training import save  # noqa: E402

_LOUDNESS = 3000  # of words, root mean square
_NOISE = 60
_SEED = 2026

# Length in seconds, and (second, text, accent, number of a speaker of the test set).
SCENES = {
    "words.wav": (
        4,
        [(0.8, "yes", "en-us", 4), (1.9, "no", "en-gb", 9), (3.0, "stop", "en-us", 10)],
    ),
    "others.wav": (2, [(0.6, "seven", "en-gb", 10), (1.3, "hello", "en-us", 4)]),
}


def scene(seconds, words):
    """Return int16 samples of `words` over soft noise."""
    random = np.random.RandomState(_SEED)
    samples = _NOISE * streams.noise(seconds * voices.RATE, random)
    for second, text, accent, speaker in words:
        word = voices.say(text, accent, voices.TEST_SPEAKERS[speaker])
        begin = int(second * voices.RATE)
        samples[begin : begin + len(word)] += _LOUDNESS * word / np.sqrt(np.mean(word**2))
    return np.clip(np.round(samples), -32768, 32767).astype(np.int16)


def wav(samples):
    """Return the bytes of a WAV file with int16 samples."""
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(voices.RATE)
        file.writeframes(samples.astype("<i2").tobytes())
    return buffer.getvalue()


def main():
    """Write the files beside this one."""
    for name, (seconds, words) in SCENES.items():
        save.save(_HERE / name, wav(scene(seconds, words)))


if __name__ == "__main__":
    main()
