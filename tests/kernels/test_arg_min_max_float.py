# Tests of ARG_MAX and ARG_MIN on float32 against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from support.check import Cases
from support.inputs import generator
from support.single_op import Tensor, single_op

cases = Cases()

SHAPES = [((1,), 0), ((9,), 0), ((2, 3), 1), ((2, 3), 0), ((2, 5, 4), 1), ((2, 5, 4), -3)]
SHAPES += [((2, 3, 4, 5), -1), ((2, 1, 3, 2, 2, 3), 4)]


def arg(operator, shape, axis):
    target = [length for i, length in enumerate(shape) if i != axis % len(shape)]
    return single_op(
        operator,
        [Tensor(shape, "float32"), Tensor((1,), "int32", np.array([axis], np.int32))],
        [Tensor(target, "int32")],
    )


for operator in ("ARG_MAX", "ARG_MIN"):
    for shape, axis in SHAPES:
        cases.add(f"{operator} {shape} {axis}", arg(operator, shape, axis))
    name = f"{operator} all magnitudes"
    random = generator(name)
    x = random.integers(0, 1 << 32, (80, 6), np.uint32).view(np.float32)
    # NaNs, ties, zeros of both signs, infinities, subnormals.
    x[:40] = random.choice([0.0, -0.0, 1, -1, np.inf, -np.inf, 1e-42, -1e-42, np.nan], (40, 6))
    cases.add(name, arg(operator, x.shape, 1), [[x]])
    cases.add(f"{operator} nothing", arg(operator, (0, 3), 1), [[[]]], expected=[[[]]])
    cases.add(
        f"{operator} to another type",
        single_op(
            operator,
            [Tensor((2, 3), "float32"), Tensor((1,), "int32", np.array([1], np.int32))],
            [Tensor((2,), "float32")],
        ),
        error="int32",
    )


@cases.parametrize
def test_arg_min_max_float(case):
    case.check()
