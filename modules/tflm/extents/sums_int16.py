# tflm: extents: sums of int16 times int8, and how they become outputs
# MIT license; Copyright (c) 2026 the tflm authors

_BLOCK = 64  # sums, and taps, that the kernels hold at a time
_BIAS_BYTES = (4, 8, 2)  # of the kinds of kernels/matrix.py
_WORDS, _PAIRS = 3, 1  # the upper bits of its `offsets`: how long a sum is


# The bias (operand 3) and the scratch buffer (operand 5) for `kind` of sums: of so many channels
# `held` are summed up together, with vectors of so many taps.
def scratch(r, kind, channels, held, taps):
    r.need(kind <= 2)
    if r.has(3):
        size = _BIAS_BYTES[kind]
        r.reads(3, size * channels, align=min(size, 4))
    r.writes(5, (8 if kind else 4) * min(held, _BLOCK) + 4 * min(taps, _BLOCK), align=4)


# The same where word `at` is the kind of sums, with `offsets` and requantization behind it.
def sums(r, at, channels, held, taps):
    kind = r[at]
    scratch(r, kind, channels, held, taps)
    r.need(r[at + 1] >> 24 == (_PAIRS if kind else _WORDS))
    requantize(r, at + 2, channels, kind)


# The block of prepare/requantize_int16.py from word `at` on, with a pair of words for each
# multiplier behind it.
def requantize(r, at, channels, kind):
    each = r[at + 3]
    r.need(each <= 1 and r[at + 4] == (1 if kind else 0))
    r.need(at + 5 + 2 * (channels if each else 1) <= r.words)
