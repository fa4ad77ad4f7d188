# tflm: TRANSPOSE_CONV, int8, and int16 with weights of int8
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int8 int16; package cnn; check transpose_conv; units independent

from .matrix import multiply, start_sums
from .requantize import store_int8
from .requantize_int16 import requantize_int16

_INPUT = const(1)
_WEIGHTS = const(2)
_BIAS = const(3)
_OUTPUT = const(4)
_SCRATCH = const(5)
_REQUANTIZE = const(6)  # a constant: the block for store_int8 or requantize_int16
_INPUT_HEIGHT = const(7)
_INPUT_WIDTH = const(8)
_INPUT_CHANNELS = const(9)
_OUTPUT_HEIGHT = const(10)
_OUTPUT_WIDTH = const(11)
_OUTPUT_CHANNELS = const(12)
_FILTER_HEIGHT = const(13)
_FILTER_WIDTH = const(14)
_STRIDE_HEIGHT = const(15)
_STRIDE_WIDTH = const(16)
_PADDING_HEIGHT = const(17)
_PADDING_WIDTH = const(18)
_BIAS_KIND = const(19)  # argument of start_sums
_OFFSETS = const(20)  # argument of multiply
_BLOCK = const(64)  # sums that fit the scratch buffer

_WIDE = const(24)  # the bit of offsets for int16


# Units are output pixels of batches. An override calls this for records that it does not support.
#
# TFLM spreads each input pixel over the outputs below its window. Here each output pixel gathers
# from the input pixels whose window covers it: number i along a side when
#   0 <= output + padding - i * stride < filter size, which is the filter's cell.
@micropython.viper
def pixels(op: ptr32, arena, rom, start: int, stop: int):
    wide = op[_OFFSETS] >> _WIDE & 1  # inputs and outputs have 1 << wide bytes
    word = op[_REQUANTIZE]
    memory = rom if word & 1 else arena
    block = word >> 4
    scratch = op[_SCRATCH] >> 2
    depth = op[_INPUT_CHANNELS]
    channels = op[_OUTPUT_CHANNELS]
    filter_width = op[_FILTER_WIDTH]
    filter_size = op[_FILTER_HEIGHT] * filter_width * depth
    out = (op[_OUTPUT] >> 2) + (start * channels << wide)
    while start < stop:
        y = start // op[_OUTPUT_WIDTH]
        x = start - y * op[_OUTPUT_WIDTH] + op[_PADDING_WIDTH]
        batch = y // op[_OUTPUT_HEIGHT]
        y = y - batch * op[_OUTPUT_HEIGHT] + op[_PADDING_HEIGHT]
        top = 0
        if y >= op[_FILTER_HEIGHT]:
            top = (y - op[_FILTER_HEIGHT]) // op[_STRIDE_HEIGHT] + 1
        left = 0
        if x >= filter_width:
            left = (x - filter_width) // op[_STRIDE_WIDTH] + 1
        channel = 0
        while channel < channels:
            count = channels - channel
            if count > _BLOCK:
                count = _BLOCK
            start_sums(arena, rom, scratch, op[_BIAS], channel, count, op[_BIAS_KIND])
            filters = op[_WEIGHTS] + (channel * filter_size << 2)
            in_y = top
            cell_y = y - top * op[_STRIDE_HEIGHT]
            while cell_y >= 0 and in_y < op[_INPUT_HEIGHT]:
                row = (batch * op[_INPUT_HEIGHT] + in_y) * op[_INPUT_WIDTH]
                in_x = left
                cell_x = x - left * op[_STRIDE_WIDTH]
                while cell_x >= 0 and in_x < op[_INPUT_WIDTH]:
                    a = op[_INPUT] + ((row + in_x) * depth << 2 << wide)
                    b = filters + ((cell_y * filter_width + cell_x) * depth << 2)
                    multiply(scratch, b, arena, rom, a, depth, count, op[_OFFSETS], filter_size)
                    in_x += 1
                    cell_x -= op[_STRIDE_WIDTH]
                in_y += 1
                cell_y -= op[_STRIDE_HEIGHT]
            if wide:
                requantize_int16(memory, arena, block, scratch, out, channel, count)
            else:
                store_int8(memory, arena, block, scratch, out, channel, count)
            out += count << wide
            channel += count
        start += 1


# The record says which type it is.
eval_int8 = pixels
eval_int16 = pixels
