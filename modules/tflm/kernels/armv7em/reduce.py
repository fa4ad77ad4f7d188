# tflm: MEAN and SUM, int8: for the DSP extension
# MIT license; Copyright (c) 2026 the tflm authors

from ..requantize import store_int8
from .gen.mul_asm import outputs
from .gen.reduce_asm import sums

_INPUT = const(1)
_OUTPUT = const(2)
_ACCUMULATORS = const(3)
_KEPT0 = const(4)
_KEPT_STEP0 = const(5)
_KEPT1 = const(6)
_KEPT_STEP1 = const(7)
_KEPT_STEP2 = const(8)
_REDUCED0 = const(9)
_REDUCED1 = const(11)
_REDUCED2 = const(13)
_BLOCK = const(15)
_OUTPUT_ZERO_POINT = const(17)  # the REQUANTIZE block
_SHIFT = const(92)  # its first shift, in bytes
# Offset of this block minus the offset of the block of mul.eval_int8, in bytes.
_AS_IN_MUL = const(12)
_MAX_ELEMENTS = const(1 << 22)  # twice their sum fits a word


# Units are elements of the output.
@micropython.viper
def eval_int8(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    base = int(ptr8(arena))
    word = r[_INPUT]
    source = (int(ptr8(rom)) if word & 1 else base) + (word >> 2)
    rows = r[_ACCUMULATORS] >> 2
    elements = r[_REDUCED0] * r[_REDUCED1] * r[_REDUCED2]
    left = ptr8(op)[_SHIFT] > 32 or elements > _MAX_ELEMENTS
    while start < stop:
        rest = start // r[_KEPT0]
        column = start - rest * r[_KEPT0]
        outer = rest // r[_KEPT1]
        at = source + column * r[_KEPT_STEP0]
        at += (rest - outer * r[_KEPT1]) * r[_KEPT_STEP1] + outer * r[_KEPT_STEP2]
        count = r[_KEPT0] - column
        if count > r[_BLOCK]:
            count = r[_BLOCK]
        if count > stop - start:
            count = stop - start
        sums(op, at, base + rows, count)
        target = (r[_OUTPUT] >> 2) + start
        if left:
            store_int8(op, arena, _OUTPUT_ZERO_POINT, rows, target, 0, count)
        else:
            outputs(int(r) + _AS_IN_MUL, base + rows, base + target, count)
        start += count
