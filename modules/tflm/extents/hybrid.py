# tflm: extents: float32 with weights of int8 (prepare/hybrid.py)
# MIT license; Copyright (c) 2026 the tflm authors

from .record import divided


# The kernel divides by no scale of 0, if nothing else is written over the scales.
def _quantize(r):
    (depth,) = r.numbers(7, 1, 0)
    r.need(r.words >= 9)
    r.reads(1, 4 * r.units * depth, align=4)
    r.writes(2, r.units * depth)
    for i in (3, 4):
        r.writes(i, 4 * r.units, align=4)
    r.writes(5, 8, align=4)
    r.reads(6, 4, align=4)
    r.apart(3, 4)
    r.apart(3, 5)


# The kernel leaves out what of a window lies outside of the image.
def _hybrid(r):
    height, width, inputs = r.numbers(8, 3, 0)
    rows, columns, channels = r.numbers(11, 3)
    taps_y, taps_x, stride_y, stride_x, dilation_y, dilation_x = r.numbers(14, 6)
    top, left, depth = r.numbers(20, 3, 0)
    (group,) = r.numbers(23, 1)
    channel_step, cell_step = r.numbers(24, 2, 0)
    last = channels - 1
    taps = taps_y * taps_x
    r.need(last // group * depth + depth <= inputs and r[26] <= 1 and r.words >= 29)
    r.need(cell_step >= depth if depth else taps == 1)
    r.small(rows * stride_y + taps_y * dilation_y + top + height)
    r.small((columns * stride_x + taps_x * dilation_x + left + width) * max(1, inputs))
    r.small(dilation_y * width * inputs)
    batches = divided(r.units, rows * columns * channels)
    r.writes(1, batches * height * width * inputs)
    for i in (2, 3):
        r.writes(i, 4 * batches, align=4)
    if depth:
        r.reads(4, last * channel_step + (taps - 1) * cell_step + depth)
    r.reads(5, 4 * (channels if r[26] else 1), align=4)
    if r.has(6):
        r.reads(6, 4 * channels, align=4)
    r.writes(7, 4 * r.units, align=4)


CHECKS = {
    "hybrid.eval_float32": _hybrid,
    "hybrid_quantize.eval_float32": _quantize,
}
