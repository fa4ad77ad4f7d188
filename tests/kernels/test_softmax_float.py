# Tests of SOFTMAX on float32 against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from support.check import Cases
from support.inputs import generator
from support.single_op import Tensor, single_op

cases = Cases()

TOLERANCE = 5e-7  # 4 units in the last place


def softmax(shape, beta=1.0, target=None):
    return single_op(
        "SOFTMAX",
        [Tensor(shape, "float32")],
        [Tensor(target or shape, "float32")],
        beta=beta,
    )


for shape in [(1,), (10,), (1, 2), (5, 1), (2, 3, 4), (1, 2, 3, 4, 3), (3, 300)]:
    cases.add(f"shape {shape}", softmax(shape), rtol=TOLERANCE, atol=1e-40)
cases.add("empty rows", softmax((3, 0)), expected=[[[]]], inputs=[[[]]])
cases.add("no rows", softmax((0, 3)), expected=[[[]]], inputs=[[[]]])
for beta in (0.5, 2.0, 0.1, 10.0, 0.0, -1.0):
    cases.add(f"beta {beta}", softmax((4, 9), beta), rtol=TOLERANCE, atol=1e-40)

random = generator("softmax float32")
rows = random.normal(0, 1, (40, 12)) * 10.0 ** random.uniform(-3, 2, (40, 1))
rows[:8, 3] = [np.inf, -np.inf, np.nan, 0, 1e30, -1e30, 3.4e38, -3.4e38]
rows[8] = -np.inf
rows[9] = 1e-42
cases.add("all magnitudes", softmax(rows.shape), [[rows]], rtol=TOLERANCE, atol=1e-40)
cases.add("scalar", softmax(()), error="dimension")
cases.add("another shape", softmax((2, 3), target=(3, 2)), error="shape")


@cases.parametrize
def test_softmax_float(case):
    case.check()
