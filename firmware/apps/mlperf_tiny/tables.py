# App mlperf_tiny: computes the tables of features.py
# MIT license; Copyright (c) 2026 the tflm authors

import math
from array import array

from tflm.micropython_port import struct

_BANDS = 40
_WINDOW = 1024
_HALF = 512
_RATE = 16000
_RANGE_DB = 64  # of the features
_MIN_DB = 52  # the start of the range, below 0 dB
_ONE = 32768  # 1.0 in the tables


def bit_reversed_order():
    """Return the index of each of 512 values before an in-place FFT."""
    order = array("H", [0])
    while len(order) < _HALF:
        order = array("H", [2 * at for at in order] + [2 * at + 1 for at in order])
    return order


def twiddles():
    """Return cosine and sine of k / 1024 of a turn for k = 0 to 511."""
    table = array("i")
    for k in range(_HALF):
        angle = math.pi * k / _HALF
        table.append(round(_ONE * math.cos(angle)))
        table.append(round(_ONE * math.sin(angle)))
    return table


def hamming():
    """Return the first half of the Hamming window and its middle; the second half is symmetric."""
    step = 2 * math.pi / _WINDOW
    return array("H", [round(_ONE * (0.54 - 0.46 * math.cos(step * i))) for i in range(_HALF + 1)])


def slopes():
    """Return (the first bin of each interval between two band centres, and the end of the last
    interval; the position of each bin in its interval, 0 to 1)."""
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
    """Return the float32 bits of the least energy for each int8 value except the lowest.

    Features are rounded towards zero, as in the reference.
    """
    table = array("I")
    for value in range(-127, 128):
        steps = (value - 1 if value <= 0 else value) - zero_point
        energy = 10 ** ((_RANGE_DB * scale * steps - _MIN_DB) / 10)
        table.append(struct.unpack("<I", struct.pack("<f", energy))[0])
    return table
