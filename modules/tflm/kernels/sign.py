# tflm: SIGN of float32 and int32: -1, 0 or 1 for each element
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types float32 int32; package core; check unary_float

import micropython
from micropython import const

_INPUT = const(1)
_OUTPUT = const(2)
_ONE = const(0x3F800000)  # 1.0


# Units are elements: -1, 0 or 1 as float32; 0 also for -0, a NaN for a NaN.
@micropython.viper
def eval_float32(op: ptr32, arena: ptr8, rom: ptr8, start: int, stop: int):
    word = op[_INPUT]
    x = ptr32((int(rom) if word & 1 else int(arena)) + (word >> 2))
    y = ptr32(int(arena) + (op[_OUTPUT] >> 2))
    magnitude = 1
    magnitude = (magnitude << 31) - 1
    infinity = magnitude >> 23 << 23
    while start < stop:
        v = x[start]
        size = v & magnitude
        if size > infinity:
            v = infinity | 0x400000
        elif size:
            v = v & magnitude + 1 | _ONE
        else:
            v = 0
        y[start] = v
        start += 1


# Units are elements.
@micropython.viper
def eval_int32(op: ptr32, arena: ptr8, rom: ptr8, start: int, stop: int):
    word = op[_INPUT]
    x = ptr32((int(rom) if word & 1 else int(arena)) + (word >> 2))
    y = ptr32(int(arena) + (op[_OUTPUT] >> 2))
    while start < stop:
        v = x[start]
        negative = v >> 31 & 1
        if v:
            v = 1
        y[start] = v - negative - negative
        start += 1
