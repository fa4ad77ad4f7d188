# tflm: FULLY_CONNECTED, int8, with weights in lanes (prepare/lanes.py): for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

from .gen.lanes_asm import gather, gather_bytes, multiply

_INPUT = const(1)
_STREAM = const(2)
_OUTPUT = const(3)
_SCRATCH = const(4)
_DEPTH = const(5)
_DEPTH_LANES = const(6)
_BATCHES = const(7)
_OUTPUT_CHANNELS = const(8)
_WEIGHT_BYTES = const(9)
_OUTPUT_ZERO_POINT = const(10)
_ACTIVATION_MIN = const(11)
_ACTIVATION_MAX = const(12)
_LANES = const(128)  # offset of the lanes in the scratch buffer, after the parameters

# Words of the parameters of gather() and multiply(); see tools/asm/common/parameters.py.
_G_SOURCE = const(0)
_G_LANES = const(1)
_G_COLUMNS = const(2)
_G_COLUMN_STEP = const(3)
_G_RUN = const(4)
_G_ROW_STEP = const(5)
_G_ROWS_ABOVE = const(6)
_G_ROWS = const(7)
_G_ROWS_BELOW = const(8)
_G_AT = const(9)
_G_LAST = const(10)
_G_FILL = const(11)
_G_ROW_BYTES = const(12)
_G_COLUMN_BYTES = const(13)
_G_SPARE = const(14)
_M_STREAM = const(16)
_M_LANES = const(17)
_M_OUTPUT = const(18)
_M_LANES_END = const(19)
_M_GROUPS = const(20)
_M_LANES_STEP = const(21)
_M_OUTPUT_STEP = const(22)
_M_WINDOW = const(23)
_M_OUTPUT_ZERO_POINT = const(24)
_M_ACTIVATION_MIN = const(25)
_M_ACTIVATION_MAX = const(26)
_M_GROUP = const(27)
_M_ROWS = const(28)
_M_SOURCE = const(30)


# Units are groups of four output channels. Each batch is one column of one row for gather(), and
# one pixel for multiply().
@micropython.viper
def eval_int8(op: ptr32, arena, rom, start: int, stop: int):
    base = int(ptr8(arena))
    flash = int(ptr8(rom))
    word = op[_STREAM]
    window = 2 * op[_DEPTH_LANES]
    group_bytes = 64 + 2 * op[_WEIGHT_BYTES] * window
    stream = (flash if word & 1 else base) + (word >> 2) + start * group_bytes
    word = op[_INPUT]
    source = (flash if word & 1 else base) + (word >> 2)
    p = ptr32(base + (op[_SCRATCH] >> 2))
    lanes = int(p) + _LANES
    spare = lanes + window
    channels = op[_OUTPUT_CHANNELS]
    rest = 0
    groups = stop - start
    if 4 * stop > channels:
        rest = channels & 3
        groups -= 1
    p[_G_LANES] = lanes
    p[_G_COLUMN_STEP] = 0
    p[_G_RUN] = op[_DEPTH]
    p[_G_ROW_STEP] = 0
    p[_G_ROWS_ABOVE] = 0
    p[_G_ROWS] = 1
    p[_G_ROWS_BELOW] = 0
    p[_G_AT] = 0
    p[_G_LAST] = 0
    p[_G_FILL] = 0
    p[_G_ROW_BYTES] = op[_DEPTH]
    p[_G_COLUMN_BYTES] = op[_DEPTH_LANES]
    p[_G_SPARE] = spare
    p[_G_COLUMNS] = 1
    p[_M_GROUP] = 0
    if op[_WEIGHT_BYTES] == 1:
        p[_M_GROUP] = spare + op[_DEPTH_LANES]
    p[_M_LANES] = lanes
    p[_M_LANES_END] = spare
    p[_M_LANES_STEP] = window
    p[_M_OUTPUT_STEP] = 4
    p[_M_ROWS] = 1
    p[_M_SOURCE] = 0
    p[_M_WINDOW] = window
    p[_M_OUTPUT_ZERO_POINT] = op[_OUTPUT_ZERO_POINT]
    p[_M_ACTIVATION_MIN] = op[_ACTIVATION_MIN]
    p[_M_ACTIVATION_MAX] = op[_ACTIVATION_MAX]
    out = base + (op[_OUTPUT] >> 2) + 4 * start
    batches = op[_BATCHES]
    while batches:
        p[_G_SOURCE] = source
        if op[_DEPTH] == op[_DEPTH_LANES]:
            gather(int(p))
        else:
            gather_bytes(int(p))
        if groups:
            p[_M_STREAM] = stream
            p[_M_OUTPUT] = out
            p[_M_GROUPS] = groups
            multiply(int(p) + 4 * _M_STREAM)
        if rest:
            # The last, incomplete group is written to the spare memory first.
            p[_M_STREAM] = stream + groups * group_bytes
            p[_M_OUTPUT] = spare
            p[_M_GROUPS] = 1
            multiply(int(p) + 4 * _M_STREAM)
            k = 0
            while k < rest:
                ptr8(out + 4 * groups)[k] = ptr8(spare)[k]
                k += 1
        source += op[_DEPTH]
        out += channels
        batches -= 1
