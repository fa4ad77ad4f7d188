# tflm: extents: MEAN, SUM, REDUCE_MAX and their like, int8 (prepare/reduce.py)
# MIT license; Copyright (c) 2026 the tflm authors


# The input (operand 1) with the words REDUCE from `at` on.
def _reduced(r, at):
    kept0, step0, kept1, step1, step2 = r.numbers(at, 5, 0)
    r.need(kept0 and kept1)
    last = (kept0 - 1) * step0 + (kept1 - 1) * step1
    last += (r.units - 1) // (kept0 * kept1) * step2
    cells = 1
    for i in (at + 5, at + 7, at + 9):
        length, step = r.numbers(i, 2, 0)
        cells *= length
        last += max(0, length - 1) * step
        r.small(cells, last)
    if cells:
        r.reads(1, last + 1)
    r.need(cells <= last + 1)


def _sum(r):
    _reduced(r, 4)
    (block,) = r.numbers(15, 1)
    r.writes(2, r.units)
    r.writes(3, 4 * min(block, r.units), align=4)
    r.requantize(17, 1)
    r.need(not r[20])


def _extreme(r):
    _reduced(r, 3)
    r.need(r.words >= 15)
    r.writes(2, r.units)


CHECKS = {
    "reduce.eval_int8": _sum,
    "reduce_min_max.eval_int8": _extreme,
}
