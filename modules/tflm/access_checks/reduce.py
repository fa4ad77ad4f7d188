# tflm: access checks: MEAN, SUM, REDUCE_MAX and other reductions (prepare/reduce.py)
# MIT license; Copyright (c) 2026 the tflm authors

from ..dtypes import const

# Words of the records.
_INPUT = const(1)
_OUTPUT = const(2)
_ACCUMULATORS = const(3)
_BLOCK = const(15)
_OUTPUT_ZERO_POINT = const(17)
_PER_CHANNEL = const(20)
_SUM_KEPT0 = const(4)
_KEPT0 = const(3)
_KEPT_STEP0 = const(4)
_REDUCED0 = const(8)
_REDUCED_STEP0 = const(9)
_COUNT = const(14)

# Words of the block REDUCE, from its first word.
_TO_REDUCED0 = const(5)
_TO_REDUCED1 = const(7)
_TO_REDUCED2 = const(9)

_MAX_EMPTY = 1 << 20  # turns of loops over empty tensors


# Check the input (operand 1) with the words REDUCE from `at` on and elements of `size` bytes. The
# record has `words` words.
def _reduced(r, at, words, size=1):
    kept0, step0, kept1, step1, step2 = r.numbers(at, 5, 0)
    r.need(kept0 and kept1 and r.words >= words)
    steps = step0 | step1 | step2
    last = (kept0 - 1) * step0 + (kept1 - 1) * step1
    last += (r.units - 1) // (kept0 * kept1) * step2
    cells = 1
    empty = False
    for i in (at + _TO_REDUCED0, at + _TO_REDUCED1, at + _TO_REDUCED2):
        length, step = r.numbers(i, 2, 0)
        empty = empty or not length
        cells *= max(1, length)
        last += max(0, length - 1) * step
        steps |= step
        r.small(cells, last)
    if empty:
        r.need(cells <= _MAX_EMPTY)
        return
    r.need(not steps & size - 1 and cells * size <= last + size)
    r.reads(_INPUT, last + size, align=size)


def _sum(r):
    _reduced(r, _SUM_KEPT0, 17)
    (block,) = r.numbers(_BLOCK, 1)
    r.writes(_OUTPUT, r.units)
    r.writes(_ACCUMULATORS, 4 * min(block, r.units), align=4)
    r.requantize(_OUTPUT_ZERO_POINT, 1)
    r.need(not r[_PER_CHANNEL])


def _sum_int16(r):
    _reduced(r, _SUM_KEPT0, 22, 2)
    (block,) = r.numbers(_BLOCK, 1)
    r.writes(_OUTPUT, 2 * r.units, align=2)
    r.writes(_ACCUMULATORS, 4 * min(block, r.units), align=4)


# The elements of the innermost dimension are added as neighbours, kept or reduced.
def _sum_float(r):
    _reduced(r, _KEPT0, 15, 4)
    r.need(4 in (r[_KEPT_STEP0], r[_REDUCED_STEP0]) or r[_REDUCED0] <= 1)
    r.writes(_OUTPUT, 4 * r.units, align=4)


def _extreme(r, size):
    _reduced(r, _KEPT0, 15, size)
    r.writes(_OUTPUT, size * r.units, align=size)


# The kernel divides by the count.
def _mean_int32(r):
    _extreme(r, 4)
    r.numbers(_COUNT, 1)


CHECKS = {
    "mean_int32.eval_int32": _mean_int32,
    "reduce.eval_int8": _sum,
    "reduce_float.eval_float32": _sum_float,
    "reduce_int16.eval_int16": _sum_int16,
    "reduce_int32.eval_int32": lambda r: _extreme(r, 4),
    "reduce_min_max.eval_int8": lambda r: _extreme(r, 1),
    "reduce_min_max_int16.eval_int16": lambda r: _extreme(r, 2),
    "reduce_min_max_float.eval_float32": lambda r: _extreme(r, 4),
}
