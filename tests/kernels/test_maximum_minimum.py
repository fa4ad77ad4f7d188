# Tests of MAXIMUM and MINIMUM against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from kernels.binary_cases import add_shape_cases
from support.check import Cases
from support.single_op import Tensor, single_op

collections = {}
for operator in ("MAXIMUM", "MINIMUM"):
    cases = collections[operator] = Cases()
    for dtype in ("int8", "int16", "int32", "int64"):
        add_shape_cases(cases, operator, dtype, 1.0 if dtype == "int8" else None)
    # Neighbours of the limits of words, where comparisons may fail.
    edges = [0, 1, -1, 2**31 - 1, 2**31, 2**32 - 1, 2**32, -(2**31), -(2**31) - 1, -(2**32)]
    edges += [2**63 - 1, -(2**63), 2**63 - 2**32, 2**62]
    first, second = (a.ravel() for a in np.meshgrid(edges, edges))
    tensors = [Tensor(first.shape, "int64") for _ in range(3)]
    cases.add("int64 edges", single_op(operator, tensors[:2], tensors[2:]), [[first, second]])


@collections["MAXIMUM"].parametrize
def test_maximum(case):
    case.check()


@collections["MINIMUM"].parametrize
def test_minimum(case):
    case.check()
