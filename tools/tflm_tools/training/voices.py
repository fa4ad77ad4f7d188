# tflm_tools: training: speech from espeak-ng: voices, their split, and utterances at 16 kHz
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
# Speakers of espeak-ng ("variants"). Whispers, robots and sound effects are left out.
_SPEAKERS = (
    "adam Alex Alicia Andrea Andy Annie antonio aunty belinda benjamin boris caleb croak david "
    "Denis Diogo ed edward edward2 f1 f2 f3 f4 f5 Gene Gene2 grandma grandpa gustave Henrique "
    "Hugo iven iven2 iven3 iven4 Jacky john kaukovalta klatt klatt2 klatt3 klatt4 klatt5 klatt6 "
    "Lee linda m1 m2 m3 m4 m5 m6 m7 m8 marcelo Marco Mario max Michael michel miguel mike "
    "norbert Nguyen pablo paul pedro quincy rob robert sandro shelby steph steph2 steph3 Storm "
    "travis victor Zac anika"
)
SPEAKERS = _SPEAKERS.split()
# Every sixth speaker is held out: the test set. The one after it validates.
TEST_SPEAKERS = SPEAKERS[3::6]
VALIDATION_SPEAKERS = SPEAKERS[4::6]
TRAIN_SPEAKERS = [s for s in SPEAKERS if s not in TEST_SPEAKERS + VALIDATION_SPEAKERS]


def resample(samples, count):
    """The same sound as `count` float32 samples: its spectrum is cut off, or padded."""
    spectrum = np.fft.rfft(samples)[: count // 2 + 1]
    spectrum = np.pad(spectrum, (0, count // 2 + 1 - len(spectrum)))
    return (np.fft.irfft(spectrum, count) * count / len(samples)).astype(np.float32)


# The samples without the silence at both ends.
def _trim(samples):
    loud = np.flatnonzero(np.abs(samples) > 0.02 * np.abs(samples).max())
    return samples[loud[0] : loud[-1] + 1]


def check_program():
    """Raise ToolError where espeak-ng is not installed."""
    if not shutil.which(_PROGRAM):
        raise ToolError(
            f"{_PROGRAM}, which speaks the words, is not installed; install it: apt-get install "
            "espeak-ng, brew install espeak-ng"
        )


def say(text, accent, speaker, speed=160, pitch=50):
    """One utterance as float32 samples of -1..1 at RATE, loudest sample 1, ends trimmed.

    espeak-ng runs as a program. Raises ToolError where it is missing.
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
    """How espeak-ng pronounces texts of plain words: its mnemonics, without stress and spaces.

    Raises ToolError where it is missing.
    """
    check_program()
    command = [_PROGRAM, "-q", "-x", "-v", ACCENTS[0], "--stdin"]
    given = "\n\n".join(texts).encode()  # a paragraph each
    said = subprocess.run(command, input=given, capture_output=True, check=True).stdout.decode()
    return [re.sub(r"[\s',%=_|]", "", line) for line in said.splitlines() if line.strip()]
