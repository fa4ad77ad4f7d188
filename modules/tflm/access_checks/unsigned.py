# tflm: access checks: int8 with weights of uint8 (prepare/conv_unsigned.py)
# MIT license; Copyright (c) 2026 the tflm authors

from ..dtypes import const
from .record import divided

# Words of the records.
_INPUT = const(1)
_WEIGHTS = const(2)
_BIAS = const(3)
_OUTPUT = const(4)
_ACCUMULATORS = const(5)
_INPUT_HEIGHT = const(6)
_OUTPUT_HEIGHT = const(9)
_FILTER_HEIGHT = const(12)
_PADDING_HEIGHT = const(18)
_GROUP_CHANNELS = const(21)
_CHANNEL_STEP = const(22)
_INPUT_OFFSET = const(24)
_WEIGHTS_OFFSET = const(25)
_BLOCK = const(26)
_ONCE = const(27)
_OUTPUT_ZERO_POINT = const(28)


# The kernel skips the cells of a window that are outside of the image.
def _conv(r):
    height, width, inputs = r.numbers(_INPUT_HEIGHT, 3, 0)
    rows, columns, channels = r.numbers(_OUTPUT_HEIGHT, 3)
    taps_y, taps_x, stride_y, stride_x, dilation_y, dilation_x = r.numbers(_FILTER_HEIGHT, 6)
    top, left, depth = r.numbers(_PADDING_HEIGHT, 3, 0)
    (group,) = r.numbers(_GROUP_CHANNELS, 1)
    channel_step, cell_step = r.numbers(_CHANNEL_STEP, 2, 0)
    (block,) = r.numbers(_BLOCK, 1)
    last = channels - 1
    taps = taps_y * taps_x
    r.need(last // group * depth + depth <= inputs)
    r.need(cell_step >= depth if depth else taps == 1)
    r.small(rows * stride_y + taps_y * dilation_y + top + height)
    r.small((columns * stride_x + taps_x * dilation_x + left + width) * max(1, inputs))
    r.small(dilation_y * width * inputs)
    batches = divided(r.units, rows * columns * channels)
    r.reads(_INPUT, batches * height * width * inputs)
    if depth:
        r.reads(_WEIGHTS, last * channel_step + (taps - 1) * cell_step + depth)
    if r.has(_BIAS):
        r.reads(_BIAS, 4 * channels, align=4)
    r.writes(_OUTPUT, r.units)
    r.writes(_ACCUMULATORS, 4 * block, align=4)
    r.is_offset(_INPUT_OFFSET)
    r.is_offset(_WEIGHTS_OFFSET)
    r.need(r[_ONCE] <= 1)
    r.requantize(_OUTPUT_ZERO_POINT, 1)


CHECKS = {"conv_unsigned.eval_int8": _conv}
