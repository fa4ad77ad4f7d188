# tflm: TRANSPOSE_CONV of float32 with weights of int8
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types float32; package cnn; check hybrid

from .float32 import add, mul
from .float32_convert import from_int
from .float32_select import clamp

_QUANTIZED = const(1)
_SCALES = const(2)
_OFFSETS = const(3)
_WEIGHTS = const(4)
_WEIGHT_SCALES = const(5)
_BIAS = const(6)
_OUTPUT = const(7)
_INPUT_HEIGHT = const(8)
_INPUT_WIDTH = const(9)
_INPUT_CHANNELS = const(10)
_OUTPUT_HEIGHT = const(11)
_OUTPUT_WIDTH = const(12)
_OUTPUT_CHANNELS = const(13)
_FILTER_HEIGHT = const(14)
_FILTER_WIDTH = const(15)
_STRIDE_HEIGHT = const(16)
_STRIDE_WIDTH = const(17)
_PADDING_HEIGHT = const(18)
_PADDING_WIDTH = const(19)
_PER_CHANNEL = const(20)
_ACTIVATION_MIN = const(21)  # and the maximum after it

_INT32 = const(3)


# Units are outputs. hybrid_quantize.py has quantized the input to int8. transpose_conv.py explains
# which inputs an output gathers from. Sums are exact integers, which two scales convert to
# float32; LiteRT converts each product and adds floats. The limits of the activation are in the
# record, which is passed as the ROM.
@micropython.viper
def eval_float32(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    base = int(ptr8(arena))
    # x64 words have 64 bits and loads are zero-extended: this shift brings the sign back.
    sign = 0x20000000
    sign = sign << 3 >> 27
    word = r[_WEIGHTS]
    weights = (int(ptr8(rom)) if word & 1 else base) + (word >> 2)
    out = ptr32(base + (r[_OUTPUT] >> 2))
    depth = r[_INPUT_CHANNELS]
    filter_width = r[_FILTER_WIDTH]
    first = start
    while start < stop:
        pixel = start // r[_OUTPUT_CHANNELS]
        channel = start - pixel * r[_OUTPUT_CHANNELS]
        y = pixel // r[_OUTPUT_WIDTH]
        x = pixel - y * r[_OUTPUT_WIDTH] + r[_PADDING_WIDTH]
        batch = y // r[_OUTPUT_HEIGHT]
        y = y - batch * r[_OUTPUT_HEIGHT] + r[_PADDING_HEIGHT]
        offset = (ptr32(base + (r[_OFFSETS] >> 2))[batch] << sign) >> sign
        offset += 0x80
        row = batch * r[_INPUT_HEIGHT]
        in_y = 0
        if y >= r[_FILTER_HEIGHT]:
            in_y = (y - r[_FILTER_HEIGHT]) // r[_STRIDE_HEIGHT] + 1
        left = 0
        if x >= filter_width:
            left = (x - filter_width) // r[_STRIDE_WIDTH] + 1
        y -= in_y * r[_STRIDE_HEIGHT]
        total = 0
        while y >= 0 and in_y < r[_INPUT_HEIGHT]:
            in_x = left
            cell_x = x - left * r[_STRIDE_WIDTH]
            filters = (channel * r[_FILTER_HEIGHT] + y) * filter_width
            while cell_x >= 0 and in_x < r[_INPUT_WIDTH]:
                at = ((row + in_y) * r[_INPUT_WIDTH] + in_x) * depth
                q = ptr8(base + (r[_QUANTIZED] >> 2) + at)
                w = ptr8(weights + (filters + cell_x) * depth)
                i = 0
                while i < depth:
                    total += ((q[i] ^ 0x80) - offset) * ((w[i] ^ 0x80) - 0x80)
                    i += 1
                in_x += 1
                cell_x -= r[_STRIDE_WIDTH]
            in_y += 1
            y -= r[_STRIDE_HEIGHT]
        out[start] = total
        dst = r[_OUTPUT] + (start << 4)
        from_int(arena, rom, dst, dst, 1, _INT32)
        word = r[_WEIGHT_SCALES]
        if r[_PER_CHANNEL]:
            word += channel << 4
        mul(arena, rom, dst, dst, word, 1, 0)
        mul(arena, rom, dst, dst, r[_SCALES] + (batch << 4), 1, 0)
        if r[_BIAS] != 1:
            add(arena, rom, dst, dst, r[_BIAS] + (channel << 4), 1, 0)
        start += 1
    clamp(arena, op, r[_OUTPUT] + (first << 4), stop - first, _ACTIVATION_MIN << 4 | 1)
