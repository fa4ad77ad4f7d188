# tflm: access checks: operators with two inputs of any type (prepare/broadcast.py)
# MIT license; Copyright (c) 2026 the tflm authors

from ..dtypes import const

# Words of the records; input 2 follows input 1.
_INPUT1 = const(1)
_OUTPUT = const(3)
_ROW1 = const(4)
_ACCUMULATORS = const(6)
_STEP1 = const(7)
_EXPAND1 = const(9)
_BLOCK = const(11)

# Words of a geometry, from its first word.
_TO_LENGTH = const(2)
_TO_STRIDE = const(3)

_SCRATCH = const(512)  # maximum bytes of a block of sums


# `size`: bytes of an element of the inputs, or (input 1, input 2); `output`: of the output;
# `words`: words of the record before its tables; `sums`: whether the kernel keeps a block of
# int32.
def binary(r, size, output, words, sums=False):
    r.need(r.words >= words)
    (block,) = r.numbers(_BLOCK, 1)
    r.need(not sums or 4 * block <= _SCRATCH)
    block = min(block, r.units)
    sizes = size if isinstance(size, tuple) else (size, size)
    for i, size in enumerate(sizes):
        step = r[_STEP1 + i]
        r.need(step in (0, size))
        align = min(size, 4)
        if r[_EXPAND1 + i]:
            _geometry(r, _INPUT1 + i, r[_EXPAND1 + i], size, align)
            r.writes(_ROW1 + i, block * size, align=align)
        else:
            r.reads(_INPUT1 + i, (r.units - 1) * step + size, align=align)
    if sums:
        r.writes(_ACCUMULATORS, 4 * block, align=4)
    r.writes(_OUTPUT, r.units * output, align=min(output, 4))


# Check what kernels/broadcast.py reads of operand `i`, whose levels begin at word `at`.
def _geometry(r, i, at, size, align):
    bytes_each, levels = r.numbers(at, 2)
    r.need(bytes_each == size and 2 <= levels <= 8)
    last = 0
    inner = 1
    for level in range(levels):
        (length,) = r.numbers(at + _TO_LENGTH + 2 * level, 1)
        (stride,) = r.numbers(at + _TO_STRIDE + 2 * level, 1, 0)
        steps = length - 1
        if level == levels - 1:
            steps = (r.units - 1) // inner
        inner *= length
        r.small(steps * stride, inner)
        r.need(not stride & align - 1)
        last += steps * stride
    r.reads(i, last + size, align=align)
