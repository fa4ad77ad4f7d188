# tflm: access checks: TRANSPOSE_CONV, float32, int8 and int16
# MIT license; Copyright (c) 2026 the tflm authors

from ..dtypes import const
from .record import divided
from .sums_int16 import kind_of_sums, requantize, scratch

# Words of the records.
_INPUT = const(1)
_WEIGHTS = const(2)
_OUTPUT = const(4)
_BIAS = const(3)
_FLOAT_INPUT_HEIGHT = const(5)
_REQUANTIZE = const(6)
_INPUT_HEIGHT = const(7)
_BIAS_KIND = const(19)
_OFFSETS = const(20)

# Words of the constant for requantization, and the number of words before its table.
_OUTPUT_ZERO_POINT = const(0)
_PER_CHANNEL = const(3)
_CHANNELS = const(4)
_TABLE = const(5)

# Words from the height of the input on.
_TO_INPUT_CHANNELS = const(2)
_TO_OUTPUT_HEIGHT = const(3)
_TO_PADDING_HEIGHT = const(10)


# Check the sizes from word `at` on; elements have `size` bytes, weights `weight`. `single`: a unit
# is one output, not a pixel. Return channels of the output and of the input.
def _sizes(r, at, size, weight, single=False):
    height, width = r.numbers(at, 2, 0)
    (depth,) = r.numbers(at + _TO_INPUT_CHANNELS, 1, 0)
    rows, columns, channels, taps_y, taps_x, stride_y, stride_x = r.numbers(
        at + _TO_OUTPUT_HEIGHT, 7
    )
    top, left = r.numbers(at + _TO_PADDING_HEIGHT, 2, 0)
    r.small(rows + top + taps_y + stride_y, columns + left + taps_x + stride_x)
    outputs = r.units * (1 if single else channels)
    images = divided(outputs, rows * columns * channels)
    r.reads(_INPUT, images * height * width * depth * size, align=size)
    r.reads(_WEIGHTS, channels * taps_y * taps_x * depth * weight, align=weight)
    r.writes(_OUTPUT, outputs * size, align=size)
    return channels, depth


def _float(r):
    channels, _ = _sizes(r, _FLOAT_INPUT_HEIGHT, 4, 4, True)
    r.need(r.words >= 19)
    if r.has(_BIAS):
        r.reads(_BIAS, 4 * channels, align=4)


def _int8(r):
    channels, depth = _sizes(r, _INPUT_HEIGHT, 1, 1)
    r.need(r[_BIAS_KIND] == 0)
    r.is_offsets(_OFFSETS)
    scratch(r, 0, channels, channels, depth)
    count = r.words_of(_REQUANTIZE, _TABLE)[_CHANNELS]
    block = r.words_of(_REQUANTIZE, _TABLE + count + (count + 3) // 4)
    block.requantize(_OUTPUT_ZERO_POINT, channels)


def _int16(r):
    channels, depth = _sizes(r, _INPUT_HEIGHT, 2, 1)
    kind = kind_of_sums(r, _BIAS_KIND, channels, channels, depth)
    pairs = channels if r.words_of(_REQUANTIZE, _TABLE)[_PER_CHANNEL] else 1
    block = r.words_of(_REQUANTIZE, _TABLE + 2 * pairs)
    requantize(block, _OUTPUT_ZERO_POINT, channels, kind)


CHECKS = {
    "transpose_conv.eval_int8": _int8,
    "transpose_conv.eval_int16": _int16,
    "transpose_conv_float.eval_float32": _float,
}
