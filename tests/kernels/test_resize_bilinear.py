# Tests of RESIZE_BILINEAR against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from support.check import Cases
from support.single_op import Tensor, single_op


def model(shape, size, output=None, **options):
    if output is None:
        output = (shape[0], *size, shape[3])
    return single_op(
        "RESIZE_BILINEAR",
        [Tensor(shape, "int8", scale=0.1, zero_point=-9), Tensor((2,), "int32", size)],
        [Tensor(output, "int8", scale=0.1, zero_point=-9)],
        **options,
    )


cases = Cases()
MODES = {"plain": {}, "corners": {"align_corners": True}, "centers": {"half_pixel_centers": True}}
for mode, options in MODES.items():
    for shape, size in [
        ((1, 4, 4, 3), (8, 8)),
        ((2, 5, 7, 2), (3, 4)),
        ((1, 3, 5, 1), (17, 11)),
        ((1, 1, 1, 4), (3, 5)),
        ((1, 6, 6, 5), (1, 1)),
        ((3, 9, 8, 1), (9, 8)),
        ((1, 2, 13, 6), (7, 1)),
        ((1, 64, 48, 1), (23, 31)),
    ]:
        cases.add(f"{mode} {shape} {size}", model(shape, size, **options))

# TFLM's rounded scale leads one row beyond the input, which TFLM reads; tflm repeats the last row.
wide = np.zeros((1, 10, 1, 1)), np.zeros((1, 288, 1, 1))
positions = np.minimum(np.arange(288) * 36, 9 * 1024)
ramp = np.arange(10) * 10 - 50
weights = positions % 1024
lower = ramp[positions // 1024]
upper = ramp[np.minimum(positions // 1024 + 1, 9)]
exact = lower * (1024 - weights) + upper * weights
rounded = np.sign(exact) * ((np.abs(exact) + 512) // 1024)
cases.add("beyond the input", model((1, 10, 1, 1), (288, 1)), [[ramp]], expected=[[rounded]])

both = {"align_corners": True, "half_pixel_centers": True}
cases.add("both options", model((1, 2, 2, 1), (4, 4), **both), error="exclude each other")
cases.add("shape", model((1, 2, 2, 1), (4, 4), (1, 4, 5, 1)), error="should be")
cases.add("rank", model((1, 2, 2, 1, 1), (4, 4), (1, 4, 4, 1, 1)), error="4 dimensions")
cases.add("no input", model((1, 0, 2, 1), (4, 4)), error="is empty")
cases.add("empty", model((0, 2, 2, 1), (1, 1)), [[[]]], expected=[[[]]])


@cases.parametrize
def test_resize_bilinear(case):
    case.check()
