# tflm: access checks: kernels for the DSP extension of ARMv7E-M
# MIT license; Copyright (c) 2026 the tflm authors

from ..dtypes import const
from .record import divided

# Words of the records.
_INPUT = const(1)
_STREAM = const(2)
_OUTPUT = const(3)
_SCRATCH = const(4)
_CONV_INPUT_HEIGHT = const(5)
_ROW_BYTES = const(6)
_CONV_PADDING_HEIGHT = const(13)
_PIXEL_STEP = const(15)
_CONV_OUTPUT_ZERO_POINT = const(20)
_DEPTH = const(5)
_FULLY_CONNECTED_OUTPUT_ZERO_POINT = const(9)
_BATCHES = const(5)
_DEPTHWISE_INPUT_HEIGHT = const(6)
_INPUT_CHANNELS = const(8)
_STRIDE_HEIGHT = const(13)
_DEPTHWISE_PADDING_HEIGHT = const(15)
_BAND_ROWS = const(17)
_3X3_OUTPUT_ZERO_POINT = const(20)
_FILTER_HEIGHT = const(20)  # of others
_DEPTHWISE_OUTPUT_ZERO_POINT = const(22)

_PARAMETERS = 128  # bytes at the start of the scratch buffer, with addresses
_COLUMN = 16  # bytes of a column of the planes of four channels
_BEYOND = 32  # bytes that are read after the planes
_GROUP = 4  # output channels that are computed together
_PASS = 8  # elements that FULLY_CONNECTED multiplies in one pass
_SIDE = 3  # of a filter of DEPTHWISE_CONV_2D that has its own kernels
_MAX_WIDTH = 7  # of other filters
_CHANNEL_BYTES = 40  # bytes of such a filter's stream for one channel


def _conv(r, flat):
    (height,) = r.numbers(_CONV_INPUT_HEIGHT, 1, 0)
    row_bytes, rows, columns, channels, taps_y, stride_y, dilation_y = r.numbers(_ROW_BYTES, 7)
    top, left = r.numbers(_CONV_PADDING_HEIGHT, 2, 0)
    step, run, window, block = r.numbers(_PIXEL_STEP, 4)
    r.need(window >= taps_y * run and not window & 3 and not block & 1)
    r.small(rows * stride_y + taps_y * dilation_y + top + height, dilation_y * row_bytes)
    r.small((columns + block) * step + left + run + row_bytes)
    r.small((top + height + rows * stride_y + taps_y * dilation_y) * row_bytes)
    if flat:
        r.need(r.units <= columns)
    r.reads(_INPUT, (1 if flat else divided(r.units, rows)) * height * row_bytes)
    r.reads(_STREAM, divided(channels, _GROUP) * (52 + 8 * window), align=4)
    r.writes(_OUTPUT, (r.units if flat else r.units * columns) * channels)
    size = _PARAMETERS + 2 * window * block + max(2 * window, _GROUP * block)
    r.writes(_SCRATCH, size, align=4)
    r.apart(_OUTPUT, _SCRATCH)
    r.requantize(_CONV_OUTPUT_ZERO_POINT, channels)


def _fully_connected(r):
    depth, words, batches, channels = r.numbers(_DEPTH, 4)
    r.need(2 * words >= depth and not 2 * words % _PASS)
    r.need(r.units == divided(channels, _GROUP))
    r.reads(_INPUT, batches * depth)
    r.reads(_STREAM, r.units * (52 + 16 * words), align=4)
    r.writes(_OUTPUT, batches * channels)
    r.writes(_SCRATCH, _PARAMETERS + 2 * words, align=4)
    r.apart(_OUTPUT, _SCRATCH)
    r.requantize(_FULLY_CONNECTED_OUTPUT_ZERO_POINT, channels)


def _depthwise_3x3(r, stride):
    _depthwise(r, stride, _SIDE, _SIDE, _CHANNEL_BYTES, _3X3_OUTPUT_ZERO_POINT)


def _depthwise_windows(r):
    (stride,) = r.numbers(_STRIDE_HEIGHT, 1)
    height, width = r.numbers(_FILTER_HEIGHT, 2)
    r.need(stride <= 2 and width <= _MAX_WIDTH)
    size = 16 + 4 * ((height + 3 - stride) // 2) * width * (3 - stride)
    _depthwise(r, stride, height, width, size, _DEPTHWISE_OUTPUT_ZERO_POINT)


# `side`, `across_side`: size of the filter; `size`: bytes of a channel of its stream.
def _depthwise(r, stride, side, across_side, size, block):
    (batches,) = r.numbers(_BATCHES, 1)
    height, width = r.numbers(_DEPTHWISE_INPUT_HEIGHT, 2, 0)
    depth, rows, columns, channels, multiplier = r.numbers(_INPUT_CHANNELS, 5)
    down, step = r.numbers(_STRIDE_HEIGHT, 2)
    r.need(down == stride and step <= stride)
    top, left = r.numbers(_DEPTHWISE_PADDING_HEIGHT, 2, 0)
    band, across = r.numbers(_BAND_ROWS, 2)
    r.need(r.units <= channels and r.units <= depth * multiplier)
    r.need(across >= left and across >= (columns - 1) * step + across_side)
    r.small((top + height + (rows + band) * stride + side) * width * depth, columns * step)
    # With stride 1, two rows of outputs are computed at a time; the second may not exist.
    pairs = ((band - 1 | stride & 1) * stride + side + 1) // 2
    r.reads(_INPUT, batches * height * width * depth)
    r.reads(_STREAM, size * r.units, align=4)
    r.writes(_OUTPUT, batches * rows * columns * channels)
    r.writes(_SCRATCH, _PARAMETERS + _COLUMN * (across * pairs + left) + _BEYOND, align=4)
    r.apart(_OUTPUT, _SCRATCH)
    r.requantize(block, channels)


CHECKS = {
    "conv_dsp.eval_int8": lambda r: _conv(r, False),
    "conv_dsp.eval_pixels_int8": lambda r: _conv(r, True),
    "fully_connected_dsp.eval_int8": _fully_connected,
    "depthwise_conv_dsp.eval_planes_int8": _depthwise_windows,
    "depthwise_conv_dsp.eval_planes_3x3_int8": lambda r: _depthwise_3x3(r, 1),
    "depthwise_conv_dsp.eval_planes_3x3_stride_2_int8": lambda r: _depthwise_3x3(r, 2),
}
