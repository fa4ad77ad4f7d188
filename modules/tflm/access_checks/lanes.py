# tflm: access checks: CONV_2D and FULLY_CONNECTED with weights in lanes, or for MAC16
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
_CONV_WEIGHT_BYTES = const(23)
_CONV_OUTPUT_STEP = const(24)
_CONV_OUTPUT_ZERO_POINT = const(25)
_DEPTH = const(5)
_FULLY_CONNECTED_WEIGHT_BYTES = const(9)
_FULLY_CONNECTED_OUTPUT_ZERO_POINT = const(10)

_PARAMETERS = 128  # bytes at the start of the scratch buffer, with addresses
_GROUP = 4  # output channels that are computed together


# Bytes of the stream for channels of `size` elements, and bytes of one group while its weights are
# unpacked (prepare/lanes.py). `i` is the word that says how the weights are stored.
def _stream(r, i, channels, size):
    kind = r[i]
    r.need(kind in (1, 2))
    return divided(channels, _GROUP) * (64 + 4 * kind * size), 64 + 8 * size if kind == 1 else 0


# `flat`: units are pixels of the only row.
def _conv(r, flat):
    (height,) = r.numbers(_INPUT_HEIGHT, 1)
    row_bytes, rows, columns, channels, taps_y, stride_y, dilation_y = r.numbers(_ROW_BYTES, 7)
    top, left = r.numbers(_PADDING_HEIGHT, 2, 0)
    step, run, lanes = r.numbers(_COLUMN_STEP, 3)
    whole, window, pixel, block = r.numbers(_IS_WHOLE, 4, 0)
    (out_step,) = r.numbers(_CONV_OUTPUT_STEP, 1)
    r.need(whole <= 1 and window and pixel and block and out_step == channels)
    r.small(rows * stride_y + taps_y * dilation_y + top + height, dilation_y * row_bytes)
    r.small((columns + block) * pixel * step + window * step + left + run + row_bytes)
    r.need(lanes >= taps_y * run and not lanes & 3)
    if whole:
        r.need(not (row_bytes | left | step | run) & 3 and run <= row_bytes)
        if lanes == step and window == 1 and row_bytes == columns * step:
            r.need(pixel == 1 and lanes == run * taps_y)
    if flat:
        r.need(r.units <= columns)
    size = lanes * window
    stream, group = _stream(r, _CONV_WEIGHT_BYTES, channels, size)
    images = 1 if flat else divided(r.units, rows)
    r.reads(_INPUT, images * height * row_bytes, align=4 if whole else 1)
    r.reads(_STREAM, stream, align=4)
    r.writes(_OUTPUT, (r.units if flat else r.units * columns) * channels)
    block_rows = block // columns if block > columns else 1
    row = (min(block, columns) - 1) * 2 * lanes * pixel + 2 * size
    scratch = _PARAMETERS + block_rows * row
    r.writes(_SCRATCH, scratch + max(_GROUP * block, lanes) + group, align=4)
    r.apart(_OUTPUT, _SCRATCH)
    r.limits(_CONV_OUTPUT_ZERO_POINT)


def _fully_connected(r):
    depth, lanes, batches, channels = r.numbers(_DEPTH, 4)
    r.need(lanes >= depth and not lanes & 3)
    r.need(r.units == divided(channels, _GROUP))
    stream, group = _stream(r, _FULLY_CONNECTED_WEIGHT_BYTES, channels, lanes)
    r.reads(_INPUT, batches * depth, align=1 if depth & 3 else 4)
    r.reads(_STREAM, stream, align=4)
    r.writes(_OUTPUT, batches * channels)
    r.writes(_SCRATCH, _PARAMETERS + 3 * lanes + group, align=4)
    r.apart(_OUTPUT, _SCRATCH)
    r.limits(_FULLY_CONNECTED_OUTPUT_ZERO_POINT)


CHECKS = {
    "conv_lanes.eval_int8": lambda r: _conv(r, False),
    "conv_lanes.eval_pixels_int8": lambda r: _conv(r, True),
    "fully_connected_lanes.eval_int8": _fully_connected,
    "conv_mac16.eval_int8": lambda r: _conv(r, False),
    "conv_mac16.eval_pixels_int8": lambda r: _conv(r, True),
    "fully_connected_mac16.eval_int8": _fully_connected,
}
