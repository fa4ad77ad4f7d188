# tflm: access checks: the windows of a filter over the image (prepare/convolution.py)
# MIT license; Copyright (c) 2026 the tflm authors

from ..dtypes import const
from .record import divided

# Words of the records.
_INPUT = const(1)
_OUTPUT = const(4)

# Words of WINDOWS (prepare/convolution.py), from its first word.
_TO_INPUT_CHANNELS = const(2)
_TO_FILTER_HEIGHT = const(6)
_TO_PADDING_HEIGHT = const(12)

OUTPUTS, PIXELS, ROWS = 0, 1, 2  # what a unit is


# Check the words WINDOWS of prepare/convolution.py from word `at` on: the image (operand 1) and
# the output (operand 4), both with elements of `size` bytes. All sums of positions must fit words,
# and each window must overlap the image. Return channels of the input and the output, taps of a
# filter, its rows and columns, and outputs in a row.
def windows(r, at, unit, size):
    height, width = r.numbers(at, 2, 0)
    depth, rows, columns, channels = r.numbers(at + _TO_INPUT_CHANNELS, 4)
    taps_y, taps_x, stride_y, stride_x, dilation_y, dilation_x = r.numbers(
        at + _TO_FILTER_HEIGHT, 6
    )
    top, left = r.numbers(at + _TO_PADDING_HEIGHT, 2, 0)
    r.small(rows * stride_y + taps_y * dilation_y + top + height)
    r.small((columns * stride_x + taps_x * dilation_x + left + width) * depth)
    r.small(dilation_y * width * depth)
    r.need(top <= (taps_y - 1) * dilation_y and (rows - 1) * stride_y - top < height)
    r.need(left <= (taps_x - 1) * dilation_x and (columns - 1) * stride_x - left < width)
    outputs = r.units * (1, channels, columns * channels)[unit]
    r.reads(
        _INPUT,
        divided(outputs, rows * columns * channels) * height * width * depth * size,
        align=size,
    )
    r.writes(_OUTPUT, outputs * size, align=size)
    return depth, channels, taps_y, taps_x
