# tflm: access checks: RANDOM_UNIFORM, RANDOM_STANDARD_NORMAL: units are groups of four numbers
# MIT license; Copyright (c) 2026 the tflm authors

from ..dtypes import const

# Words of the records.
_OUTPUT = const(1)
_SCRATCH = const(2)
_STATE = const(3)
_ELEMENTS = const(4)


def _random(r):
    (elements,) = r.numbers(_ELEMENTS, 1)
    r.need(r.words >= 11 and r.units == (elements + 3) // 4)
    r.writes(_OUTPUT, 4 * elements, align=4)
    r.writes(_SCRATCH, 32, align=4)
    r.writes(_STATE, 8, align=4)


CHECKS = {
    "random_float.eval_normal": _random,
    "random_float.eval_uniform": _random,
}
