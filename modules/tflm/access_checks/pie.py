# tflm: access checks: layers with weights as vectors of 16 bytes
# MIT license; Copyright (c) 2026 the tflm authors

from ..dtypes import const
from .record import divided

# Words of the records.
_INPUT = const(1)
_STREAM = const(2)
_OUTPUT = const(3)
_SCRATCH = const(4)
_INPUT_HEIGHT = const(5)
_ROW_BYTES = const(6)
_PADDING_HEIGHT = const(13)
_COLUMN_STEP = const(15)
_IS_WHOLE = const(18)
_CONV_OUTPUT_ZERO_POINT = const(23)
_DEPTH = const(5)
_FULLY_CONNECTED_OUTPUT_ZERO_POINT = const(9)
_STRIDE_HEIGHT = const(10)
_DEPTHWISE_PADDING_HEIGHT = const(12)
_PLANE_COLUMNS = const(14)

_PARAMETERS = 128  # bytes at the start of the scratch buffer, with addresses
_VECTOR = 16
_NUMBERS = 16  # bytes of a channel after its weights
_GROUP_BYTES = 272  # of the stream of 16 channels with 3x3 weights
_SIDE = 3


# The stream and the scratch buffer, whose vectors must begin at multiples of 16: the vector unit
# ignores the lowest bits of addresses. The kernels look at the address of the model itself.
def _vectors(r, stream, scratch):
    r.reads(_STREAM, stream, align=_VECTOR)
    r.writes(_SCRATCH, _PARAMETERS + scratch, align=_VECTOR)
    r.apart(_OUTPUT, _SCRATCH)


# `flat`: units are pixels of the only row.
def _conv(r, flat):
    (height,) = r.numbers(_INPUT_HEIGHT, 1)
    row_bytes, rows, columns, channels, taps_y, stride_y, dilation_y = r.numbers(_ROW_BYTES, 7)
    top, left = r.numbers(_PADDING_HEIGHT, 2, 0)
    step, run, column = r.numbers(_COLUMN_STEP, 3)
    whole, window, pixel, block = r.numbers(_IS_WHOLE, 4, 0)
    r.need(whole <= 1 and window and pixel and block)
    r.small(rows * stride_y + taps_y * dilation_y + top + height, dilation_y * row_bytes)
    r.small((columns + block) * pixel * step + window * step + left + run + row_bytes)
    r.need(column >= taps_y * run and not column & _VECTOR - 1)
    if whole:
        r.need(not (row_bytes | left | step | run) & 3 and run <= row_bytes)
        if column == step == run and window == 1 and row_bytes == columns * step:
            r.need(pixel == taps_y == 1)
    r.need(pixel <= window)
    if flat:
        r.need(r.units <= columns)
    images = 1 if flat else divided(r.units, rows)
    r.reads(_INPUT, images * height * row_bytes, align=4 if whole else 1)
    r.writes(_OUTPUT, (r.units if flat else r.units * columns) * channels)
    block_rows = block // columns if block > columns else 1
    row = ((min(block, columns) - 1) * pixel + window) * column
    stream = channels * (column * window + _NUMBERS)
    _vectors(r, stream, block_rows * row + _VECTOR)
    r.limits(_CONV_OUTPUT_ZERO_POINT)


def _fully_connected(r):
    depth, size, batches, channels = r.numbers(_DEPTH, 4)
    r.need(size >= depth and not size & _VECTOR - 1 and r.units <= channels)
    r.reads(_INPUT, batches * depth, align=1 if depth & 3 else 4)
    r.writes(_OUTPUT, batches * channels)
    _vectors(r, channels * (size + _NUMBERS), size + _VECTOR)
    r.limits(_FULLY_CONNECTED_OUTPUT_ZERO_POINT)


def _depthwise(r):
    height, width, rows, columns, channels = r.numbers(_INPUT_HEIGHT, 5)
    stride_y, stride_x = r.numbers(_STRIDE_HEIGHT, 2)
    top, left = r.numbers(_DEPTHWISE_PADDING_HEIGHT, 2, 0)
    (across,) = r.numbers(_PLANE_COLUMNS, 1)
    r.need(across >= left and across >= (columns - 1) * stride_x + _SIDE and r.words >= 16)
    r.small(rows * stride_y + _SIDE + top + height, stride_x * columns, width * channels)
    r.small((top + height + rows * stride_y) * width * channels, across * channels)
    groups = divided(channels, _VECTOR)
    r.reads(_INPUT, divided(r.units, rows) * height * width * channels)
    r.writes(_OUTPUT, r.units * columns * channels)
    _vectors(r, groups * _GROUP_BYTES, _SIDE * across * groups * _VECTOR)


CHECKS = {
    "conv_pie.eval_int8": lambda r: _conv(r, False),
    "conv_pie.eval_pixels_int8": lambda r: _conv(r, True),
    "fully_connected_pie.eval_int8": _fully_connected,
    "depthwise_conv_pie.eval_3x3_int8": _depthwise,
}
