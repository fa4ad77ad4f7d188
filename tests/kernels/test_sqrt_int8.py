# Tests of SQRT of int8, which TFLM lacks, against LiteRT
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from support import litert
from support.check import Cases
from support.single_op import Tensor, single_op

cases = Cases()
for (scale, zero_point), (narrow, target) in [
    ((0.5, -128), (0.0625, -128)),
    ((0.0371, -128), (0.0121, -128)),
    ((3e-5, -100), (2e-4, 17)),
    ((100.0, 3), (1e-3, -128)),
    ((1e-7, -128), (1.0, 0)),
]:
    x = Tensor((256,), "int8", scale=scale, zero_point=zero_point)
    y = Tensor((256,), "int8", scale=narrow, zero_point=target)
    values = np.maximum(np.arange(-128, 128), zero_point).astype(np.int8)
    cases.add(
        f"{scale} {zero_point} {narrow} {target}",
        single_op("SQRT", [x], [y]),
        inputs=[[values], [values[::-1]]],
        expected=litert.outputs,
    )


@litert.needs_litert
@cases.parametrize
def test_sqrt_int8(case):
    case.check()
