# tflm: access checks: sums of int16 times int8, and their outputs
# MIT license; Copyright (c) 2026 the tflm authors

from ..dtypes import const

# Words of the records.
_BIAS = const(3)
_SCRATCH = const(5)

# Words from the kind of sums on.
_TO_OFFSETS = const(1)
_TO_OUTPUT_ZERO_POINT = const(2)

# Words of REQUANTIZE_INT16 (prepare/requantize_int16.py), from its first word.
_TO_PER_CHANNEL = const(3)
_TO_PAIRS = const(4)

_BLOCK = const(64)  # sums, and taps, that the kernels unpack at a time
_BIAS_BYTES = (4, 8, 2)  # of the kinds of kernels/matrix.py
_WORDS = const(3)  # upper bits of `offsets` if sums are words
_PAIRS = const(1)


# Check the bias (operand 3) and the scratch buffer (operand 5) for a kind of sums. `held` of the
# channels are summed up together, with vectors of `taps` taps.
def scratch(r, kind, channels, held, taps):
    r.need(kind <= 2)
    if r.has(_BIAS):
        size = _BIAS_BYTES[kind]
        r.reads(_BIAS, size * channels, align=min(size, 4))
    size = (8 if kind else 4) * min(held, _BLOCK) + 4 * min(taps, _BLOCK)
    r.writes(_SCRATCH, size, align=4)


# Check bias and scratch buffer for the kind of sums in word `at`, which `offsets` follows. Return
# the kind.
def kind_of_sums(r, at, channels, held, taps):
    kind = r[at]
    scratch(r, kind, channels, held, taps)
    r.need(r[at + _TO_OFFSETS] >> 24 == (_PAIRS if kind else _WORDS))
    return kind


# Check bias and scratch buffer as kind_of_sums() does, and the requantization after these words.
def sums(r, at, channels, held, taps):
    kind = kind_of_sums(r, at, channels, held, taps)
    requantize(r, at + _TO_OUTPUT_ZERO_POINT, channels, kind)


# Check the block of prepare/requantize_int16.py from word `at` on, with a pair of words for each
# multiplier after it.
def requantize(r, at, channels, kind):
    each = r[at + _TO_PER_CHANNEL]
    r.need(each <= 1 and r[at + _TO_PAIRS] == (1 if kind else 0))
    r.need(at + 5 + 2 * (channels if each else 1) <= r.words)
