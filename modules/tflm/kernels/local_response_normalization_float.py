# tflm: LOCAL_RESPONSE_NORMALIZATION, float32
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types float32; package more; check softmax; order place

from .float32 import combine
from .float32_copy import copy
from .float32_pow import power

_INPUT = const(1)
_OUTPUT = const(2)
_MULTIPLIERS = const(3)  # scratch: a float32 for each channel
_DEPTH = const(4)
_RADIUS = const(5)
_ZERO = const(6)  # float32 numbers
_ALPHA = const(7)
_BIAS = const(8)
_POWER = const(9)  # -beta

# Operations of float32.combine.
_MAC = const(0)
_MUL = const(1)
_ADD = const(2)
_SUM = const(1 << 10 | 1 << 20)
_BY_SCALAR = const(1 | 1 << 10)
_EACH = const(1 | 1 << 10 | 1 << 20)


# Units are rows of channels. The steps and their order are the same as in LiteRT: the sum of the
# squares in the window, (bias + alpha * sum) to the power of -beta, times the input. The numbers
# are in the record, which is passed as the ROM.
@micropython.viper
def eval_float32(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    depth = r[_DEPTH]
    radius = r[_RADIUS]
    work = r[_MULTIPLIERS]
    while start < stop:
        source = r[_INPUT] + (start * depth << 4)
        copy(arena, op, work, _ZERO << 4 | 1, depth, 0)
        i = 0
        while i < depth:
            first = i - radius
            if first < 0:
                first = 0
            last = i + radius
            if last > depth:
                last = depth
            a = source + (first << 4)
            combine(arena, rom, work + (i << 4), a, a, last - first, _SUM, _MAC)
            i += 1
        combine(arena, op, work, work, _ALPHA << 4 | 1, depth, _BY_SCALAR, _MUL)
        combine(arena, op, work, work, _BIAS << 4 | 1, depth, _BY_SCALAR, _ADD)
        power(arena, op, work, work, _POWER << 4 | 1, depth, _BY_SCALAR)
        target = r[_OUTPUT] + (start * depth << 4)
        combine(arena, rom, target, source, work, depth, _EACH, _MUL)
        start += 1
