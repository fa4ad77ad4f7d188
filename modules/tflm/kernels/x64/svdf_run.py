# tflm: x86-64: SVDF, int8, with a state of int8: all features of an input at once
# MIT license; Copyright (c) 2026 the tflm authors

from .pairs_multiply import multiply_pairs

# Words of a record of svdf.py; the last ones are byte offsets in it.
_INPUT = const(1)
_STATE = const(2)
_OUTPUT = const(3)
_INPUT_SIZE = const(4)
_MEMORY_SIZE = const(5)
_RANK = const(6)
_UNITS_IN_BATCH = const(7)
_STATE_ZERO_POINT = const(8)
_FEATURE_MULTIPLIER = const(9)
_FEATURE_SHIFT = const(10)
_OUTPUT_MULTIPLIER = const(11)
_OUTPUT_SHIFT = const(12)
_OUTPUT_ZERO_POINT = const(13)
_ACTIVATION_MIN = const(14)
_ACTIVATION_MAX = const(15)
_TAPS = const(16)
_SUMS = const(17)
_STARTS = const(18)
_WEIGHTS = const(19)
_TIME_STARTS = const(20)
_TIME_WEIGHTS = const(21)


# Units are outputs; the last unit of an input computes all of them. Values are rescaled as in
# fixed_point.py, with products of 64 bits.
@micropython.viper
def run_int8(op, arena, rom, start: int, stop: int):
    units = ptr32(op)[_UNITS_IN_BATCH]
    _run(0, 0, 0, op, arena, rom, start // units, stop // units)


# `acc`, `x` and `w` come first because the first locals are in registers.
@micropython.viper
def _run(acc: int, x: ptr8, w: ptr32, op, arena, rom, batch: int, batches: int):
    r = ptr32(op)
    me = int(r)
    base = int(ptr8(arena))
    size = r[_INPUT_SIZE]
    units = r[_UNITS_IN_BATCH]
    rank = r[_RANK]
    memory = r[_MEMORY_SIZE]
    word = r[_INPUT]
    source = (int(ptr8(rom)) if word & 1 else base) + (word >> 2)
    y = ptr8(base + (r[_OUTPUT] >> 2) + batch * units)
    x = ptr8(base + (r[_STATE] >> 2) + batch * units * rank * memory)
    state_zero = r[_STATE_ZERO_POINT] << 32 >> 32
    zero_point = r[_OUTPUT_ZERO_POINT] << 32 >> 32
    lowest = r[_ACTIVATION_MIN] << 32 >> 32
    highest = r[_ACTIVATION_MAX] << 32 >> 32
    one = 1
    half = one << 30
    m1 = r[_FEATURE_MULTIPLIER]
    e1 = 32 - r[_FEATURE_SHIFT]
    half1 = one << e1 - 1
    m2 = r[_OUTPUT_MULTIPLIER]
    e2 = 32 - r[_OUTPUT_SHIFT]
    half2 = one << e2 - 1
    fours = memory >> 2
    ones = memory & 3
    last_one = 0 if fours else 1  # of the bytes that are left to move, if it gets the feature
    while batch < batches:
        multiply_pairs(
            source + batch * size,
            me + r[_WEIGHTS],
            me + r[_TAPS],
            size,
            32 * size,
            units * rank,
            me + r[_STARTS],
            me + r[_SUMS],
        )
        s = ptr32(me + r[_SUMS])
        starts = ptr32(me + r[_TIME_STARTS])
        w = ptr32(me + r[_TIME_WEIGHTS])
        unit = units
        while unit:
            total = starts[0]
            starts = ptr32(int(starts) + 4)
            row = rank
            while row:
                # The feature. Its zero point is added when it is clamped: it may wrap around, as
                # in TFLM.
                acc = (s[0] << 32 >> 32) * m1 + half >> 31
                acc = (acc >> 63) + acc + half1 >> e1
                s = ptr32(int(s) + 4)
                if acc > 127:
                    acc = 127
                if acc < 0 - 128:
                    acc = 0 - 128
                acc += state_zero
                # Rows of the state move one element to the left, bytes first, then words; the last
                # word ends with the feature.
                first = x
                n = ones
                while n:
                    x[0] = x[1] if n > last_one else acc
                    x = ptr8(int(x) + 1)
                    n -= 1
                n = fours
                while n > 1:
                    ptr32(x)[0] = ptr32(int(x) + 1)[0]
                    x = ptr8(int(x) + 4)
                    n -= 1
                if n:
                    ptr32(x)[0] = (ptr32(x)[0] >> 8) + (acc << 24)
                x = first
                acc = total
                n = fours
                while n:
                    acc = (x[0] ^ 0x80) * w[0] + acc
                    acc = (x[1] ^ 0x80) * w[1] + acc
                    acc = (x[2] ^ 0x80) * w[2] + acc
                    acc = (x[3] ^ 0x80) * w[3] + acc
                    x = ptr8(int(x) + 4)
                    w = ptr32(int(w) + 16)
                    n -= 1
                n = ones
                while n:
                    acc = (x[0] ^ 0x80) * w[0] + acc
                    x = ptr8(int(x) + 1)
                    w = ptr32(int(w) + 4)
                    n -= 1
                total = acc
                row -= 1
            acc = (total << 32 >> 32) * m2 + half >> 31
            acc = ((acc >> 63) + acc + half2 >> e2) + zero_point
            if acc < lowest:
                acc = lowest
            if acc > highest:
                acc = highest
            y[0] = acc
            y = ptr8(int(y) + 1)
            unit -= 1
        batch += 1
