# tflm: access checks: CONV_2D, DEPTHWISE_CONV_2D and FULLY_CONNECTED, int16 with weights of int8
# MIT license; Copyright (c) 2026 the tflm authors

from ..dtypes import const
from .sums_int16 import requantize, scratch, sums
from .windows import PIXELS, windows

# Words of the records.
_WEIGHTS = const(2)
_INPUT_HEIGHT = const(6)
_OUTPUT_CHANNELS = const(11)
_FILTER_HEIGHT = const(12)
_FILTER_WIDTH = const(13)
_FILTER_CHANNELS = const(20)
_GROUP_CHANNELS = const(21)
_CONV_BIAS_KIND = const(22)
_OUTPUT_ZERO_POINT = const(20)
_INPUT = const(1)
_OUTPUT = const(4)
_SCRATCH = const(5)
_DEPTH = const(6)
_BATCHES = const(7)
_FULLY_CONNECTED_BIAS_KIND = const(9)

_LANE_BYTES = const(2048)  # of the kernel for pairs of pixels, see prepare/conv_int16.py
_NUMBERS_BYTES = const(48)
_INT64 = 1  # kind of the bias, and of the sums of DEPTHWISE_CONV_2D; int32 is less


def _conv(r):
    depth, channels, taps_y, taps_x = windows(r, _INPUT_HEIGHT, PIXELS, 2)
    run, group = r.numbers(_FILTER_CHANNELS, 2)
    r.need(channels % group == 0 and channels // group * run <= depth)
    r.reads(_WEIGHTS, channels * taps_y * taps_x * run)
    r.need(r[_CONV_BIAS_KIND] <= _INT64)
    sums(r, _CONV_BIAS_KIND, channels, group, taps_x * run)


# The kernel for pairs of pixels keeps their windows and four channels of weights in the scratch
# buffer.
def _conv_pairs(r):
    _conv(r)
    run, group = r.numbers(_FILTER_CHANNELS, 2)
    window = r[_FILTER_HEIGHT] * r[_FILTER_WIDTH] * run
    r.need(r[_CONV_BIAS_KIND] == _INT64)
    groups, pair = r[_OUTPUT_CHANNELS] // group, (window + 1) // 2 * 8
    pairs = min(max(2, _LANE_BYTES // (pair * groups)), (r.units + 1) // 2)
    r.writes(_SCRATCH, pairs * pair * groups + 2 * pair + _NUMBERS_BYTES, align=4)
    r.apart(_OUTPUT, _SCRATCH)


def _depthwise(r):
    depth, channels, taps_y, taps_x = windows(r, _INPUT_HEIGHT, PIXELS, 2)
    r.need(channels % depth == 0)
    r.reads(_WEIGHTS, channels * taps_y * taps_x)
    scratch(r, _INT64, channels, channels, 0)
    requantize(r, _OUTPUT_ZERO_POINT, channels, _INT64)


def _fully_connected(r):
    (depth,) = r.numbers(_DEPTH, 1, 0)
    batches, channels = r.numbers(_BATCHES, 2)
    r.need(r.units == channels)
    r.reads(_INPUT, 2 * batches * depth, align=2)
    r.reads(_WEIGHTS, r.units * depth)
    r.writes(_OUTPUT, 2 * ((batches - 1) * channels + r.units), align=2)
    r.need(r[_FULLY_CONNECTED_BIAS_KIND] <= _INT64)
    sums(r, _FULLY_CONNECTED_BIAS_KIND, r.units, r.units, depth)


CHECKS = {
    "conv_int16.eval_int16": _conv,
    "conv_int16_dsp.eval_int16": _conv_pairs,
    "depthwise_conv_int16.eval_int16": _depthwise,
    "fully_connected_int16.eval_int16": _fully_connected,
}
