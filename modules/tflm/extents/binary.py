# tflm: extents: operators on two inputs (prepare/broadcast.py)
# MIT license; Copyright (c) 2026 the tflm authors

_SCRATCH = 512  # bytes for a block of sums, at most


# `size`: bytes of an element of the inputs; `output`: of the output; `sums`: whether the kernel
# keeps a block of int32; `words`: how many the record has before its tables.
def _binary(r, size, output, sums, words):
    r.need(r.words >= words)
    (block,) = r.numbers(11, 1)
    r.need(not sums or 4 * block <= _SCRATCH)
    block = min(block, r.units)
    for i in (0, 1):
        step = r[7 + i]
        r.need(step in (0, size))
        if r[9 + i]:
            _geometry(r, 1 + i, r[9 + i], size)
            r.writes(4 + i, block * size, align=size)
        else:
            r.reads(1 + i, (r.units - 1) * step + size, align=size)
    if sums:
        r.writes(6, 4 * block, align=4)
    r.writes(3, r.units * output, align=output)


# What kernels/broadcast.py reads of operand `i`, whose levels stand at word `at`.
def _geometry(r, i, at, size):
    bytes_each, levels = r.numbers(at, 2)
    r.need(bytes_each == size and 2 <= levels <= 8)
    last = 0
    inner = 1
    for level in range(levels):
        (length,) = r.numbers(at + 2 + 2 * level, 1)
        (stride,) = r.numbers(at + 3 + 2 * level, 1, 0)
        steps = length - 1
        if level == levels - 1:
            steps = (r.units - 1) // inner
        inner *= length
        r.small(steps * stride, inner)
        r.need(not stride & size - 1)
        last += steps * stride
    r.reads(i, last + size, align=size)


def _add(r):
    _binary(r, 1, 1, True, 18)
    r.requantize(18, 1)
    r.need(not r[21])


def _mul(r):
    _binary(r, 1, 1, True, 14)
    r.requantize(14, 1)
    r.need(not r[17])


# The scratch buffer holds addresses while the assembler kernel runs.
def _add_table(r):
    r.reads(1, r.units)
    r.reads(2, r.units)
    r.writes(3, r.units)
    r.reads(4, 1024, align=4)
    r.writes(5, 256, align=4)
    r.apart(3, 5)
    r.requantize(7, 1)


CHECKS = {
    "add.eval_int8": _add,
    "add_int16.eval_int16": lambda r: _binary(r, 2, 2, True, 23),
    "add_int32.eval_int32": lambda r: _binary(r, 4, 4, False, 15),
    "add_table.eval_int8": _add_table,
    "comparisons.eval_bytes": lambda r: _binary(r, 1, 1, False, 14 + 128),
    "maximum_minimum.eval_int8": lambda r: _binary(r, 1, 1, False, 13),
    "mul.eval_int8": _mul,
    "mul_int16.eval_int16": lambda r: _binary(r, 2, 2, True, 17),
}
