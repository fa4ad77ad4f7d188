# tflm: ADD and SUB, int8, with a table for one input: for the DSP extension
# MIT license; Copyright (c) 2026 the tflm authors

from .gen.add_asm import add_run

_INPUT1 = const(1)
_INPUT2 = const(2)
_OUTPUT = const(3)
_LOOKUP = const(4)
_SCRATCH = const(5)
_FACTOR = const(6)
_OUTPUT_ZERO_POINT = const(7)
_ACTIVATION_MIN = const(8)
_ACTIVATION_MAX = const(9)
_MULTIPLIER = const(12)
_SHIFT = const(13)

# Words of the parameters; see tools/asm/armv7em/add.py.
_P_INPUT1 = const(0)
_P_INPUT2 = const(1)
_P_OUTPUT = const(2)
_P_FOURS_END = const(3)
_P_END = const(4)
_P_LOOKUP = const(5)
_P_FACTOR = const(6)
_P_MULTIPLIER = const(7)
_P_SHIFT = const(8)
_P_ZERO_POINT = const(9)
_P_CLAMPED = const(10)
_P_MINIMUM = const(11)
_P_MAXIMUM = const(12)


# Units are elements.
@micropython.viper
def eval_int8(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    base = int(ptr8(arena))
    flash = int(ptr8(rom))
    p = ptr32(base + (r[_SCRATCH] >> 2))
    word = r[_INPUT1]
    source = (flash if word & 1 else base) + (word >> 2)
    p[_P_INPUT1] = source + start
    p[_P_FOURS_END] = source + stop - (stop - start & 3)
    p[_P_END] = source + stop
    word = r[_INPUT2]
    p[_P_INPUT2] = (flash if word & 1 else base) + (word >> 2) + start
    p[_P_OUTPUT] = base + (r[_OUTPUT] >> 2) + start
    word = r[_LOOKUP]
    p[_P_LOOKUP] = (flash if word & 1 else base) + (word >> 2)
    p[_P_FACTOR] = r[_FACTOR]
    p[_P_MULTIPLIER] = r[_MULTIPLIER]
    p[_P_SHIFT] = 32 - (r[_SHIFT] & 0xFF)
    p[_P_ZERO_POINT] = r[_OUTPUT_ZERO_POINT]
    low = r[_ACTIVATION_MIN]
    high = r[_ACTIVATION_MAX]
    p[_P_CLAMPED] = low + 128 | high - 127
    low = low & 0xFF
    high = high & 0xFF
    low += low << 8
    high += high << 8
    p[_P_MINIMUM] = low + (low << 16)
    p[_P_MAXIMUM] = high + (high << 16)
    add_run(int(p))
