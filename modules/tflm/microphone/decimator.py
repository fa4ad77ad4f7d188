# tflm.microphone: Decimator: convert a PDM microphone's bits, 64 a sample, to int16 at 16 kHz.
# MIT license; Copyright (c) 2026 the tflm authors

# The steps:
#   1. A CIC filter, four moving means of 32 bits, to 32 kHz. Its 128 taps are 16 tables with the
#      sum of each byte of bits.
#   2. A filter to 16 kHz, flat to 7 kHz (it corrects the droop of the first) with nothing above
#      9 kHz.
#   3. Subtract the mean: microphones have an offset.

import array

import micropython

from ..errors import InputError

try:
    from .armv6m.filters import filter_words, sum_tables
except (ImportError, SyntaxError):  # another core, or firmware without the inline assembler
    filter_words = sum_tables = None

RATIO = 64  # bits a sample
HISTORY = 12  # bytes before the new bytes that the first filter reads, too
SILENCE = 0x55  # the same number of ones and zeros
BLOCK = 160  # the most samples of one run(): 10 ms

_CIC = 32
_TABLES = 16
# One half of the second filter's taps; the other half is its mirror image. 8192 is a factor of 1.
# tests/microphone/reference.py designed them.
_HALF = (
    (-12, 9, 34, 12, -43, -17, 66, 34, -95, -57, 132, 91)
    + (-180, -142, 243, 218, -330, -341, 458, 569, -680, -1140, 1141, 4146)
)  # fmt: skip
_TAPS = 48
_BEFORE = _TAPS - 2  # words of the last block that the second filter reads, too
_MAX_SHIFT = 15  # from the second filter's sums to samples, without gain
_MAX_GAIN = 32


# Return the tables: the sum of each byte, whose bits count as -1 and 1, times the taps. The lowest
# bit of a byte is the oldest. A sum is at most 2 ** 17.
def _tables():
    taps = [1]
    for _ in range(4):
        taps = [sum(taps[max(i - _CIC + 1, 0) : i + 1]) for i in range(len(taps) + _CIC - 1)]
    taps += [0] * (8 * _TABLES - len(taps))
    tables = array.array("h", bytes(512 * _TABLES))
    sums = [0] * 256
    for table in range(_TABLES):
        byte_taps = taps[8 * table : 8 * table + 8]
        sums[0] = -sum(byte_taps)
        for bit in range(8):
            for i in range(1 << bit):
                sums[i + (1 << bit)] = sums[i] + 2 * byte_taps[bit]
        for i in range(256):
            tables[256 * table + i] = (sums[i] + 4) >> 3
    return tables


# Step 1: compute a word of `middle` for each of `count` words of bits. words: HISTORY bytes before
# the first of them.
@micropython.viper
def _sum_tables(words: ptr8, count: int, middle: ptr32, tables: ptr16):
    for word in range(count):
        total = 0
        table = 0
        while table < 16:
            value = tables[table * 256 + words[word * 4 + table]]
            total += (value ^ 0x8000) - 0x8000
            table += 1
        middle[word] = total


# Steps 2 and 3: compute a sample from each two words of `middle`. state: the taps, the shift to
# samples, the mean (of 2 ** 10 times the samples), the largest sample.
@micropython.viper
def _filter_words(target: ptr16, middle: ptr32, state: ptr32, count: int):
    sign = 0x20000000
    sign = sign << 3 >> 27  # 32 with 64-bit words, where loads zero-extend; 0 with 32-bit words
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


# Move words from `begin` on to the start.
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
    """Converts PDM bits to samples: `run(words, count, target)`. Allocates nothing.

    gain: 1, 2, 4, 8, 16 or 32. With 1 the loudest sound that the microphone can encode is the
    largest sample. Raises InputError for another gain.
    """

    def __init__(self, gain=8):
        self._shift = _MAX_SHIFT
        if isinstance(gain, int) and 0 < gain <= _MAX_GAIN:
            while gain >> (_MAX_SHIFT - self._shift) > 1:
                self._shift -= 1
        if gain != 1 << (_MAX_SHIFT - self._shift):
            raise InputError("the gain is %r; pass 1, 2, 4, 8, 16 or 32" % (gain,))
        self._tables = _tables()
        self._middle = array.array("i", bytes(4 * (_BEFORE + 2 * BLOCK)))
        self._new = memoryview(self._middle)[_BEFORE:]
        self._state = array.array("i", _HALF + tuple(reversed(_HALF)) + (self._shift, 0, 32767))
        self.reset()

    def reset(self):
        """Forget the sound so far."""
        for i in range(_BEFORE):
            self._middle[i] = 0
        self._state[_TAPS + 1] = 0

    def run(self, words, count, target):
        """Compute `count` samples, at most BLOCK, and store them in target (int16).

        words: address or buffer of the HISTORY bytes before, then 8 bytes for each sample. The
        lowest bit of a byte is the oldest.
        """
        sum_tables(words, 2 * count, self._new, self._tables)
        filter_words(target, self._middle, self._state, count)
        _move_down(self._middle, 2 * count, _BEFORE)
