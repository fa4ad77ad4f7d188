# tflm: access checks: CONV_2D, DEPTHWISE_CONV_2D and FULLY_CONNECTED, int8
# MIT license; Copyright (c) 2026 the tflm authors

from ..dtypes import const
from .windows import ROWS, windows

# Words of the records.
_WEIGHTS = const(2)
_BIAS = const(3)
_TAPS = const(5)
_ACCUMULATORS = const(6)
_CONV_INPUT_HEIGHT = const(7)
_DEPTHWISE_INPUT_HEIGHT = const(6)
_OUTPUT_WIDTH = const(11)
_FILTER_CHANNELS = const(21)
_CONV_INPUT_OFFSET = const(22)
_CONV_OUTPUT_ZERO_POINT = const(23)
_DEPTHWISE_INPUT_OFFSET = const(20)
_DEPTHWISE_OUTPUT_ZERO_POINT = const(21)
_INPUT = const(1)
_OUTPUT = const(4)
_DEPTH = const(7)
_BATCHES = const(8)
_FULLY_CONNECTED_INPUT_OFFSET = const(10)
_WEIGHTS_OFFSET = const(11)
_FULLY_CONNECTED_OUTPUT_ZERO_POINT = const(12)

_BLOCK = const(64)  # taps, and accumulators, that the kernels unpack at a time
_MAX_TAPS = const(128)  # of DEPTHWISE_CONV_2D


def _conv(r):
    depth, channels, taps_y, taps_x = windows(r, _CONV_INPUT_HEIGHT, ROWS, 1)
    taps = taps_y * taps_x
    (run,) = r.numbers(_FILTER_CHANNELS, 1)
    r.need(depth % run == 0 and channels % (depth // run) == 0)
    r.reads(_WEIGHTS, channels * taps * run)
    if r.has(_BIAS):
        r.reads(_BIAS, 4 * channels, align=4)
    r.writes(_TAPS, 4 * min(taps * run, _BLOCK), align=4)
    r.writes(_ACCUMULATORS, 4 * min(r.units * r[_OUTPUT_WIDTH] * channels, _BLOCK), align=4)
    r.is_offset(_CONV_INPUT_OFFSET)
    r.requantize(_CONV_OUTPUT_ZERO_POINT, channels)


def _depthwise(r):
    depth, channels, taps_y, taps_x = windows(r, _DEPTHWISE_INPUT_HEIGHT, ROWS, 1)
    taps = taps_y * taps_x
    r.need(channels % depth == 0)
    r.reads(_WEIGHTS, channels * taps)
    if r.has(_BIAS):
        r.reads(_BIAS, 4 * channels, align=4)
    r.writes(_TAPS, 4 * min(taps, _MAX_TAPS), align=4)
    r.is_offset(_DEPTHWISE_INPUT_OFFSET)
    r.requantize(_DEPTHWISE_OUTPUT_ZERO_POINT, channels)


def _fully_connected(r):
    (depth,) = r.numbers(_DEPTH, 1, 0)
    batches, channels = r.numbers(_BATCHES, 2)
    r.need(r.units == channels)
    r.reads(_INPUT, batches * depth)
    r.reads(_WEIGHTS, r.units * depth)
    if r.has(_BIAS):
        r.reads(_BIAS, 4 * r.units, align=4)
    r.writes(_OUTPUT, (batches - 1) * channels + r.units)
    r.writes(_TAPS, 4 * max(1, min(depth, _BLOCK)), align=4)
    r.writes(_ACCUMULATORS, 4 * min(r.units, _BLOCK), align=4)
    r.is_offset(_FULLY_CONNECTED_INPUT_OFFSET)
    r.is_offset(_WEIGHTS_OFFSET)
    r.requantize(_FULLY_CONNECTED_OUTPUT_ZERO_POINT, r.units)


CHECKS = {
    "conv.eval_int8": _conv,
    "depthwise_conv.eval_int8": _depthwise,
    "fully_connected.eval_int8": _fully_connected,
}
