# tflm: access checks: the heads that a Learner computes on features (kernels/learnt.py)
# MIT license; Copyright (c) 2026 the tflm authors

from ..dtypes import const

# Words of the records.
_INPUT = const(1)
_OUTPUT = const(2)
_MEANS = const(3)
_MEANS_SIZE = const(4)
_WEIGHTS = const(4)
_WEIGHTS_SIZE = const(5)
_EXAMPLES = const(3)
_NUMBERS = const(4)
_FOUND = const(5)
_EXAMPLES_SIZE = const(6)


def _prototypes(r):
    (size,) = r.numbers(_MEANS_SIZE, 1)
    r.reads(_INPUT, size)
    r.reads(_MEANS, 2 * size * r.units, align=2)
    r.writes(_OUTPUT, 4 * r.units, align=4)


def _sgd(r):
    (size,) = r.numbers(_WEIGHTS_SIZE, 1)
    r.reads(_INPUT, size)
    r.reads(_MEANS, 2 * size, align=2)
    r.reads(_WEIGHTS, 2 * size * r.units, align=2)
    r.writes(_OUTPUT, 4 * r.units, align=4)


# The class of an example selects the output that is incremented.
def _neighbours(r):
    size, count, classes, k = r.numbers(_EXAMPLES_SIZE, 4)
    r.need(r.units == 1)
    r.reads(_INPUT, size)
    r.reads(_EXAMPLES, size * count)
    r.need(max(r.constant(_NUMBERS, count)) < classes)
    r.writes(_OUTPUT, 4 * classes, align=4)
    r.writes(_FOUND, 8 * k, align=4)
    r.apart(_OUTPUT, _FOUND)


CHECKS = {
    "learnt.eval_neighbours": _neighbours,
    "learnt.eval_prototypes": _prototypes,
    "learnt.eval_sgd": _sgd,
}
