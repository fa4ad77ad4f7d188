# tflm: one output pixel of CONV_2D, or FULLY_CONNECTED, weights of four bits: for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

from ..lut_lanes import to_lanes
from .gen.lut_asm import dense_lut

_INPUT = const(1)
_STREAM = const(2)
_OUTPUT = const(3)
_SCRATCH = const(4)
_DEPTH = const(5)
_BATCHES = const(6)
_OUTPUT_CHANNELS = const(7)
_OWN_VALUES = const(8)
_OUTPUT_ZERO_POINT = const(9)
_ACTIVATION_MIN = const(10)
_ACTIVATION_MAX = const(11)
_TABLE = const(64)  # offset in the scratch buffer, after the parameters
_LANES = const(1088)

# Words of the parameters; see tools/asm/common/parameters.py.
_P_VALUES = const(0)
_P_OWN_VALUES = const(1)
_P_STREAM = const(2)
_P_TABLE = const(3)
_P_TABLE_END = const(4)
_P_LANES = const(5)
_P_LANES_END = const(6)
_P_OUTPUT = const(7)
_P_CHANNELS = const(8)
_P_OUTPUT_ZERO_POINT = const(9)
_P_ACTIVATION_MIN = const(10)
_P_ACTIVATION_MAX = const(11)


# Units are output channels.
@micropython.viper
def eval_int8(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    base = int(ptr8(arena))
    scratch = r[_SCRATCH] >> 2
    p = ptr32(base + scratch)
    depth = r[_DEPTH]
    words = depth + 7 >> 3
    own = r[_OWN_VALUES]
    word = r[_STREAM]
    stream = (int(ptr8(rom)) if word & 1 else base) + (word >> 2)
    image = rom if r[_INPUT] & 1 else arena
    source = r[_INPUT] >> 2
    p[_P_VALUES] = stream
    p[_P_OWN_VALUES] = own
    if own:
        p[_P_VALUES] = 0
        stream -= 16
    stream += 16 + start * (16 + 16 * own + 4 * words)
    p[_P_TABLE] = int(p) + _TABLE
    p[_P_TABLE_END] = int(p) + _LANES
    p[_P_LANES] = int(p) + _LANES
    p[_P_LANES_END] = int(p) + _LANES + 16 * words
    p[_P_CHANNELS] = stop - start
    p[_P_OUTPUT_ZERO_POINT] = r[_OUTPUT_ZERO_POINT]
    p[_P_ACTIVATION_MIN] = r[_ACTIVATION_MIN]
    p[_P_ACTIVATION_MAX] = r[_ACTIVATION_MAX]
    out = base + (r[_OUTPUT] >> 2) + start
    batches = r[_BATCHES]
    while batches:
        to_lanes(arena, scratch + _LANES, image, source, depth)
        p[_P_STREAM] = stream
        p[_P_OUTPUT] = out
        dense_lut(int(p))
        p[_P_VALUES] = 0
        source += depth
        out += r[_OUTPUT_CHANNELS]
        batches -= 1
