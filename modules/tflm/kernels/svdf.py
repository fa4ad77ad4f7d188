# tflm: SVDF, int8, with a state of int8 or int16
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int8; package rnn; check recurrent

from .fixed_point import rescale, store
from .matrix import multiply, start_sums

_INPUT = const(1)
_WEIGHTS_FEATURE = const(2)
_WEIGHTS_TIME = const(3)
_BIAS = const(4)
_STATE = const(5)
_OUTPUT = const(6)
_SCRATCH = const(7)
_INPUT_SIZE = const(8)
_MEMORY_SIZE = const(9)
_RANK = const(10)
_UNITS_IN_BATCH = const(11)
_BLOCK = const(12)  # units whose filters fit the scratch buffer
_FEATURE_OFFSETS = const(13)
_STATE_ZERO_POINT = const(14)
_STATE_BITS = const(15)
_FEATURE_MULTIPLIER = const(16)  # a FIXED_POINT block
_FEATURE_SHIFT = const(17)
_OUTPUT_MULTIPLIER = const(18)  # a FIXED_POINT block
_OUTPUT_SHIFT = const(19)
_OUTPUT_ZERO_POINT = const(20)  # the CLAMP block


# Units are outputs. Each output has `rank` filters, and no other output uses their rows of the
# state. TFLM's steps over the whole state can therefore be done for a few outputs at a time.
@micropython.viper
def eval_int8(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    scratch = r[_SCRATCH] >> 2
    rank = r[_RANK]
    units = r[_UNITS_IN_BATCH]
    size = r[_INPUT_SIZE]
    while start < stop:
        batch = start // units
        unit = start - batch * units
        count = units - unit
        if count > stop - start:
            count = stop - start
        if count > r[_BLOCK]:
            count = r[_BLOCK]
        filters = count * rank
        weights = r[_WEIGHTS_FEATURE] + (unit * rank * size << 2)
        source = r[_INPUT] + (batch * size << 2)
        start_sums(arena, rom, scratch, 1, 0, filters, 0)
        multiply(scratch, weights, arena, rom, source, size, filters, r[_FEATURE_OFFSETS], size)
        rescale(op, arena, _FEATURE_MULTIPLIER, scratch, filters, 0)
        _time(op, arena, rom, start, unit, count)
        rescale(op, arena, _OUTPUT_MULTIPLIER, scratch, count, 0)
        target = (r[_OUTPUT] >> 2) + start
        store(op, arena, _OUTPUT_ZERO_POINT, scratch, target, count, 0)
        start += count


# Move the rows of the state of `count` outputs one element to the left, append the features in
# scratch, and replace the features by the sums of the outputs: the bias + the rows times the
# weights.
@micropython.viper
def _time(op, arena, rom, start: int, unit: int, count: int):
    r = ptr32(op)
    # x64 words have 64 bits and loads are zero-extended: this shift brings the sign back.
    sign = 0x20000000
    sign = sign << 3 >> 27
    base = int(ptr8(arena))
    flash = int(ptr8(rom))
    rank = r[_RANK]
    memory = r[_MEMORY_SIZE]
    zero_point = (r[_STATE_ZERO_POINT] << sign) >> sign
    bits = r[_STATE_BITS]
    word = r[_BIAS]
    bias = 0
    if word != 1:
        bias = (flash if word & 1 else base) + (word >> 2) + 4 * unit
    word = r[_WEIGHTS_TIME]
    w = (flash if word & 1 else base) + (word >> 2) + (unit * rank * memory * bits >> 3)
    s = base + (r[_STATE] >> 2) + (start * rank * memory * bits >> 3)
    features = ptr32(base + (r[_SCRATCH] >> 2))
    sums = features
    limit = (1 << bits - 1) - 1
    while count:
        acc = 0
        if bias:
            acc = ptr32(bias)[0]
            bias += 4
        m = rank
        while m:
            # The zero point is added after the feature is clamped: it may wrap around, as in TFLM.
            fresh = (features[0] << sign) >> sign
            if fresh > limit:
                fresh = limit
            if fresh < 0 - limit - 1:
                fresh = 0 - limit - 1
            fresh += zero_point
            features = ptr32(int(features) + 4)
            n = memory - 1
            if bits == 16:
                state = ptr16(s)
                weights = ptr16(w)
                while n:
                    v = state[1]
                    state[0] = v
                    v = (v ^ 0x8000) - 0x8000 - zero_point
                    acc = ((weights[0] ^ 0x8000) - 0x8000) * v + acc
                    state = ptr16(int(state) + 2)
                    weights = ptr16(int(weights) + 2)
                    n -= 1
                state[0] = fresh
                v = (state[0] ^ 0x8000) - 0x8000 - zero_point
                acc = ((weights[0] ^ 0x8000) - 0x8000) * v + acc
                s = int(state) + 2
                w = int(weights) + 2
            else:
                state8 = ptr8(s)
                weights8 = ptr8(w)
                while n:
                    v = state8[1]
                    state8[0] = v
                    v = (v ^ 0x80) - 0x80 - zero_point
                    acc = ((weights8[0] ^ 0x80) - 0x80) * v + acc
                    state8 = ptr8(int(state8) + 1)
                    weights8 = ptr8(int(weights8) + 1)
                    n -= 1
                state8[0] = fresh
                v = (state8[0] ^ 0x80) - 0x80 - zero_point
                acc = ((weights8[0] ^ 0x80) - 0x80) * v + acc
                s = int(state8) + 1
                w = int(weights8) + 1
            m -= 1
        # The sum overwrites a feature that was already read.
        sums[0] = acc
        sums = ptr32(int(sums) + 4)
        count -= 1
