# tflm: extents: kernels for the DSP extension of ARMv7E-M
# MIT license; Copyright (c) 2026 the tflm authors

from .record import divided

_PARAMETERS = 128  # bytes at the start of the scratch buffer: addresses among them
_BEYOND = 16  # bytes that are read behind a plane
_GROUP = 4  # output channels that are computed together
_PASS = 8  # elements that FULLY_CONNECTED multiplies in one pass
_SIDE = 3  # of a filter of DEPTHWISE_CONV_2D
_CHANNEL_BYTES = 40  # of its stream


def _conv(r, flat):
    (height,) = r.numbers(5, 1, 0)
    row_bytes, rows, columns, channels, taps_y, stride_y, dilation_y = r.numbers(6, 7)
    top, left = r.numbers(13, 2, 0)
    step, run, window, block = r.numbers(15, 4)
    r.need(window >= taps_y * run and not window & 3 and not block & 1)
    r.small(rows * stride_y + taps_y * dilation_y + top + height, dilation_y * row_bytes)
    r.small((columns + block) * step + left + run + row_bytes)
    r.small((top + height + rows * stride_y + taps_y * dilation_y) * row_bytes)
    if flat:
        r.need(r.units <= columns)
    r.reads(1, (1 if flat else divided(r.units, rows)) * height * row_bytes)
    r.reads(2, divided(channels, _GROUP) * (52 + 8 * window), align=4)
    r.writes(3, (r.units if flat else r.units * columns) * channels)
    size = _PARAMETERS + 2 * window * block + max(2 * window, _GROUP * block)
    r.writes(4, size, align=4)
    r.apart(3, 4)
    r.requantize(20, channels)


def _fully_connected(r):
    depth, words, batches, channels = r.numbers(5, 4)
    r.need(2 * words >= depth and not 2 * words % _PASS)
    r.need(r.units == divided(channels, _GROUP))
    r.reads(1, batches * depth)
    r.reads(2, r.units * (52 + 16 * words), align=4)
    r.writes(3, batches * channels)
    r.writes(4, _PARAMETERS + 2 * words, align=4)
    r.apart(3, 4)
    r.requantize(9, channels)


def _depthwise(r, stride):
    (batches,) = r.numbers(5, 1)
    height, width = r.numbers(6, 2, 0)
    depth, rows, columns, channels, multiplier = r.numbers(8, 5)
    r.need(r[13] == stride)
    top, left = r.numbers(14, 2, 0)
    band, across = r.numbers(16, 2)
    r.need(r.units <= channels and r.units <= depth * multiplier)
    r.need(across >= left and across >= (columns - 1) * stride + _SIDE)
    r.small((top + height + (rows + band) * stride) * width * depth, columns * stride)
    pairs = ((band - 1) * stride + _SIDE + 1) // 2
    r.reads(1, batches * height * width * depth)
    r.reads(2, _CHANNEL_BYTES * r.units, align=4)
    r.writes(3, batches * rows * columns * channels)
    r.writes(4, _PARAMETERS + 4 * (across * pairs + left) + _BEYOND, align=4)
    r.apart(3, 4)
    r.requantize(19, channels)


CHECKS = {
    "conv_dsp.eval_int8": lambda r: _conv(r, False),
    "conv_dsp.eval_pixels_int8": lambda r: _conv(r, True),
    "fully_connected_dsp.eval_int8": _fully_connected,
    "depthwise_conv_dsp.eval_3x3_int8": lambda r: _depthwise(r, 1),
    "depthwise_conv_dsp.eval_3x3_stride_2_int8": lambda r: _depthwise(r, 2),
}
