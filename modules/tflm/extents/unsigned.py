# tflm: extents: int8 with weights of uint8 (prepare/conv_unsigned.py)
# MIT license; Copyright (c) 2026 the tflm authors

from .record import divided


# The kernel leaves out what of a window lies outside of the image.
def _conv(r):
    height, width, inputs = r.numbers(6, 3, 0)
    rows, columns, channels = r.numbers(9, 3)
    taps_y, taps_x, stride_y, stride_x, dilation_y, dilation_x = r.numbers(12, 6)
    top, left, depth = r.numbers(18, 3, 0)
    (group,) = r.numbers(21, 1)
    channel_step, cell_step = r.numbers(22, 2, 0)
    (block,) = r.numbers(26, 1)
    last = channels - 1
    taps = taps_y * taps_x
    r.need(last // group * depth + depth <= inputs)
    r.need(cell_step >= depth if depth else taps == 1)
    r.small(rows * stride_y + taps_y * dilation_y + top + height)
    r.small((columns * stride_x + taps_x * dilation_x + left + width) * max(1, inputs))
    r.small(dilation_y * width * inputs)
    batches = divided(r.units, rows * columns * channels)
    r.reads(1, batches * height * width * inputs)
    if depth:
        r.reads(2, last * channel_step + (taps - 1) * cell_step + depth)
    if r.has(3):
        r.reads(3, 4 * channels, align=4)
    r.writes(4, r.units)
    r.writes(5, 4 * block, align=4)
    r.is_offset(24)
    r.is_offset(25)
    r.requantize(27, 1)


CHECKS = {"conv_unsigned.eval_int8": _conv}
