# Writes *.wav for the tests of wake words: espeak-ng's voices in soft noise
# MIT license; Copyright (c) 2026 the tflm authors

import io
import subprocess
import wave
from pathlib import Path

import numpy as np

RATE = 16000
_HERE = Path(__file__).resolve().parent
_LOUDNESS = 2500  # of phrases, root mean square
_NOISE = 60
_SEED = 2026

# Total seconds; (second, voice of espeak-ng, words a minute, text). No voice that says "hey pico"
# was used to train models/hey_pico.
SCENES = {
    "phrases.wav": (
        11,
        (1.3, "en-us", 160, "okay nabu"),
        (2.9, "en-gb", 160, "what a lovely day"),
        (4.6, "en-gb", 160, "alexa"),
        (6.0, "en-us+f3", 160, "hey jarvis"),
        (7.6, "en-gb", 160, "hey mycroft"),
        (9.2, "en-us+m3", 130, "okay nabu"),
    ),
    "hey_pico.wav": (
        7,
        (1.8, "en-us+linda", 150, "hey pico"),
        (3.4, "en-gb+max", 160, "hey what a lovely day"),
        (5.4, "en-gb+m6", 140, "hey pico"),
    ),
}


# Return int16 samples at RATE of a text.
def _say(voice, speed, text):
    command = ["espeak-ng", "-v", voice, "-s", str(speed), "--stdout", text]
    spoken = subprocess.run(command, capture_output=True, check=True).stdout
    with wave.open(io.BytesIO(spoken)) as file:
        rate = file.getframerate()
        samples = np.frombuffer(file.readframes(1 << 24), "<i2").astype(float)
    count = int(len(samples) * RATE / rate)
    return np.interp(np.arange(count) * rate / RATE, np.arange(len(samples)), samples)


def scene(seconds, *said):
    """Return the int16 samples of one of SCENES."""
    samples = _NOISE * np.random.RandomState(_SEED).normal(size=seconds * RATE)
    for second, voice, speed, text in said:
        phrase = _say(voice, speed, text)
        begin = int(second * RATE)
        samples[begin : begin + len(phrase)] += _LOUDNESS * phrase / np.sqrt(np.mean(phrase**2))
    return np.clip(np.round(samples), -32768, 32767).astype("<i2")


def main():
    """Write the files to this folder; needs espeak-ng."""
    for name, described in SCENES.items():
        with wave.open(str(_HERE / name), "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(RATE)
            file.writeframes(scene(*described).tobytes())


if __name__ == "__main__":
    main()
