# tflm: access checks: the example of a new operator
# MIT license; Copyright (c) 2026 the tflm authors

from ..dtypes import const

# Words of the records.
_INPUT = const(1)
_OUTPUT = const(2)


def _mirror_bits(r):
    r.reads(_INPUT, r.units)
    r.writes(_OUTPUT, r.units)


CHECKS = {"mirror_bits.eval_int8": _mirror_bits}
