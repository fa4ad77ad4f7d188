# tflm: one output pixel of CONV_2D, or FULLY_CONNECTED: weights are indices of at most 16 values
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types packed; package cnn; check dense_lut; units independent

from .lut_lanes import to_lanes

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
_LANES = const(1088)  # offset in the scratch buffer; overrides use the memory before it


# Channels start..stop-1 of one batch. A byte of two indices selects the weights of two lanes, so
# that one product does both, as in lanes_multiply.py, which also explains the rounding. `op` and
# `arena`, which are in registers, become the indices and the lanes.
@micropython.viper
def _channels(op: ptr32, arena: ptr8, rom: ptr8, start: int, stop: int, batch: int):
    # x64 words have 64 bits and loads are zero-extended: this shift brings the sign back.
    sign = 0x20000000
    sign = sign << 3 >> 27
    base = int(arena)
    depth = op[_DEPTH]
    words = depth + 7 >> 3
    own = op[_OWN_VALUES]
    word = op[_STREAM]
    table = (int(rom) if word & 1 else base) + (word >> 2)
    each = 16 + 16 * own + 4 * words
    first = table + 16 + start * each
    if own:
        first -= 16
    low = (op[_ACTIVATION_MIN] << sign) >> sign
    zero_point = ((op[_OUTPUT_ZERO_POINT] << sign) >> sign) - low
    span = uint(((op[_ACTIVATION_MAX] << sign) >> sign) - low)
    lanes = base + (op[_SCRATCH] >> 2) + _LANES
    y = ptr8(base + (op[_OUTPUT] >> 2) + batch * op[_OUTPUT_CHANNELS] + start)
    stream = first
    count = stop - start
    while count:
        if own:
            table = stream
            stream += 16
        values = ptr8(table)
        a = (ptr32(stream)[0] << sign) >> sign
        op = ptr32(stream + 4)
        arena = ptr8(lanes)
        n = words
        while n:
            k = 4
            v = op[0]
            while k:
                w = ((values[v >> 4 & 15] ^ 0x80) - 0x80 << 16) + ((values[v & 15] ^ 0x80) - 0x80)
                a = (((w * ptr32(arena)[0] << sign) >> sign) + 0x8000 >> 16) + a
                arena = ptr8(int(arena) + 4)
                v = v >> 8
                k -= 1
            op = ptr32(int(op) + 4)
            n -= 1
        v = a >> 15
        a = a & 0x7FFF
        v = (op[1] * a + ((op[0] * a >> 15) + op[0] * v >> 1) + 0x4000 >> 15) + op[1] * v
        n = op[2]
        if n:
            v = ((v >> 31) + v >> n - 1) + 1 >> 1
        v = v + zero_point
        if uint(v) > span:
            v = ((v >> 31) ^ -1) & int(span)
        y[0] = v + low
        y = ptr8(int(y) + 1)
        stream = int(op) + 12
        count -= 1


# Units are output channels. Functions are called with objects: an address would be a heap object
# on boards.
@micropython.viper
def eval_int8(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    depth = r[_DEPTH]
    lanes = (r[_SCRATCH] >> 2) + _LANES
    image = rom if r[_INPUT] & 1 else arena
    source = r[_INPUT] >> 2
    batches = r[_BATCHES]
    batch = 0
    while batch < batches:
        to_lanes(arena, lanes, image, source, depth)
        _channels(op, arena, rom, start, stop, batch)
        source += depth
        batch += 1
