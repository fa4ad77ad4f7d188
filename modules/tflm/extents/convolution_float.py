# tflm: extents: CONV_2D, DEPTHWISE_CONV_2D and FULLY_CONNECTED, float32
# MIT license; Copyright (c) 2026 the tflm authors

from .record import divided
from .windows import OUTPUTS, PIXELS, windows


# Weights (operand 2), and the bias where there is one.
def _filters(r, channels, taps):
    r.reads(2, 4 * channels * taps, align=4)
    if r.has(3):
        r.reads(3, 4 * channels, align=4)


def _conv(r):
    depth, channels, taps_y, taps_x = windows(r, 5, OUTPUTS, 4)
    run, group = r.numbers(19, 2)
    r.need(divided(channels, group) * run <= depth and r.words >= 23)
    _filters(r, channels, taps_y * taps_x * run)


# For each cell of the filter the kernel calls its inner loop some times; the steps of that are
# three numbers of 10 bits, of the output, the input and the weights.
def _depthwise(r):
    depth, channels, taps_y, taps_x = windows(r, 5, PIXELS, 4)
    loops, length, steps = r.numbers(19, 3)
    input_move, output_move = r.numbers(22, 2, 0)
    r.need(r.words >= 26)
    last, others = length - 1, loops - 1
    for move, shift, elements in (
        (output_move, 0, channels),
        (input_move, 10, depth),
        (output_move, 20, channels),
    ):
        r.need(last * (steps >> shift & 1023) + others * move < elements)
    _filters(r, channels, taps_y * taps_x)


def _fully_connected(r):
    (depth,) = r.numbers(5, 1, 0)
    (channels,) = r.numbers(6, 1)
    r.need(r.words >= 9)
    r.reads(1, 4 * divided(r.units, channels) * depth, align=4)
    r.writes(4, 4 * r.units, align=4)
    _filters(r, min(channels, r.units), depth)


CHECKS = {
    "conv_float.eval_float32": _conv,
    "depthwise_conv_float.eval_float32": _depthwise,
    "fully_connected_float.eval_float32": _fully_connected,
}
