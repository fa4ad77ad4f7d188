# tflm: access checks: RESIZE_BILINEAR
# MIT license; Copyright (c) 2026 the tflm authors

from ..dtypes import const
from .record import divided

# Words of the records.
_INPUT = const(1)
_OUTPUT = const(2)
_INTEGERS_OUTPUT_HEIGHT = const(3)
_SCRATCH = const(3)
_FLOAT_OUTPUT_HEIGHT = const(4)
_HEIGHT_SCALE = const(9)
_WIDTH_SCALE = const(10)
_HALF = const(12)
_ONE = const(13)
_BLOCK = const(14)

_HALF_AND_ONE = (0x3F000000, 0x3F800000)  # float32
_WORDS = const(4)  # of scratch for each row and column of the output, before the products
_PARAMETERS = const(12)  # words of overrides in the place of the products


# Positions outside of the image are moved to the first or the last pixel.
def _integers(r, size):
    rows, columns, height, width, depth = r.numbers(_INTEGERS_OUTPUT_HEIGHT, 5)
    r.need(r.words >= 12)
    r.small(height << 10, width << 10)
    r.reads(_INPUT, size * divided(r.units, rows) * height * width * depth, align=size)
    r.writes(_OUTPUT, size * r.units * columns * depth, align=size)


# Positions outside of the image are moved to the first or the last pixel, if they are not
# negative: the scales must not be negative. Positions are stored in the scratch buffer while
# outputs are written.
def _float(r):
    rows, columns, height, width, depth = r.numbers(_FLOAT_OUTPUT_HEIGHT, 5)
    (block,) = r.numbers(_BLOCK, 1)
    r.small(rows << 4, columns << 4)
    r.need(
        r.signed(_HEIGHT_SCALE) >= 0
        and r.signed(_WIDTH_SCALE) >= 0
        and (r[_HALF], r[_ONE]) == _HALF_AND_ONE
    )
    r.reads(_INPUT, 4 * divided(r.units, rows * columns) * height * width * depth, align=4)
    r.writes(_OUTPUT, 4 * r.units * depth, align=4)
    products = max(_PARAMETERS, min(block, depth))
    r.writes(_SCRATCH, 4 * (_WORDS * (rows + columns) + products), align=4)
    r.apart(_OUTPUT, _SCRATCH)


CHECKS = {
    "resize_bilinear.eval_int8": lambda r: _integers(r, 1),
    "resize_bilinear_int16.eval_int16": lambda r: _integers(r, 2),
    "resize_bilinear_float.eval_rows": _float,
}
