# tflm: HARD_SWISH, float32
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types float32; package core; check unary_float; units independent

from .float32 import combine
from .float32_copy import copy
from .float32_divide import div
from .float32_select import clamp

_INPUT = const(1)
_OUTPUT = const(2)
_THREE = const(3)  # float32 numbers
_ZERO = const(4)  # and six after it
_SIX = const(5)

# Operations of float32.combine.
_MUL = const(1)
_ADD = const(2)
_EACH = const(1 | 1 << 10 | 1 << 20)
_BY_SCALAR = const(1 | 1 << 10)


# Units are elements. x * relu6(x + 3) / 6, rounded after each step. The numbers are in the record,
# which is passed as the ROM.
@micropython.viper
def eval_float32(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    n = stop - start
    source = r[_INPUT] + (start << 4)
    dst = r[_OUTPUT] + (start << 4)
    copy(arena, rom, dst, source, n, 1)
    combine(arena, op, dst, dst, _THREE << 4 | 1, n, _BY_SCALAR, _ADD)
    clamp(arena, op, dst, n, _ZERO << 4 | 1)
    combine(arena, rom, dst, source, dst, n, _EACH, _MUL)
    div(arena, op, dst, dst, _SIX << 4 | 1, n, _BY_SCALAR)
