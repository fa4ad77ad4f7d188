# tflm: SOFTMAX, float32, with the FPU of a Cortex-M4, M7 or M33
# MIT license; Copyright (c) 2026 the tflm authors

from ..float32 import combine
from ..float32_math import exp
from ..softmax_float import ALL
from .gen.softmax_float_asm import differences, quotients

_INPUT = const(1)
_OUTPUT = const(2)
_DEPTH = const(4)
_BETA = const(5)

# Operations of float32.combine.
_MUL = const(1)
_BY_SCALAR = const(1 | 1 << 10)


# Units are rows. The portable function runs if an address is no small integer, which the arguments
# of an assembler function are.
@micropython.viper
def eval_float32(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    base = int(ptr8(arena))
    depth = r[_DEPTH]
    rows = stop - start
    source = r[_INPUT] + (start * depth << 4)
    dst = r[_OUTPUT] + (start * depth << 4)
    p_source = (int(ptr8(rom)) if source & 1 else base) + (source >> 2)
    p_dst = base + (dst >> 2)
    # Small integers have 31 bits: their two highest bits are equal in a word.
    if (p_dst ^ p_dst << 1 | p_source ^ p_source << 1) < 0:
        ALL[0](op, arena, rom, start, stop)
        return
    differences(p_dst, p_source, depth, rows)
    if r[_BETA] != 0x3F800000:
        combine(arena, op, dst, dst, _BETA << 4 | 1, rows * depth, _BY_SCALAR, _MUL)
    exp(arena, rom, dst, dst, rows * depth)
    quotients(p_dst, depth, rows)
