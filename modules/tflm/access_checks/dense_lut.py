# tflm: access checks: layers that use each weight once, with weights of four bits
# MIT license; Copyright (c) 2026 the tflm authors

from ..dtypes import const
from .record import divided

# Words of the records.
_INPUT = const(1)
_STREAM = const(2)
_OUTPUT = const(3)
_SCRATCH = const(4)
_DEPTH = const(5)
_OWN_VALUES = const(8)
_OUTPUT_ZERO_POINT = const(9)
_LANES = const(1088)  # bytes of scratch before the lanes, with addresses
_VALUES = const(16)


def _dense_lut(r):
    depth, batches, channels = r.numbers(_DEPTH, 3)
    (own,) = r.numbers(_OWN_VALUES, 1, 0)
    r.need(own <= 1 and r.units <= channels)
    words = divided(depth, 8)
    size = r.units * (16 + _VALUES * own + 4 * words) + (0 if own else _VALUES)
    r.small(size, batches * depth, batches * channels)
    r.reads(_INPUT, batches * depth, align=1 if depth & 3 else 4)
    r.reads(_STREAM, size, align=4)
    r.writes(_OUTPUT, (batches - 1) * channels + r.units)
    r.writes(_SCRATCH, _LANES + 16 * words, align=4)
    r.apart(_OUTPUT, _SCRATCH)
    r.apart(_INPUT, _SCRATCH)
    r.limits(_OUTPUT_ZERO_POINT)


CHECKS = {"dense_lut.eval_int8": _dense_lut}
