# Tests of ARG_MAX and ARG_MIN against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from support.check import Cases
from support.single_op import Tensor, single_op


def model(operator, shape, axis, output=None, axis_shape=(), **keywords):
    gone = axis % len(shape)
    if output is None:
        output = shape[:gone] + shape[gone + 1 :]
    axes = Tensor(axis_shape, "int32", [axis], **keywords)
    source = Tensor(shape, "int8", scale=0.5, zero_point=3)
    return single_op(operator, [source, axes], [Tensor(output, "int32")], output_type=2)


cases = Cases()
for operator in ("ARG_MAX", "ARG_MIN"):
    for shape, axis in [
        ((1, 10), 1),
        ((7,), 0),
        ((7,), -1),
        ((1, 1), 1),
        ((3, 4, 5, 6), 0),
        ((3, 4, 5, 6), 1),
        ((3, 4, 5, 6), -2),
        ((3, 4, 5, 6), 3),
        ((2, 2, 2, 2, 2, 9), 5),
        ((300, 300), 0),
    ]:
        cases.add(f"{operator} {shape} {axis}", model(operator, shape, axis))
    # Few different values: of equal values the first one wins.
    cases.add(f"{operator} ties", model(operator, (40, 30), 1), runs=4, ranges={0: (-1, 1)})
    cases.add(f"{operator} axis of rank 1", model(operator, (4, 5), 1, axis_shape=(1,)))
cases.add("axis", model("ARG_MAX", (4, 5), 2, (4,)), error="axis 2")
cases.add("shape", model("ARG_MAX", (4, 5), 1, (5,)), error="should have")
cases.add("nothing", model("ARG_MAX", (4, 0), 1), error="is empty along axis 1")
cases.add("empty", model("ARG_MAX", (0, 4), 1), [[np.zeros(0)]], expected=[[np.zeros(0)]])
tensors = [Tensor((4, 5), "int8", scale=1.0), Tensor((), "int32")]
cases.add("axis input", single_op("ARG_MAX", tensors, [Tensor((4,), "int32")]), error="constant")


@cases.parametrize
def test_arg_min_max(case):
    case.check()
