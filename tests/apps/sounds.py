# Makes WAV files, also invalid ones, for the tests of apps
# MIT license; Copyright (c) 2026 the tflm authors

import struct

import numpy as np

RATE = 16000


def chunk(name, data):
    """Return a chunk of a RIFF file."""
    return name + struct.pack("<I", len(data)) + data + bytes(len(data) & 1)


def wav(samples, rate=RATE, channels=1, bits=16, code=1, before=b"", after=b"", size=None):
    """Return the bytes of a WAV file.

    before, after: chunks around the samples. size: the number of bytes in the header, if wrong.
    """
    step = channels * bits // 8
    header = struct.pack("<HHIIHH", code, channels, rate, rate * step, step, bits)
    if code == 0xFFFE:
        header += struct.pack("<HHIH14s", 22, bits, 4, 1, bytes(14))
    data = bytearray(chunk(b"data", np.asarray(samples).astype("<i2").tobytes()))
    if size is not None:
        data[4:8] = struct.pack("<I", size)
    body = b"WAVE" + chunk(b"fmt ", header) + before + bytes(data) + after
    return b"RIFF" + struct.pack("<I", len(body)) + body


def noise(seconds, seed=1):
    """Return int16 samples of soft noise."""
    return np.random.RandomState(seed).normal(0, 100, int(seconds * RATE)).astype(np.int16)


def read(path):
    """Return the int16 samples of a WAV file that the module wave can read."""
    import wave

    with wave.open(str(path)) as file:
        assert (file.getframerate(), file.getnchannels(), file.getsampwidth()) == (RATE, 1, 2)
        return np.frombuffer(file.readframes(file.getnframes()), "<i2")
