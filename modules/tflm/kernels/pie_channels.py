# tflm: FULLY_CONNECTED, int8, with weights as vectors of 16 bytes (prepare/pie.py): channels
# MIT license; Copyright (c) 2026 the tflm authors

_INPUT = const(1)
_STREAM = const(2)
_OUTPUT = const(3)
_SCRATCH = const(4)
_DEPTH = const(5)
_DEPTH_BYTES = const(6)
_BATCHES = const(7)
_OUTPUT_CHANNELS = const(8)
_OUTPUT_ZERO_POINT = const(9)
_ACTIVATION_MIN = const(10)
_ACTIVATION_MAX = const(11)
_INPUTS = const(128)  # offset of the inputs in the scratch buffer, after the parameters

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
_M_STREAM = const(16)
_M_INPUTS = const(17)
_M_OUTPUT = const(18)
_M_CHANNELS = const(19)
_M_PIXELS = const(20)
_M_ROWS = const(21)
_M_PIXEL_STEP = const(22)
_M_ROW_STEP = const(23)
_M_OUTPUT_STEP = const(24)
_M_WINDOW = const(25)
_M_OUTPUT_ZERO_POINT = const(26)
_M_ACTIVATION_MIN = const(27)
_M_ACTIVATION_MAX = const(28)


# Output channels start..stop-1. Each batch is one column of one row for `gather` and one pixel for
# `multiply`; both are called as in pie_blocks.py.
@micropython.viper
def run_channels(op, arena, rom, start: int, stop: int, gather, gather_bytes, multiply):
    r = ptr32(op)
    scratch = r[_SCRATCH] >> 2
    p = ptr32(int(ptr8(arena)) + scratch)
    image_memory = rom if r[_INPUT] & 1 else arena
    stream_memory = rom if r[_STREAM] & 1 else arena
    source = r[_INPUT] >> 2
    size = r[_DEPTH_BYTES]
    p[_G_LANES] = scratch + _INPUTS
    p[_G_COLUMNS] = 1
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
    p[_G_COLUMN_BYTES] = size
    p[_M_STREAM] = (r[_STREAM] >> 2) + start * (size + 16)
    p[_M_INPUTS] = scratch + _INPUTS
    p[_M_CHANNELS] = stop - start
    p[_M_PIXELS] = 1
    p[_M_ROWS] = 1
    p[_M_PIXEL_STEP] = size
    p[_M_ROW_STEP] = size
    p[_M_OUTPUT_STEP] = 1
    p[_M_WINDOW] = size
    p[_M_OUTPUT_ZERO_POINT] = r[_OUTPUT_ZERO_POINT]
    p[_M_ACTIVATION_MIN] = r[_ACTIVATION_MIN]
    p[_M_ACTIVATION_MAX] = r[_ACTIVATION_MAX]
    out = (r[_OUTPUT] >> 2) + start
    batches = r[_BATCHES]
    while batches:
        p[_G_SOURCE] = source
        if r[_DEPTH] & 3:
            gather_bytes(arena, scratch, image_memory)
        else:
            gather(arena, scratch, image_memory)
        p[_M_OUTPUT] = out
        multiply(arena, scratch + 4 * _M_STREAM, stream_memory)
        source += r[_DEPTH]
        out += r[_OUTPUT_CHANNELS]
        batches -= 1
