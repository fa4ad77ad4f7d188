# tflm: MEAN and SUM, float32: with the FPU of a Cortex-M4, M7 or M33
# MIT license; Copyright (c) 2026 the tflm authors

from ..float32_divide import div
from ..reduce_float import add_up
from .gen.float32_asm import sums

_INPUT = const(1)
_OUTPUT = const(2)
_KEPT0 = const(3)
_KEPT_STEP0 = const(4)
_KEPT1 = const(5)
_KEPT_STEP1 = const(6)
_KEPT_STEP2 = const(7)
_REDUCED0 = const(8)
_REDUCED_STEP0 = const(9)
_REDUCED1 = const(10)
_REDUCED2 = const(12)
_DIVISOR = const(14)

_BY_SCALAR = const(1 | 1 << 10)  # of float32.div
_ONE = const(0x3F800000)
_MAX_SUMS = const(0x3FFF)  # of a call


# Units are elements of the output. If one dimension is reduced, the assembler adds.
@micropython.viper
def eval_float32(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    base = int(ptr8(arena))
    word = r[_INPUT]
    source = (int(ptr8(rom)) if word & 1 else base) + (word >> 2)
    target = base + (r[_OUTPUT] >> 2)
    is_other = r[_REDUCED0] >> 14 | r[_REDUCED1] - 1 | r[_REDUCED2] - 1
    is_other |= (r[_KEPT_STEP0] | r[_REDUCED_STEP0]) >> 15
    # Arguments of assembler functions have 31 bits: their two highest bits are equal in a word.
    if is_other or (source ^ source << 1 | target ^ target << 1) < 0:
        add_up(op, arena, rom, start, stop)
        start = stop
    total = stop - start
    divided = r[_OUTPUT] + (start << 4)
    while start < stop:
        rest = start // r[_KEPT0]
        column = start - rest * r[_KEPT0]
        outer = rest // r[_KEPT1]
        at = source + column * r[_KEPT_STEP0] + outer * r[_KEPT_STEP2]
        at += (rest - outer * r[_KEPT1]) * r[_KEPT_STEP1]
        count = r[_KEPT0] - column
        if count > stop - start:
            count = stop - start
        if count > _MAX_SUMS:
            count = _MAX_SUMS
        steps = r[_KEPT_STEP0] << 15 | r[_REDUCED_STEP0]
        sums(target + 4 * start, at, r[_REDUCED0] << 14 | count, steps)
        start += count
    if total and r[_DIVISOR] != _ONE:
        div(arena, op, divided, divided, _DIVISOR << 4 | 1, total, _BY_SCALAR)
