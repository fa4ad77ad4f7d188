# tflm.microphone: Decimator: bits of a PDM microphone, 64 a sample, to int16 at 16 kHz
# MIT license; Copyright (c) 2026 the tflm authors

# Two filters. The first, four means of 32 bits in a row (a CIC), goes to 32 kHz: its 128 taps are
# 16 tables of what a byte contributes. The second goes to 16 kHz: flat to 7 kHz, the first one's
# droop included, nothing from 9 kHz on. Then what is constant goes: microphones have an offset.

import array

import micropython

from ..errors import InputError

try:
    from .armv6m.filters import filter_words, sum_tables
except (ImportError, SyntaxError):  # another core, or firmware without the inline assembler
    filter_words = sum_tables = None

RATIO = 64  # bits a sample
HISTORY = 12  # bytes before those that are new, which the first filter looks at, too
SILENCE = 0x55  # as many ones as zeros
BLOCK = 160  # samples that run() takes at most: 10 ms

_CIC = 32
_TABLES = 16
# Half of the second filter's taps, the others are the same backwards; 8192 stands for 1.
# tests/microphone/reference.py designed them.
_HALF = (
    (-12, 9, 34, 12, -43, -17, 66, 34, -95, -57, 132, 91)
    + (-180, -142, 243, 218, -330, -341, 458, 569, -680, -1140, 1141, 4146)
)  # fmt: skip
_TAPS = 48
_BEFORE = _TAPS - 2  # words of the last block that the second filter looks at, too
_MOST_SHIFT = 15  # from the second filter's sums to samples, without gain
_MOST_GAIN = 32


# What each byte contributes to a sum of 128 bits that stand for -1 and 1; the oldest bit is the
# first byte's lowest. A sum is 2 ** 17 at most.
def _tables():
    taps = [1]
    for _ in range(4):
        taps = [sum(taps[max(i - _CIC + 1, 0) : i + 1]) for i in range(len(taps) + _CIC - 1)]
    taps += [0] * (8 * _TABLES - len(taps))
    tables = array.array("h", bytes(512 * _TABLES))
    sums = [0] * 256
    for table in range(_TABLES):
        part = taps[8 * table : 8 * table + 8]
        sums[0] = -sum(part)
        for bit in range(8):
            for i in range(1 << bit):
                sums[i + (1 << bit)] = sums[i] + 2 * part[bit]
        for i in range(256):
            tables[256 * table + i] = (sums[i] + 4) >> 3
    return tables


# The first filter: a word of `middle` for each of `count` words of bits. words: the first of them,
# less HISTORY.
@micropython.viper
def _sum_tables(words: ptr8, count: int, middle: ptr32, tables: ptr16):
    for word in range(count):
        total = 0
        table = 0
        while table < 16:
            part = tables[table * 256 + words[word * 4 + table]]
            total += (part ^ 0x8000) - 0x8000
            table += 1
        middle[word] = total


# The second filter, gain and mean: a sample for each two words of `middle`. state: the taps, the
# shift to samples, the mean (of 2 ** 10 times the samples), and what is the largest sample.
@micropython.viper
def _filter_words(target: ptr16, middle: ptr32, state: ptr32, count: int):
    sign = 0x20000000
    sign = sign << 3 >> 27  # 32 with 64 bits, where loads are zero-extended, 0 with 32
    shift = state[48]
    mean = (state[49] << sign) >> sign
    i = 0
    while i < count:
        total = 0
        tap = 0
        while tap < 48:
            total += middle[2 * i + tap] * state[tap]
            tap += 1
        sample = (((total << sign) >> sign) >> shift) - (mean >> 10)
        mean += sample
        if sample > 32767:
            sample = 32767
        if sample < -32768:
            sample = -32768
        target[i] = sample
        i += 1
    state[49] = mean


# Words `begin`.. go to the start.
@micropython.viper
def _move_down(words: ptr32, begin: int, count: int):
    i = 0
    while i < count:
        words[i] = words[begin + i]
        i += 1


if sum_tables is None:
    sum_tables = _sum_tables
    filter_words = _filter_words


class Decimator:
    """Makes samples of bits: `run(words, count, target)`; allocates nothing.

    gain: 1, 2, 4, ... 32 times as loud: 1 makes the largest sample of the loudest sound that the
    microphone has bits for. reset() forgets what was before.
    """

    def __init__(self, gain=8):
        self._shift = _MOST_SHIFT
        if isinstance(gain, int) and 0 < gain <= _MOST_GAIN:
            while gain >> (_MOST_SHIFT - self._shift) > 1:
                self._shift -= 1
        if gain != 1 << (_MOST_SHIFT - self._shift):
            raise InputError("the gain is %r; take 1, 2, 4, 8, 16 or 32" % (gain,))
        self._tables = _tables()
        self._middle = array.array("i", bytes(4 * (_BEFORE + 2 * BLOCK)))
        self._new = memoryview(self._middle)[_BEFORE:]
        self._state = array.array("i", _HALF + tuple(reversed(_HALF)) + (self._shift, 0, 32767))
        self.reset()

    def reset(self):
        """Forget all that was before."""
        for i in range(_BEFORE):
            self._middle[i] = 0
        self._state[_TAPS + 1] = 0

    def run(self, words, count, target):
        """`count` samples, BLOCK at most, into target (int16).

        words: address or buffer of the bits of HISTORY bytes that were before, then of 8 bytes a
        sample; the oldest bit of a byte is its lowest one.
        """
        sum_tables(words, 2 * count, self._new, self._tables)
        filter_words(target, self._middle, self._state, count)
        _move_down(self._middle, 2 * count, _BEFORE)
