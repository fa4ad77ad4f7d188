# tflm: FULLY_CONNECTED, int8, with weights in lanes (prepare/lanes.py): groups of channels
# MIT license; Copyright (c) 2026 the tflm authors

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

# Words of the parameters of gather() and multiply(); see tools/asm/kernels/parameters.py.
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
_M_SOURCE_END = const(31)


# Groups start..stop-1 of four output channels. Each batch is one column of one row for `gather`
# and one pixel for `multiply`; both are called as in conv_blocks.py.
@micropython.viper
def run_groups(op, arena, rom, start: int, stop: int, gather, gather_bytes, multiply):
    r = ptr32(op)
    scratch = r[_SCRATCH] >> 2
    base = int(ptr8(arena))
    p = ptr32(base + scratch)
    image_memory = rom if r[_INPUT] & 1 else arena
    stream_memory = rom if r[_STREAM] & 1 else arena
    window = 2 * r[_DEPTH_LANES]
    group_bytes = 64 + 2 * r[_WEIGHT_BYTES] * window
    stream = (r[_STREAM] >> 2) + start * group_bytes
    source = r[_INPUT] >> 2
    lanes = scratch + _LANES
    spare = lanes + window
    channels = r[_OUTPUT_CHANNELS]
    rest = 0
    groups = stop - start
    if 4 * stop > channels:
        rest = channels & 3
        groups -= 1
    p[_G_LANES] = lanes
    p[_G_COLUMN_STEP] = 0
    p[_G_RUN] = r[_DEPTH]
    p[_G_ROW_STEP] = 0
    p[_G_ROWS_ABOVE] = 0
    p[_G_ROWS] = 1
    p[_G_ROWS_BELOW] = 0
    p[_G_AT] = 0
    p[_G_LAST] = 0
    p[_G_FILL] = 0
    p[_G_ROW_BYTES] = r[_DEPTH]
    p[_G_COLUMN_BYTES] = r[_DEPTH_LANES]
    p[_G_SPARE] = spare
    p[_G_COLUMNS] = 1
    p[_M_GROUP] = 0
    if r[_WEIGHT_BYTES] == 1:
        p[_M_GROUP] = spare + r[_DEPTH_LANES]
    p[_M_LANES] = lanes
    p[_M_LANES_END] = spare
    p[_M_LANES_STEP] = window
    p[_M_OUTPUT_STEP] = 4
    p[_M_ROWS] = 1
    p[_M_SOURCE_END] = 0
    p[_M_WINDOW] = window
    p[_M_OUTPUT_ZERO_POINT] = r[_OUTPUT_ZERO_POINT]
    p[_M_ACTIVATION_MIN] = r[_ACTIVATION_MIN]
    p[_M_ACTIVATION_MAX] = r[_ACTIVATION_MAX]
    out = (r[_OUTPUT] >> 2) + 4 * start
    batches = r[_BATCHES]
    while batches:
        p[_G_SOURCE] = source
        if r[_DEPTH] == r[_DEPTH_LANES]:
            gather(arena, scratch, image_memory)
        else:
            gather_bytes(arena, scratch, image_memory)
        if groups:
            p[_M_STREAM] = stream
            p[_M_OUTPUT] = out
            p[_M_GROUPS] = groups
            multiply(arena, scratch + 4 * _M_STREAM, stream_memory)
        if rest:
            # The last, incomplete group is written to the spare memory first.
            p[_M_STREAM] = stream + groups * group_bytes
            p[_M_OUTPUT] = spare
            p[_M_GROUPS] = 1
            multiply(arena, scratch + 4 * _M_STREAM, stream_memory)
            to = ptr8(base + out + 4 * groups)
            from_ = ptr8(base + spare)
            k = 0
            while k < rest:
                to[k] = from_[k]
                k += 1
        source += r[_DEPTH]
        out += channels
        batches -= 1
