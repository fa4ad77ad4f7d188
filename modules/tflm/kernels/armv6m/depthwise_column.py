# tflm: DEPTHWISE_CONV_2D, int8, whose window is a line of pixels: for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

from .gen.depthwise_column_asm import depthwise_column

_INPUT = const(1)
_STREAM = const(2)
_OUTPUT = const(3)
_SCRATCH = const(4)
_OUTPUT_CHANNELS = const(5)
_CHANNEL_BYTES = const(10)

# Words of the parameters; see tools/asm/common/parameters.py.
_P_SOURCE = const(0)
_P_STREAM = const(1)
_P_OUTPUT = const(2)
_P_CHANNELS = const(3)


# Units are channels.
@micropython.viper
def eval_int8(op: ptr32, arena, rom, start: int, stop: int):
    base = int(ptr8(arena))
    flash = int(ptr8(rom))
    p = ptr32(base + (op[_SCRATCH] >> 2))
    word = op[_INPUT]
    p[_P_SOURCE] = (flash if word & 1 else base) + (word >> 2) + start
    word = op[_STREAM]
    p[_P_STREAM] = (flash if word & 1 else base) + (word >> 2) + start * op[_CHANNEL_BYTES]
    p[_P_OUTPUT] = base + (op[_OUTPUT] >> 2) + start
    p[_P_CHANNELS] = stop - start
    depthwise_column(int(p), int(op))
