# Measure the app `voice` on an emulated Pico, whose microphone hears words of unknown voices
# MIT license; Copyright (c) 2026 the tflm authors

# Arguments: WORDS SEED. The speakers, pitches and speeds are none of the training; one of five
# words is not in the vocabulary. An emulated second takes several seconds.

import json
import os
import re
import select
import signal
import subprocess
import sys
import tempfile
import wave
from pathlib import Path

import numpy as np
from tflm_tools.training import voices

_HERE = Path(__file__).resolve().parent
_ROOT = _HERE.parents[1]
_RATE = voices.RATE
_ACCENTS = ["en-us", "en-gb", "en-gb-scotland", "en-gb-x-rp"]
_PITCHES = 10, 15, 88, 92  # training used 20 to 84
_SPEEDS = 95, 103, 213, 225  # words a minute; training used 110 to 209
_PAUSE = 1.6  # seconds; while a Pico recognizes a word, it hears nothing
_LATEST = 1.5  # seconds from the end of a word to its answer
_BEGIN, _SILENCE = 900, 120  # seconds until the first output, and between others at most
_OTHERS = "seven", "window", "banana", "yesterday", "umbrella", "twenty"
_LINE = re.compile(r" *([0-9.]+) s  (\w+) +([0-9]+) %")


# Return (int16 samples, [(word or "", end in seconds)]): the words, with other words in between.
def _stream(count, seed):
    names = json.loads((_HERE / "words.json").read_text())["classes"][1:]
    names = [name for name in names if name[0] != "_"]
    random = np.random.RandomState(seed)
    sounds, said, at = [np.zeros(_RATE, np.float32)], [], _RATE
    for i in range(count + count // 4):
        is_word = i % 5 < 4
        word = names[len([w for w, _ in said if w]) % len(names)] if is_word else ""
        text = word or _OTHERS[i // 5 % len(_OTHERS)]
        speaker = voices.TEST_SPEAKERS[random.randint(len(voices.TEST_SPEAKERS))]
        accent = _ACCENTS[random.randint(len(_ACCENTS))]
        pitch, speed = _PITCHES[random.randint(4)], _SPEEDS[random.randint(4)]
        sound = voices.say(text, accent, speaker, speed, pitch) * random.uniform(0.2, 0.7)
        at += len(sound)
        said.append((word, at / _RATE))
        sounds += [sound, np.zeros(int(_PAUSE * _RATE), np.float32)]
        at += len(sounds[-1])
    samples = np.concatenate(sounds)
    samples += random.normal(0, 0.003, len(samples))
    return (32767 * samples.clip(-1, 1)).astype("<i2"), said


# Return [(seconds, word)] that the app prints while it hears a WAV file, until it says no more.
def _heard(path):
    command = ["make", "-s", "-C", str(_ROOT), "emulate", "APP=voice", f"WAV={path}"]
    heard, text, wait = [], b"", _BEGIN
    board = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, start_new_session=True
    )
    try:
        while select.select([board.stdout], [], [], wait)[0]:
            data = os.read(board.stdout.fileno(), 4096)
            if not data:
                break
            *lines, text = (text + data).split(b"\n")
            for line in lines:
                print(line.decode().rstrip(), flush=True)
                found = _LINE.match(line.decode())
                wait = _SILENCE
                if found:
                    heard.append((float(found[1]), found[2]))
    finally:
        os.killpg(board.pid, signal.SIGTERM)
        board.wait()
    return heard


def main():
    samples, said = _stream(int(sys.argv[1]), int(sys.argv[2]))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "words.wav"
        with wave.open(str(path), "wb") as file:
            file.setparams((1, 2, _RATE, 0, "NONE", ""))
            file.writeframes(samples.tobytes())
        heard = _heard(path)
    words = [(word, end) for word, end in said if word]
    right = sum(
        any(w == word and end - 0.3 < t < end + _LATEST for t, w in heard) for word, end in words
    )
    false = [
        w
        for t, w in heard
        if not any(w == word and end - 0.3 < t < end + _LATEST for word, end in words)
    ]
    print(f"{right} of {len(words)} words are right, {len(false)} answers are false in "
          f"{len(samples) / _RATE:.0f} s: {' '.join(false)}")  # fmt: skip


if __name__ == "__main__":
    main()
