# tflm: RANGE, RANK: Prepare (not in TFLM; LiteRT range.cc, rank.cc)
# MIT license; Copyright (c) 2026 the tflm authors

import struct

from .. import dtypes
from ..dtypes import const
from .common import check, check_dtype, check_outputs, constant_ints, support
from .reshape import COPY
from .strided import check_same_dtype

_RANK = const(110)
_MOST = 1 << 16  # numbers of a RANGE, which become a constant of the model


# RANK is a number; RANGE a list of them.
def output_shapes(node):
    return [() if node.builtin_code == _RANK else (_range(node)[2],)]


# Both are known before the model runs: the output is a copy of a constant.
def prepare(context, node):
    target = node.output(0)
    check_dtype(node, target, dtypes.INT32, dtypes.INT64)
    if node.builtin_code != _RANK:
        count = _range(node)[2]
        check(count == target.elements(), node, "%s should have %d elements" % (target, count))
    check_outputs(node, output_shapes(node))
    if node.builtin_code == _RANK:
        numbers = [len(node.input(0).shape)]
    else:
        check_same_dtype(node, target, [node.input(i) for i in (0, 1, 2)])
        start, step, count = _range(node)
        support(count <= _MOST, node, "more than %d numbers" % _MOST)
        numbers = [start + i * step for i in range(count)]
    if not numbers:
        return
    kinds = "<%d%s" % (len(numbers), dtypes.typecode(target.dtype))
    context.emit(
        "copy.eval_bytes",
        COPY,
        target.nbytes(),
        input=context.constant(struct.pack(kinds, *numbers), 8),
        output=target,
        size=target.nbytes(),
    )


# Return (start, step, count) of the numbers from the first input up to the second, excluded, by
# steps of the third.
def _range(node):
    values = []
    for i, what in enumerate(("the start", "the limit", "the step")):
        check(node.input(i).elements() == 1, node, "%s is not one number" % node.input(i))
        values += constant_ints(node, node.input(i), what)
    start, limit, step = values
    check(step != 0, node, "its step is 0")
    return (
        start,
        step,
        max(0, 0 - (start - limit) // step),
    )  # len() of a range is limited to a word
