# tflm: PRELU, float32
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types float32; package core; check binary_wide; units independent

from .float32 import combine
from .float32_broadcast import expand

_INPUT1 = const(1)
_INPUT2 = const(2)
_OUTPUT = const(3)
_ROW1 = const(4)
_ROW2 = const(5)
_STEP1 = const(7)
_STEP2 = const(8)
_EXPAND1 = const(9)
_EXPAND2 = const(10)
_BLOCK = const(11)

_MUL = const(1)  # of float32.combine


# Units are elements. Values from zero on are copied; of the others, NaNs among them, the product
# with alpha is taken. In its place the former are 0, which costs the least.
@micropython.viper
def eval_float32(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    base = int(ptr8(arena))
    magnitude = 1
    magnitude = (magnitude << 31) - 1
    infinity = magnitude >> 23 << 23
    while start < stop:
        count = stop - start
        if count > r[_BLOCK]:
            count = r[_BLOCK]
        # Steps are 0 or 4 bytes.
        step = r[_STEP1]
        a = r[_INPUT1] + (start * step << 2)
        if r[_EXPAND1]:
            expand(op, arena, rom, 0, start, count)
            a = r[_ROW1]
        b = r[_INPUT2] + (start * r[_STEP2] << 2)
        if r[_EXPAND2]:
            expand(op, arena, rom, 1, start, count)
            b = r[_ROW2]
        dst = r[_OUTPUT] + (start << 4)
        first = (int(ptr8(rom)) if a & 1 else base) + (a >> 2)
        chosen = 0
        while chosen < 2:
            x = ptr32(first)
            y = ptr32(base + (dst >> 2))
            n = count
            while n:
                v = x[0]
                if not v & magnitude or v <= infinity and not v >> 31 & 1:
                    y[0] = v if chosen else 0
                elif not chosen:
                    y[0] = v
                x = ptr32(int(x) + step)
                y = ptr32(int(y) + 4)
                n -= 1
            if not chosen:
                combine(arena, rom, dst, dst, b, count, 1 | 1 << 10 | r[_STEP2] << 18, _MUL)
            chosen += 1
        start += count
