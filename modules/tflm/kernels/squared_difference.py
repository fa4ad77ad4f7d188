# tflm: SQUARED_DIFFERENCE, int8 and int16
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int8 int16; package more; check binary; units independent

from .broadcast import expand
from .fixed_point import rescale, store

_INPUT1 = const(1)
_OUTPUT = const(3)
_ROW1 = const(4)
_ACCUMULATORS = const(6)
_STEP1 = const(7)
_EXPAND1 = const(9)
_BLOCK = const(11)
_SIZE = const(12)
_LEFT_SHIFT = const(13)
_OFFSET1 = const(14)
_MULTIPLIER = const(16)  # the FIXED_POINT block of input 2
_OUTPUT_ZERO_POINT = const(18)  # the CLAMP block
_OUTPUT_MULTIPLIER = const(21)  # the FIXED_POINT block of the output


# Units are elements. Input 1 is the input with the larger scale; TFLM multiplies it by one half.
# Input 2 is rescaled, then the difference is squared and rescaled.
@micropython.viper
def eval_integers(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    base = int(ptr8(arena))
    rows = r[_ACCUMULATORS] >> 2
    size = r[_SIZE]
    while start < stop:
        count = stop - start
        if count > r[_BLOCK]:
            count = r[_BLOCK]
        # Input 2 first, then input 1.
        which = 1
        while which >= 0:
            word = r[_INPUT1 + which]
            step = r[_STEP1 + which]
            x = (int(ptr8(rom)) if word & 1 else base) + (word >> 2) + start * step
            if r[_EXPAND1 + which]:
                expand(op, arena, rom, which, start, count)
                x = base + (r[_ROW1 + which] >> 2)
            offset = r[_OFFSET1 + which]
            acc = ptr32(base + rows)
            n = count
            while n:
                v = ptr8(x)[0] ^ 0x80 if size == 1 else ptr16(x)[0] ^ 0x8000
                v = v - offset << r[_LEFT_SHIFT]
                if not which:
                    v = (v + 1 >> 1) - acc[0]
                    v = v * v
                acc[0] = v
                x += step
                acc = ptr32(int(acc) + 4)
                n -= 1
            block = _MULTIPLIER if which else _OUTPUT_MULTIPLIER
            rescale(op, arena, block, rows, count, 0)
            which -= 1
        output = (r[_OUTPUT] >> 2) + start * size
        store(op, arena, _OUTPUT_ZERO_POINT, rows, output, count, size - 1)
        start += count
