# tflm: one output pixel of CONV_2D, or FULLY_CONNECTED: for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

from .dense_asm import dense

_INPUT = const(1)
_STREAM = const(2)
_OUTPUT = const(3)
_SCRATCH = const(4)
_DEPTH = const(5)
_OUTPUT_CHANNELS = const(6)

# Words of the parameters, see tools/asm/common/parameters.py.
_P_SOURCE = const(0)
_P_STREAM = const(1)
_P_OUTPUT = const(2)
_P_CHANNELS = const(3)


# Units are groups of four channels.
@micropython.viper
def eval_int8(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    base = int(ptr8(arena))
    flash = int(ptr8(rom))
    p = ptr32(base + (r[_SCRATCH] >> 2))
    word = r[_INPUT]
    p[_P_SOURCE] = (flash if word & 1 else base) + (word >> 2)
    word = r[_STREAM]
    p[_P_STREAM] = (flash if word & 1 else base) + (word >> 2) + start * (4 * r[_DEPTH] + 64)
    p[_P_OUTPUT] = base + (r[_OUTPUT] >> 2) + 4 * start
    count = r[_OUTPUT_CHANNELS]
    if count > 4 * stop:
        count = 4 * stop
    p[_P_CHANNELS] = count - 4 * start
    dense(int(p), int(r))
