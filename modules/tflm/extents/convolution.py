# tflm: extents: CONV_2D, DEPTHWISE_CONV_2D and FULLY_CONNECTED, int8
# MIT license; Copyright (c) 2026 the tflm authors

from .windows import ROWS, windows

_BLOCK = 64  # taps, and accumulators, that the kernels hold at a time
_MOST_TAPS = 128  # of DEPTHWISE_CONV_2D


def _conv(r):
    depth, channels, taps_y, taps_x = windows(r, 7, ROWS, 1)
    taps = taps_y * taps_x
    (run,) = r.numbers(21, 1)
    r.need(depth % run == 0 and channels % (depth // run) == 0)
    r.reads(2, channels * taps * run)
    if r.has(3):
        r.reads(3, 4 * channels, align=4)
    r.writes(5, 4 * min(taps * run, _BLOCK), align=4)
    r.writes(6, 4 * min(r.units * r[11] * channels, _BLOCK), align=4)
    r.is_offset(22)
    r.requantize(23, channels)


def _depthwise(r):
    depth, channels, taps_y, taps_x = windows(r, 6, ROWS, 1)
    taps = taps_y * taps_x
    r.need(channels % depth == 0)
    r.reads(2, channels * taps)
    if r.has(3):
        r.reads(3, 4 * channels, align=4)
    r.writes(5, 4 * min(taps, _MOST_TAPS), align=4)
    r.is_offset(20)
    r.requantize(21, channels)


def _fully_connected(r):
    (depth,) = r.numbers(7, 1, 0)
    batches, channels = r.numbers(8, 2)
    r.need(r.units == channels)
    r.reads(1, batches * depth)
    r.reads(2, r.units * depth)
    if r.has(3):
        r.reads(3, 4 * r.units, align=4)
    r.writes(4, (batches - 1) * channels + r.units)
    r.writes(5, 4 * max(1, min(depth, _BLOCK)), align=4)
    r.writes(6, 4 * min(r.units, _BLOCK), align=4)
    r.is_offset(10)
    r.is_offset(11)
    r.requantize(12, r.units)


CHECKS = {
    "conv.eval_int8": _conv,
    "depthwise_conv.eval_int8": _depthwise,
    "fully_connected.eval_int8": _fully_connected,
}
