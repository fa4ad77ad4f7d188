# tflm: access checks: layers that use each weight once, with weights of one byte
# MIT license; Copyright (c) 2026 the tflm authors

from ..dtypes import const
from .record import divided

# Words of the records.
_INPUT = const(1)
_STREAM = const(2)
_OUTPUT = const(3)
_SCRATCH = const(4)
_DEPTH = const(5)
_OUTPUT_ZERO_POINT = const(7)
_PARAMETERS = 64  # bytes of scratch
_GROUP = const(4)
_MAX_GROUPS = const(1 << 14)
_NUMBERS = const(36)  # bytes of a group: biases and multipliers


# The inputs must end where a kernel that reads them as words ends.
def _dense(r):
    depth, channels = r.numbers(_DEPTH, 2)
    r.need(not depth & 3 and r.units <= divided(channels, _GROUP) and r.units < _MAX_GROUPS)
    size = r.units * (_GROUP * depth + _NUMBERS)
    r.small(size)
    r.reads(_INPUT, depth, align=4)
    r.reads(_STREAM, size, align=4)
    r.writes(_OUTPUT, min(channels, _GROUP * r.units))
    r.writes(_SCRATCH, _PARAMETERS, align=4)
    r.apart(_OUTPUT, _SCRATCH)
    r.apart(_INPUT, _SCRATCH)
    r.limits(_OUTPUT_ZERO_POINT)


CHECKS = {"dense.eval_bytes": _dense}
