# Spoken words from espeak-ng: voices, their split, and clips at 16 kHz
# MIT license; Copyright (c) 2026 the tflm authors

import io
import shutil
import subprocess
import sys
import wave
from concurrent.futures import ThreadPoolExecutor

import numpy as np

RATE = 16000
LABELS = ("silence", "unknown", "yes", "no", "stop")
WORDS = LABELS[2:]

# What the model must not take for a word: everyday words, and some that sound like ours.
_OTHERS = (
    "up down left right on off one two three four five six seven eight nine zero cat dog bird "
    "house happy tree wow bed table water music light red blue green hello please thanks "
    "yet yesterday chess guess mess less west yellow you nose note now new snow nut low own "
    "top step stock star store stamp spot shop stay still hot"
)
OTHERS = tuple(_OTHERS.split())
PHRASES = (
    "what time is it",
    "the weather is fine today",
    "turn the light on please",
    "I would like a cup of tea",
    "where did you put the keys",
    "she sells sea shells",
    "open the window",
    "we are going home",
    "a quick brown fox",
    "call me tomorrow morning",
    "play some music",
    "how are you doing",
)
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


def say(text, accent, speaker, speed=160, pitch=50):
    """One utterance as float32 samples of -1..1 at RATE, loudest sample 1, ends trimmed.

    espeak-ng runs as a program. Raises SystemExit with a sentence when it is missing.
    """
    command = ["espeak-ng", "-v", f"{accent}+{speaker}", "-s", str(speed), "-p", str(pitch)]
    if not shutil.which(command[0]):
        sys.exit("espeak-ng is missing, which speaks the words; on Debian: apt-get install it")
    spoken = subprocess.run([*command, "--stdout", text], capture_output=True, check=True).stdout
    with wave.open(io.BytesIO(spoken)) as file:
        rate = file.getframerate()
        samples = np.frombuffer(spoken[44:], "<i2").astype(np.float32)
    samples = _trim(resample(samples, len(samples) * RATE // rate))
    return samples / np.abs(samples).max()


def clips(speakers, each, seed):
    """List of (label index, samples): every speaker says each word `each` times, and as many
    others as all words together; accents, speeds and pitches at random.
    """
    random = np.random.RandomState(seed)
    jobs = []
    for speaker in speakers:
        texts = [(i + 2, word) for i, word in enumerate(WORDS) for _ in range(each)]
        others = random.permutation(OTHERS)[: each * 5]
        texts += [(1, word) for word in others]
        texts += [(1, phrase) for phrase in random.permutation(PHRASES)[:each]]
        for label, text in texts:
            text += random.choice(["", ".", "!", "?"])
            accent = random.choice(ACCENTS)
            speed, pitch = random.randint(110, 210), random.randint(20, 85)
            jobs.append((label, text, accent, speaker, speed, pitch))
    with ThreadPoolExecutor(2) as pool:
        spoken = pool.map(lambda job: say(*job[1:]), jobs)
        return [(job[0], samples) for job, samples in zip(jobs, spoken, strict=True)]
