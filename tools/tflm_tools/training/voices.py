# tflm_tools: training: makes utterances at 16 kHz with the voices of espeak-ng
# MIT license; Copyright (c) 2026 the tflm authors

import io
import re
import shutil
import subprocess
import wave

import numpy as np

from ..errors import ToolError

RATE = 16000
_PROGRAM = "espeak-ng"

_ACCENTS = "en-us en-gb en-gb-scotland en-gb-x-rp en-gb-x-gbclan en-gb-x-gbcwmd en-029 en-us-nyc"
ACCENTS = _ACCENTS.split()
# Speakers of espeak-ng ("variants"), without whispers, robots and sound effects.
_SPEAKERS = (
    "adam Alex Alicia Andrea Andy Annie antonio aunty belinda benjamin boris caleb croak david "
    "Denis Diogo ed edward edward2 f1 f2 f3 f4 f5 Gene Gene2 grandma grandpa gustave Henrique "
    "Hugo iven iven2 iven3 iven4 Jacky john kaukovalta klatt klatt2 klatt3 klatt4 klatt5 klatt6 "
    "Lee linda m1 m2 m3 m4 m5 m6 m7 m8 marcelo Marco Mario max Michael michel miguel mike "
    "norbert Nguyen pablo paul pedro quincy rob robert sandro shelby steph steph2 steph3 Storm "
    "travis victor Zac anika"
)
SPEAKERS = _SPEAKERS.split()
# Every sixth speaker is in the test set, the next one in the validation set.
TEST_SPEAKERS = SPEAKERS[3::6]
VALIDATION_SPEAKERS = SPEAKERS[4::6]
TRAIN_SPEAKERS = [s for s in SPEAKERS if s not in TEST_SPEAKERS + VALIDATION_SPEAKERS]


def resample(samples, count):
    """Return a sound resampled to `count` float32 samples: its spectrum is truncated or padded."""
    spectrum = np.fft.rfft(samples)[: count // 2 + 1]
    spectrum = np.pad(spectrum, (0, count // 2 + 1 - len(spectrum)))
    return (np.fft.irfft(spectrum, count) * count / len(samples)).astype(np.float32)


# The samples without the silence at both ends.
def _trim(samples):
    loud = np.flatnonzero(np.abs(samples) > 0.02 * np.abs(samples).max())
    return samples[loud[0] : loud[-1] + 1]


def check_program():
    """Raise ToolError if espeak-ng is not installed."""
    if not shutil.which(_PROGRAM):
        raise ToolError(
            f"the program {_PROGRAM}, which speaks the phrases, is missing; install it with: "
            "apt-get install espeak-ng, or brew install espeak-ng"
        )


def say(text, accent, speaker, speed=160, pitch=50):
    """Return an utterance as float32 samples at RATE; the largest absolute value is 1.

    speed: words per minute. pitch: 0 to 99. Silence at both ends is removed. Raises ToolError if
    espeak-ng is not installed.
    """
    check_program()
    command = [_PROGRAM, "-v", f"{accent}+{speaker}", "-s", str(speed), "-p", str(pitch)]
    spoken = subprocess.run(
        [*command, "--stdout", "--", text], capture_output=True, check=True
    ).stdout
    with wave.open(io.BytesIO(spoken)) as file:
        rate = file.getframerate()
        samples = np.frombuffer(spoken[44:], "<i2").astype(np.float32)
    samples = _trim(resample(samples, len(samples) * RATE // rate))
    return samples / np.abs(samples).max()


def phonemes(texts):
    """Return the pronunciation of each text in espeak-ng's mnemonics, without stress and spaces.

    texts: plain words. Raises ToolError if espeak-ng is not installed.
    """
    check_program()
    command = [_PROGRAM, "-q", "-x", "-v", ACCENTS[0], "--stdin"]
    paragraphs = "\n\n".join(texts).encode()
    done = subprocess.run(command, input=paragraphs, capture_output=True, check=True)
    lines = done.stdout.decode().splitlines()
    return [re.sub(r"[\s',%=_|]", "", line) for line in lines if line.strip()]
