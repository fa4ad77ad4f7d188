# tflm: access checks: float32 operators with int8 weights (prepare/hybrid.py)
# MIT license; Copyright (c) 2026 the tflm authors

from ..dtypes import const
from .record import divided

# Words of the records.
_INPUT = const(1)
_QUANTIZE_QUANTIZED = const(2)
_SCALES = const(3)
_OFFSETS = const(4)
_EXTREMES = const(5)
_STEPS = const(6)
_DEPTH = const(7)
_HYBRID_QUANTIZED = const(1)
_HYBRID_SCALES = const(2)
_HYBRID_OFFSETS = const(3)
_WEIGHTS = const(4)
_WEIGHT_SCALES = const(5)
_BIAS = const(6)
_OUTPUT = const(7)
_INPUT_HEIGHT = const(8)
_OUTPUT_HEIGHT = const(11)
_FILTER_HEIGHT = const(14)
_PADDING_HEIGHT = const(20)
_TRANSPOSE_PADDING_HEIGHT = const(18)
_TRANSPOSE_PER_CHANNEL = const(20)
_GROUP_CHANNELS = const(23)
_CHANNEL_STEP = const(24)
_PER_CHANNEL = const(26)


# The kernel divides by no scale of 0 if no other operand overlaps the scales.
def _quantize(r):
    (depth,) = r.numbers(_DEPTH, 1, 0)
    r.need(r.words >= 9)
    r.reads(_INPUT, 4 * r.units * depth, align=4)
    r.writes(_QUANTIZE_QUANTIZED, r.units * depth)
    for i in (_SCALES, _OFFSETS):
        r.writes(i, 4 * r.units, align=4)
    r.writes(_EXTREMES, 8, align=4)
    r.reads(_STEPS, 4, align=4)
    r.apart(_SCALES, _OFFSETS)
    r.apart(_SCALES, _EXTREMES)


# The kernel skips the cells of a window that are outside of the image.
def _hybrid(r):
    height, width, inputs = r.numbers(_INPUT_HEIGHT, 3, 0)
    rows, columns, channels = r.numbers(_OUTPUT_HEIGHT, 3)
    taps_y, taps_x, stride_y, stride_x, dilation_y, dilation_x = r.numbers(_FILTER_HEIGHT, 6)
    top, left, depth = r.numbers(_PADDING_HEIGHT, 3, 0)
    (group,) = r.numbers(_GROUP_CHANNELS, 1)
    channel_step, cell_step = r.numbers(_CHANNEL_STEP, 2, 0)
    last = channels - 1
    taps = taps_y * taps_x
    r.need(channels % group == 0 and last // group * depth + depth <= inputs)
    r.need(r[_PER_CHANNEL] <= 1 and r.words >= 29)
    r.need(cell_step >= depth if depth else taps == 1)
    r.small(rows * stride_y + taps_y * dilation_y + top + height)
    r.small((columns * stride_x + taps_x * dilation_x + left + width) * max(1, inputs))
    r.small(dilation_y * width * inputs)
    batches = divided(r.units, rows * columns * channels)
    r.writes(_HYBRID_QUANTIZED, batches * height * width * inputs)
    for i in (_HYBRID_SCALES, _HYBRID_OFFSETS):
        r.writes(i, 4 * batches, align=4)
    if depth:
        r.reads(_WEIGHTS, last * channel_step + (taps - 1) * cell_step + depth)
    r.reads(_WEIGHT_SCALES, 4 * (channels if r[_PER_CHANNEL] else 1), align=4)
    if r.has(_BIAS):
        r.reads(_BIAS, 4 * channels, align=4)
    r.writes(_OUTPUT, 4 * r.units, align=4)


# Inputs outside of the image are not read.
def _transpose(r):
    height, width, depth = r.numbers(_INPUT_HEIGHT, 3)
    rows, columns, channels = r.numbers(_OUTPUT_HEIGHT, 3)
    taps_y, taps_x, stride_y, stride_x = r.numbers(_FILTER_HEIGHT, 4)
    top, left = r.numbers(_TRANSPOSE_PADDING_HEIGHT, 2, 0)
    r.need(r[_TRANSPOSE_PER_CHANNEL] <= 1 and r.words >= 23)
    r.small(rows + top + taps_y + stride_y, columns + left + taps_x + stride_x)
    batches = divided(r.units, rows * columns * channels)
    r.writes(_HYBRID_QUANTIZED, batches * height * width * depth)
    for i in (_HYBRID_SCALES, _HYBRID_OFFSETS):
        r.writes(i, 4 * batches, align=4)
    r.reads(_WEIGHTS, channels * taps_y * taps_x * depth)
    r.reads(_WEIGHT_SCALES, 4 * (channels if r[_TRANSPOSE_PER_CHANNEL] else 1), align=4)
    if r.has(_BIAS):
        r.reads(_BIAS, 4 * channels, align=4)
    r.writes(_OUTPUT, 4 * r.units, align=4)


CHECKS = {
    "hybrid.eval_float32": _hybrid,
    "hybrid_quantize.eval_float32": _quantize,
    "hybrid_transpose.eval_float32": _transpose,
}
