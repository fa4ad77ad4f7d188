# tflm: access checks: ADD_N, int8
# MIT license; Copyright (c) 2026 the tflm authors

from ..dtypes import const

# Words of the records.
_OUTPUT = const(1)
_ACCUMULATORS = const(2)
_INPUT0 = const(3)
_INPUTS = const(11)
_ACCUMULATOR_BYTES = const(12)
_BLOCK = const(16)
_OUTPUT_ZERO_POINT = const(17)
_PER_CHANNEL = const(20)


# If several records add up one sum, the sums of all elements are kept, else only the sums of a
# block.
def _add_n(r):
    inputs, step = r[_INPUTS], r[_ACCUMULATOR_BYTES]
    (block,) = r.numbers(_BLOCK, 1)
    r.need(1 <= inputs <= 8 and step in (0, 4))
    for i in range(_INPUT0, _INPUT0 + inputs):
        r.reads(i, r.units)
    r.writes(_ACCUMULATORS, 4 * (r.units if step else min(block, r.units)), align=4)
    r.writes(_OUTPUT, r.units)
    r.requantize(_OUTPUT_ZERO_POINT, 1)
    r.need(not r[_PER_CHANNEL])


CHECKS = {"add_n.eval_int8": _add_n}
