# tflm_tools: training: mixes utterances, reverberation and noise to long recordings
# MIT license; Copyright (c) 2026 the tflm authors

from typing import NamedTuple

import numpy as np

from .voices import RATE, resample

_BLOCK_SECONDS = 20  # a block has one kind of noise
_FULL = 32767


class Stream(NamedTuple):
    """A recording: int16 samples at RATE, and words: [(label index, first sample, end)]."""

    samples: np.ndarray
    words: list


# Noise whose power falls with frequency to the power of `slope`: 0 white, 1 pink, 2 brown.
def _colored(count, slope, random):
    spectrum = np.fft.rfft(random.normal(size=count))
    spectrum *= np.maximum(np.fft.rfftfreq(count, 1 / RATE), 40.0) ** (-slope / 2)
    return np.fft.irfft(spectrum, count)


# Mains hum of 50 or 60 Hz with overtones.
def _hum(count, random):
    times = np.arange(count) / RATE
    tones = random.choice([50, 60]) * np.arange(1, 12)
    return sum(random.uniform() * np.sin(2 * np.pi * f * times + f) for f in tones)


# Clicks and knocks that ring for some milliseconds.
def _clicks(count, random):
    times = np.arange(RATE // 20) / RATE
    ring = np.exp(-times * 150) * np.sin(2 * np.pi * random.uniform(200, 4000) * times)
    samples = 0.001 * random.normal(size=count)
    for begin in random.randint(0, max(count - len(ring), 1), count * 2 // RATE):
        samples[begin : begin + len(ring)] += random.normal() * ring[: count - begin]
    return samples


def noise(count, random):
    """Return `count` float samples of noise whose root mean square is about 1.

    The noise is white, pink, brown, hum or clicks, at random; its volume often varies.
    """
    kind = random.randint(5)
    if kind < 3:
        samples = _colored(count, (0, 1, 2)[kind], random)
    else:
        samples = (_hum, _clicks)[kind - 3](count, random)
    if random.uniform() < 0.4:
        seconds = np.arange(0, count + RATE, RATE)
        volumes = random.uniform(0.2, 1, len(seconds))
        samples = samples * np.interp(np.arange(count), seconds, volumes)
    return samples / np.sqrt(np.mean(samples**2) + 1e-12)


# Return a note: overtones of a pitch that decay, the higher ones faster.
def _note(hertz, count, random):
    times = np.arange(count) / RATE
    decay, brightness = random.uniform(1, 8), random.uniform(0.5, 2)
    wave = np.zeros(count)
    for k in range(1, max(2, min(9, int(RATE / 2.2 / hertz)))):
        overtone = np.sin(2 * np.pi * k * hertz * times + k)
        wave += k**-brightness * overtone * np.exp(-decay * k**0.5 * times)
    return wave * np.minimum(1, times * random.uniform(20, 300))


def music(count, random):
    """Return `count` float samples of music whose root mean square is about 1.

    A melody, chords and a bass of one scale, in one tempo, often with drums.
    """
    beat = int(RATE * random.uniform(0.18, 0.6))
    root, has_drums = 55 * 2 ** random.uniform(0, 1), random.uniform() < 0.6
    scale = np.array([0, 2, 4, 5, 7, 9, 11] if random.uniform() < 0.5 else [0, 2, 3, 5, 7, 8, 10])
    samples = 1e-3 * random.normal(size=count + 8 * beat)
    for at in range(0, count, beat):
        degree = random.randint(7)
        tones = [(root * 2 ** (scale[degree] / 12), 2)]
        if at // beat % 4 == 0:
            tones += [
                (2 * root * 2 ** ((scale[(degree + k) % 7] + 12 * ((degree + k) // 7)) / 12), 4)
                for k in (0, 2, 4)
            ]
        if random.uniform() < 0.8:
            tones.append((4 * root * 2 ** (scale[random.randint(7)] / 12), 1))
        for hertz, beats in tones:
            samples[at : at + beats * beat] += _note(hertz, beats * beat, random)
        if has_drums:
            length = RATE // 12
            hit = random.normal(size=length) * np.exp(-np.arange(length) / (0.1 * length))
            samples[at : at + length] += random.uniform(0.3, 1.5) * hit
    samples = samples[:count]
    return samples / np.sqrt(np.mean(samples**2) + 1e-12)


# The samples with reverberation: an echo of noise that decays.
def _with_reverberation(samples, random):
    length = int(random.uniform(0.05, 0.3) * RATE)
    echo = random.normal(size=length) * np.exp(-6 * np.arange(length) / length)
    echo *= random.uniform(0.05, 0.4) / np.sqrt(np.sum(echo**2))
    echo[0] = 1
    count = len(samples) + length // 3
    size = 1 << (len(samples) + length).bit_length()
    return np.fft.irfft(np.fft.rfft(samples, size) * np.fft.rfft(echo, size), size)[:count]


# A clip with another speed, tone and reverberation, for more variety of speakers and places.
def _vary(samples, random):
    samples = np.pad(samples, (0, -len(samples) % 256))  # an FFT of these sizes is fast
    samples = resample(samples, round(len(samples) * random.uniform(0.88, 1.12) / 64) * 64)
    if random.uniform() < 0.5:  # the frequency response of a microphone or a loudspeaker
        samples = np.convolve(samples, [1, random.uniform(-0.6, 0.6)], "same")
    if random.uniform() < 0.6:
        samples = _with_reverberation(samples, random)
    return samples / np.sqrt(np.mean(samples**2))


def mix(clips, seed):
    """Return a Stream with all `clips`, a list of (label index, samples), in random order.

    Pauses are 0.05 to 1.2 s, some are longer. The root mean square of words is -36 to -14 dB of
    full scale; noise is 3 to 45 dB below that, or absent.
    """
    random = np.random.RandomState(seed)
    utterances, words, at = [], [], 0
    for i in random.permutation(len(clips)):
        pause = random.uniform(0.05, 1.2) + (random.uniform() < 0.08) * random.uniform(1, 4)
        at += int(pause * RATE)
        label, samples = clips[i]
        samples = _vary(samples, random)
        utterances.append((at, samples))
        words.append((label, at, at + len(samples)))
        at += len(samples)
    total = np.zeros(at + RATE, np.float32)
    for begin, samples in utterances:
        loudness = 10 ** (random.uniform(-3, 3) / 20)
        total[begin : begin + len(samples)] += loudness * samples
    for begin in range(0, len(total), _BLOCK_SECONDS * RATE):
        block = total[begin : begin + _BLOCK_SECONDS * RATE]
        if random.uniform() < 0.9:
            block += 10 ** (random.uniform(-45, -3) / 20) * noise(len(block), random)
        block *= _FULL * 10 ** (random.uniform(-33, -17) / 20)
    return Stream(np.clip(np.round(total), -_FULL - 1, _FULL).astype(np.int16), words)
