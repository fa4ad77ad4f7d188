# tflm: SVDF, int8, with a state of int8 or int16: whole rows of weights at a time
# MIT license; Copyright (c) 2026 the tflm authors

from .fixed_point import store
from .svdf import ALL

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
_OUTPUT_MULTIPLIER = const(18)  # a FIXED_POINT block
_OUTPUT_ZERO_POINT = const(20)  # the CLAMP block

_MAX_ROW = const(1 << 14)  # elements of a row
_ROWS = const(127)


# Compute units start..stop-1 of svdf.eval_int8 by functions of tools/asm/armv6m/recurrent.py.
# After the features the scratch buffer has at least one more word, for a zero point.
@micropython.viper
def run_rows(op, arena, rom, start: int, stop: int, dot, rescale, remember_8, remember_16):
    r = ptr32(op)
    rank = r[_RANK]
    size = r[_INPUT_SIZE]
    memory = r[_MEMORY_SIZE]
    if size == 0 or size >= _MAX_ROW or memory >= _MAX_ROW or r[_BLOCK] * rank > _ROWS:
        ALL[0](op, arena, rom, start, stop)
        return
    base = int(ptr8(arena))
    flash = int(ptr8(rom))
    scratch = r[_SCRATCH] >> 2
    sums = base + scratch
    units = r[_UNITS_IN_BATCH]
    word = r[_INPUT]
    source = (flash if word & 1 else base) + (word >> 2)
    word = r[_WEIGHTS_FEATURE]
    features = (flash if word & 1 else base) + (word >> 2)
    word = r[_WEIGHTS_TIME]
    times = (flash if word & 1 else base) + (word >> 2)
    word = r[_BIAS]
    biases = (flash if word & 1 else base) + (word >> 2)
    while start < stop:
        batch = start // units
        unit = start - batch * units
        count = units - unit
        if count > stop - start:
            count = stop - start
        if count > r[_BLOCK]:
            count = r[_BLOCK]
        filters = count * rank
        first = unit * rank
        p = ptr32(sums)
        n = filters >> 2
        while n:
            p[0] = 0
            p[1] = 0
            p[2] = 0
            p[3] = 0
            p = ptr32(int(p) + 16)
            n -= 1
        n = filters & 3
        while n:
            p[0] = 0
            p = ptr32(int(p) + 4)
            n -= 1
        lengths = size << 16 | filters << 9 | (r[_FEATURE_OFFSETS] & 0xFFFF) + 128
        dot(features + first * size, source + batch * size, sums, lengths)
        rescale(int(r) + 4 * _FEATURE_MULTIPLIER, sums, filters, 0)
        p[0] = r[_STATE_ZERO_POINT]
        lengths = memory << 14 | filters
        w = first * memory
        s = start * rank * memory
        if r[_STATE_BITS] == 16:
            remember_16(base + (r[_STATE] >> 2) + 2 * s, times + 2 * w, sums, lengths)
        else:
            remember_8(base + (r[_STATE] >> 2) + s, times + w, sums, lengths)
        # The sum of a unit is stored before the rows that are left, or is its only row.
        p = ptr32(sums)
        q = ptr32(sums)
        n = count
        m = rank - 1
        if m == 0:
            n = 0
        while n:
            total = p[0]
            p = ptr32(int(p) + 4)
            k = m
            while k:
                total += p[0]
                p = ptr32(int(p) + 4)
                k -= 1
            q[0] = total
            q = ptr32(int(q) + 4)
            n -= 1
        if word != 1:
            p = ptr32(sums)
            q = ptr32(biases + 4 * unit)
            n = count
            while n:
                p[0] += q[0]
                p = ptr32(int(p) + 4)
                q = ptr32(int(q) + 4)
                n -= 1
        rescale(int(r) + 4 * _OUTPUT_MULTIPLIER, sums, count, 0)
        store(op, arena, _OUTPUT_ZERO_POINT, scratch, (r[_OUTPUT] >> 2) + start, count, 0)
        start += count
