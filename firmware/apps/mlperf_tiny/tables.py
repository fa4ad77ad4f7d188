# App mlperf_tiny: tables of features.py, which says what they are for
# MIT license; Copyright (c) 2026 the tflm authors

import math
from array import array

from tflm.micropython_port import struct

_BANDS = 40
_WINDOW = 1024
_HALF = 512
_RATE = 16000
_DECIBELS = 64  # of the range
_OFFSET = 52  # decibels that are the range's begin, below 0
_ONE = 32768


def places():
    """Place of each of 512 values before an FFT in place."""
    found = array("H", [0])
    while len(found) < _HALF:
        found = array("H", [2 * at for at in found] + [2 * at + 1 for at in found])
    return found


def twiddles():
    """(cosine, sine) of each 1024th of a turn up to a half, of 32768."""
    found = array("i")
    for k in range(_HALF):
        angle = math.pi * k / _HALF
        found.append(round(_ONE * math.cos(angle)))
        found.append(round(_ONE * math.sin(angle)))
    return found


def hamming():
    """The first half of the window and its middle, of 32768; the others are these backwards."""
    step = 2 * math.pi / _WINDOW
    return array("H", [round(_ONE * (0.54 - 0.46 * math.cos(step * i))) for i in range(_HALF + 1)])


def slopes():
    """Of the intervals between the bands' middles the first bin, and the last one's end; of each
    bin how far it lies in its interval, of 32768."""
    step = math.log(1 + _RATE / 2 / 700) / (_BANDS + 1)
    begins, rises = array("H", [1]), array("H", [0])
    for k in range(1, _HALF):
        at = math.log(1 + k * _RATE / _WINDOW / 700) / step
        while int(at) >= len(begins):
            begins.append(k)
        rises.append(int(_ONE * (at - int(at))))
    begins.append(_HALF)
    return begins, rises


def thresholds(scale, zero_point):
    """Bits of the least energy of each int8 at the model's input but the first, as the reference
    rounds: towards zero."""
    found = array("I")
    for value in range(-127, 128):
        steps = (value - 1 if value <= 0 else value) - zero_point
        energy = 10 ** ((_DECIBELS * scale * steps - _OFFSET) / 10)
        found.append(struct.unpack("<I", struct.pack("<f", energy))[0])
    return found
