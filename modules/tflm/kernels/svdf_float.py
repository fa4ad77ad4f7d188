# tflm: SVDF, float32
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types float32; package rnn; check recurrent

from .float32 import combine
from .float32_math import tanh
from .float32_select import clamp

_INPUT = const(1)
_WEIGHTS_FEATURE = const(2)
_WEIGHTS_TIME = const(3)
_BIAS = const(4)
_STATE = const(5)
_OUTPUT = const(6)
_SUM = const(7)
_INPUT_SIZE = const(8)
_MEMORY_SIZE = const(9)
_RANK = const(10)
_UNITS_IN_BATCH = const(11)
_ACTIVATION = const(12)
_LOW = const(13)  # and `high` after it

# Activations, codes of the schema; all codes between these are limits.
_NONE = const(0)
_TANH = const(4)
_SIGN_BIT = const(5)

# Operations of float32.combine.
_MAC = const(0)
_ADD = const(2)
_DOT = const(1 << 10 | 1 << 20)


# Units are outputs; their sums are computed in TFLM's order. The rows of the state of an output
# move one element to the left and get the new feature at their ends. Without weights of the
# features the input has the features themselves (prepare/svdf_hybrid.py).
@micropython.viper
def eval_float32(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    base = int(ptr8(arena))
    rank = r[_RANK]
    memory = r[_MEMORY_SIZE]
    size = r[_INPUT_SIZE]
    units = r[_UNITS_IN_BATCH]
    total = ptr32(base + (r[_SUM] >> 2))
    y = ptr32(base + (r[_OUTPUT] >> 2))
    word = r[_BIAS]
    bias = ptr32((int(ptr8(rom)) if word & 1 else base) + (word >> 2))
    n = start
    while n < stop:
        batch = n // units
        unit = n - batch * units
        y[n] = 0
        if word != 1:
            y[n] = bias[unit]
        out = r[_OUTPUT] + (n << 4)
        source = r[_INPUT] + (batch * size << 4)
        j = 0
        while j < rank:
            row = unit * rank + j
            state = r[_STATE] + ((n * rank + j) * memory << 4)
            last = state + (memory - 1 << 4)
            p = ptr32(base + (state >> 2))
            k = memory - 1
            while k:
                p[0] = p[1]
                p = ptr32(int(p) + 4)
                k -= 1
            p[0] = 0
            weights = r[_WEIGHTS_FEATURE]
            if weights != 1:
                weights += row * size << 4
                combine(arena, rom, last, weights, source, size, _DOT, _MAC)
            elif size:
                p[0] = ptr32(base + (r[_INPUT] >> 2))[n * rank + j]
            total[0] = 0
            weights = r[_WEIGHTS_TIME] + (row * memory << 4)
            combine(arena, rom, r[_SUM], weights, state, memory, _DOT, _MAC)
            combine(arena, rom, out, out, r[_SUM], 1, 0, _ADD)
            j += 1
        n += 1
    n = stop - start
    out = r[_OUTPUT] + (start << 4)
    kind = r[_ACTIVATION]
    if kind == _NONE:
        return
    if kind == _TANH:
        tanh(arena, rom, out, out, n)
    elif kind == _SIGN_BIT:
        y = ptr32(int(y) + 4 * start)
        while n:
            y[0] = (y[0] >> 31 & 1) * 0x3F800000
            y = ptr32(int(y) + 4)
            n -= 1
    else:
        # The limits are in the record, which is passed as the ROM.
        clamp(arena, op, out, n, _LOW << 4 | 1)
