# tflm: MEAN and SUM, float32
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types float32; package core; check reduce

from .float32 import combine
from .float32_divide import div

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
_REDUCED_STEP1 = const(11)
_REDUCED2 = const(12)
_REDUCED_STEP2 = const(13)
_DIVISOR = const(14)

# Operations of float32.combine.
_ADD = const(2)
_EACH = const(1 | 1 << 10 | 1 << 20)
_SUM = const(1 << 20)
_BY_SCALAR = const(1 | 1 << 10)

_ONE = const(0x3F800000)


# Units are elements of the output. A sum starts at 0.0 and adds its elements in the order of the
# input, as in TFLM: the order decides the last bits. If the innermost dimension is kept, a row of
# elements is added to a row of sums at a time, else a row to one sum. The divisor is in the
# record, which is passed as the ROM.
@micropython.viper
def add_up(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    dst = r[_OUTPUT] + (start << 4)
    divided = dst
    total = stop - start
    rows = 0
    if r[_KEPT_STEP0] == 4:
        rows = 1
    while start < stop:
        rest = start // r[_KEPT0]
        column = start - rest * r[_KEPT0]
        outer = rest // r[_KEPT1]
        at = column * r[_KEPT_STEP0] + outer * r[_KEPT_STEP2]
        at = r[_INPUT] + ((rest - outer * r[_KEPT1]) * r[_KEPT_STEP1] + at << 2)
        count = 1
        n = r[_REDUCED0]
        steps = _SUM
        if rows:
            count = r[_KEPT0] - column
            if count > stop - start:
                count = stop - start
            steps = _EACH
        out = ptr32(int(ptr8(arena)) + (dst >> 2))
        i = 0
        while i < count:
            out[i] = 0
            i += 1
        k = r[_REDUCED2]
        while k:
            row = at
            j = r[_REDUCED1]
            while j:
                x = row
                i = n
                if rows:
                    while i:
                        combine(arena, rom, dst, dst, x, count, steps, _ADD)
                        x += r[_REDUCED_STEP0] << 2
                        i -= 1
                else:
                    combine(arena, rom, dst, dst, x, n, steps, _ADD)
                row += r[_REDUCED_STEP1] << 2
                j -= 1
            at += r[_REDUCED_STEP2] << 2
            k -= 1
        dst += count << 4
        start += count
    if r[_DIVISOR] != _ONE:
        div(arena, op, divided, divided, _DIVISOR << 4 | 1, total, _BY_SCALAR)


eval_float32 = add_up
