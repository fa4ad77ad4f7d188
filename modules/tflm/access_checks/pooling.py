# tflm: access checks: pooling, int8, int16 and float32
# MIT license; Copyright (c) 2026 the tflm authors

from ..dtypes import const
from .record import divided

# Words of the records.
_INPUT = const(1)
_OUTPUT = const(2)
_DIVISOR = const(3)
_KIND = const(4)
_INPUT_HEIGHT = const(4)
_MAXIMUM = const(6)
_WIDTH = const(3)
_CELLS = const(3)
_OUTPUT_ZERO_POINT = const(3)
_PER_CHANNEL = const(6)
_FLOAT_INPUT_HEIGHT = const(5)

# Words from the height of the input on.
_TO_FILTER_HEIGHT = const(5)
_TO_PADDING_HEIGHT = const(9)

_GREATEST = 1  # kind of MAX_POOL_2D, float32


# `at`: word of the height; `pixels`: a unit is an output pixel, not a row. Each window must
# contain a cell of the image, because the kernel divides by the number of cells.
def _pool(r, at, size, pixels=False):
    height, width, channels, rows, columns = r.numbers(at, 5)
    cells_y, cells_x, stride_y, stride_x = r.numbers(at + _TO_FILTER_HEIGHT, 4)
    top, left = r.numbers(at + _TO_PADDING_HEIGHT, 2, 0)
    r.small(rows * stride_y + cells_y, columns * stride_x + cells_x, width * channels)
    r.need(top < cells_y and (rows - 1) * stride_y - top < height)
    r.need(left < cells_x and (columns - 1) * stride_x - left < width)
    r.need(r.words >= at + 13)
    outputs = r.units * (1 if pixels else columns)
    images = divided(outputs, rows * columns)
    r.reads(_INPUT, images * height * width * channels * size, align=size)
    r.writes(_OUTPUT, outputs * channels * size, align=size)


# Averages are divided by a number in scratch.
def _float(r):
    _pool(r, _FLOAT_INPUT_HEIGHT, 4, True)
    r.need(r.words >= 19)
    if r[_KIND] != _GREATEST:
        r.writes(_DIVISOR, 4, align=4)


# Sums of rows of a feature map, int32. Four channels are read at once if there are enough.
def _rows(r):
    width, channels = r.numbers(_WIDTH, 2)
    r.need(r.words >= 8)
    r.small(r.units * width, r.units * width * channels)
    r.reads(_INPUT, r.units * width * channels, align=1 if r[_MAXIMUM] or channels & 3 else 4)
    r.writes(_OUTPUT, 4 * channels, align=4)


def _rows_float(r):
    width, channels = r.numbers(_WIDTH, 2)
    r.need(r.words >= 8)
    r.small(r.units * width, 4 * r.units * width * channels)
    r.reads(_INPUT, 4 * r.units * width * channels, align=4)
    r.writes(_OUTPUT, 4 * channels, align=4)


# Outputs of the sums.
def _end_float(r):
    r.need(r.words >= 6)
    r.writes(_INPUT, 4 * r.units, align=4)
    r.writes(_OUTPUT, 4 * r.units, align=4)


def _average(r):
    r.numbers(_CELLS, 1)
    r.need(r.words >= 7)
    r.writes(_INPUT, 4 * r.units, align=4)
    r.writes(_OUTPUT, r.units)


def _mean(r):
    r.writes(_INPUT, 4 * r.units, align=4)
    r.writes(_OUTPUT, r.units)
    r.requantize(_OUTPUT_ZERO_POINT, 1)
    r.need(not r[_PER_CHANNEL])


CHECKS = {
    "pooling.eval_int8": lambda r: _pool(r, _INPUT_HEIGHT, 1),
    "pooling_float.eval_float32": _float,
    "pooling_int16.eval_int16": lambda r: _pool(r, _INPUT_HEIGHT, 2),
    "pooling_rows.eval_average_int8": _average,
    "pooling_rows.eval_int8": _rows,
    "pooling_rows.eval_mean_int8": _mean,
    "pooling_rows_float.eval_end_float32": _end_float,
    "pooling_rows_float.eval_float32": _rows_float,
    "pooling_unsigned.eval_average": lambda r: _pool(r, _INPUT_HEIGHT, 1),
}
