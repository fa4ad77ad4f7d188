# tflm: extents: RESIZE_BILINEAR
# MIT license; Copyright (c) 2026 the tflm authors

from .record import divided

_HALF_AND_ONE = (0x3F000000, 0x3F800000)  # float32
_PLACES = 8  # words of scratch before the products


# Places outside are moved to the first or the last pixel.
def _int8(r):
    rows, columns, height, width, depth = r.numbers(3, 5)
    r.need(r.words >= 12)
    r.small(height << 10, width << 10)
    r.reads(1, divided(r.units, rows) * height * width * depth)
    r.writes(2, r.units * columns * depth)


# Likewise, for places that are not negative: so scales must not be. Places lie in the scratch
# buffer while outputs are written.
def _float(r):
    rows, columns, height, width, depth = r.numbers(4, 5)
    (block,) = r.numbers(14, 1)
    r.need(r.signed(9) >= 0 and r.signed(10) >= 0 and (r[12], r[13]) == _HALF_AND_ONE)
    r.reads(1, 4 * divided(r.units, rows * columns) * height * width * depth, align=4)
    r.writes(2, 4 * r.units * depth, align=4)
    r.writes(3, 4 * (_PLACES + min(block, depth)), align=4)
    r.apart(2, 3)


CHECKS = {
    "resize_bilinear.eval_int8": _int8,
    "resize_bilinear_float.eval_float32": _float,
}
