# tflm: ADD and SUB, int8, with a table for one input (prepare/add_table.py): for Cortex-M0+
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

# Words of the parameters; see tools/asm/common/parameters.py.
_P_INPUT1_END = const(0)
_P_INPUT2_END = const(1)
_P_OUTPUT_END = const(2)
_P_COUNT = const(3)
_P_LOOKUP = const(4)
_P_FACTOR = const(5)
_P_OUTPUT_ZERO_POINT = const(6)
_P_ACTIVATION_MIN = const(7)
_P_ACTIVATION_MAX = const(8)
_P_MULTIPLIER = const(9)


# Units are elements.
@micropython.viper
def eval_int8(op: ptr32, arena, rom, start: int, stop: int):
    base = int(ptr8(arena))
    flash = int(ptr8(rom))
    p = ptr32(base + (op[_SCRATCH] >> 2))
    word = op[_INPUT1]
    p[_P_INPUT1_END] = (flash if word & 1 else base) + (word >> 2) + stop
    word = op[_INPUT2]
    p[_P_INPUT2_END] = (flash if word & 1 else base) + (word >> 2) + stop
    p[_P_OUTPUT_END] = base + (op[_OUTPUT] >> 2) + stop
    p[_P_COUNT] = stop - start
    word = op[_LOOKUP]
    p[_P_LOOKUP] = (flash if word & 1 else base) + (word >> 2)
    p[_P_FACTOR] = op[_FACTOR]
    p[_P_OUTPUT_ZERO_POINT] = op[_OUTPUT_ZERO_POINT]
    p[_P_ACTIVATION_MIN] = op[_ACTIVATION_MIN]
    p[_P_ACTIVATION_MAX] = op[_ACTIVATION_MAX]
    p[_P_MULTIPLIER] = op[_MULTIPLIER] & 0xFFFF
    p[_P_MULTIPLIER + 1] = op[_MULTIPLIER] >> 16
    p[_P_MULTIPLIER + 2] = 32 - (op[_SHIFT] & 0xFF)
    add_run(int(p))
