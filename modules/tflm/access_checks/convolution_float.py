# tflm: access checks: CONV_2D, DEPTHWISE_CONV_2D and FULLY_CONNECTED, float32
# MIT license; Copyright (c) 2026 the tflm authors

from ..dtypes import const
from .record import divided
from .windows import OUTPUTS, PIXELS, windows

# Words of the records.
_WEIGHTS = const(2)
_BIAS = const(3)
_INPUT_HEIGHT = const(5)
_FILTER_CHANNELS = const(19)
_LOOPS = const(19)
_INPUT_MOVE = const(22)
_INPUT = const(1)
_OUTPUT = const(4)
_DEPTH = const(5)
_CHANNELS = const(6)


# Check the weights (operand 2), and the bias if it exists.
def _filters(r, channels, taps):
    r.reads(_WEIGHTS, 4 * channels * taps, align=4)
    if r.has(_BIAS):
        r.reads(_BIAS, 4 * channels, align=4)


def _conv(r):
    depth, channels, taps_y, taps_x = windows(r, _INPUT_HEIGHT, OUTPUTS, 4)
    run, group = r.numbers(_FILTER_CHANNELS, 2)
    r.need(channels % group == 0 and channels // group * run <= depth and r.words >= 23)
    _filters(r, channels, taps_y * taps_x * run)


# For each cell of the filter the kernel calls its inner loop; the steps of this loop are three
# numbers of 10 bits, of the output, the input and the weights.
def _depthwise(r):
    depth, channels, taps_y, taps_x = windows(r, _INPUT_HEIGHT, PIXELS, 4)
    loops, length, steps = r.numbers(_LOOPS, 3)
    input_move, output_move = r.numbers(_INPUT_MOVE, 2, 0)
    r.need(r.words >= 26 and channels % depth == 0)
    last, others = length - 1, loops - 1
    for move, shift, elements in (
        (output_move, 0, channels),
        (input_move, 10, depth),
        (output_move, 20, channels),
    ):
        r.need(last * (steps >> shift & 1023) + others * move < elements)
    _filters(r, channels, taps_y * taps_x)


def _fully_connected(r):
    (depth,) = r.numbers(_DEPTH, 1, 0)
    (channels,) = r.numbers(_CHANNELS, 1)
    r.need(r.words >= 9)
    r.reads(_INPUT, 4 * divided(r.units, channels) * depth, align=4)
    r.writes(_OUTPUT, 4 * r.units, align=4)
    _filters(r, min(channels, r.units), depth)


CHECKS = {
    "conv_float.eval_float32": _conv,
    "depthwise_conv_float.eval_float32": _depthwise,
    "fully_connected_float.eval_float32": _fully_connected,
}
