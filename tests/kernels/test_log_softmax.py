# Tests of LOG_SOFTMAX against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from support.check import Cases
from support.inputs import generator
from support.single_op import Tensor, single_op

cases = Cases()


def log_softmax(dtype, shape, scale=0.1, zero_point=0, output=(1 / 16, 127)):
    keywords = [{}, {}]
    if dtype == "int8":
        keywords = [{"scale": scale, "zero_point": zero_point}]
        keywords.append({"scale": output[0], "zero_point": output[1]})
    tensors = [Tensor(shape, dtype, **k) for k in keywords]
    return single_op("LOG_SOFTMAX", tensors[:1], tensors[1:])


# TFLM's exp() and log() differ from tflm's in the last bits of the logarithm, which matter more if
# it cancels: near 0 the differences are absolute.
for dtype in ("float32", "int8"):
    tolerance = {"rtol": 3e-7, "atol": 1e-6} if dtype == "float32" else {}
    for shape in [(1,), (7,), (2, 5), (3, 1), (2, 3, 4), (2, 3, 2, 19), (1, 2, 1, 2, 2, 3)]:
        cases.add(f"{dtype} {shape}", log_softmax(dtype, shape), **tolerance)
    empty = np.zeros((0, 3))
    cases.add(f"{dtype} empty", log_softmax(dtype, (0, 3)), [[empty]], expected=[[empty]])
    cases.add(f"{dtype} rank 0", log_softmax(dtype, ()), error="a dimension")
random = generator("magnitudes")
x = random.normal(0, 1, (60, 9)) * np.exp2(random.uniform(-20, 12, (60, 1)))
x[:3, 0] = [np.nan, np.inf, -np.inf]
model = log_softmax("float32", (60, 9))
cases.add("float32 magnitudes", model, [[x]], rtol=3e-7, atol=1e-6, slices=(7,))

# int8: scales from one that only the largest value matters for, to one for which all values are
# nearly equal; sums of all sizes for the logarithm.
for i, scale in enumerate(np.exp2(np.linspace(-12, 6, 28))):
    scale = float(scale * generator(f"scale {i}").uniform(1, 1.5))
    rows = generator(f"rows {i}").integers(-128, 128, (40, 12))
    rows[10:20] //= 8
    rows[20:30, 3:] = -128
    rows[30] = 5
    model = log_softmax("int8", rows.shape, scale, (0, -128, 127)[i % 3])
    cases.add(f"int8 scale {i}", model, [[rows]], slices=(1, 7))
for depth in (1, 2, 3, 100, 1000, 4095):
    rows = generator(f"depth {depth}").integers(-128, 128, (2, depth))
    rows[1] = 7
    cases.add(f"int8 depth {depth}", log_softmax("int8", rows.shape, 0.02), [[rows]])
for output in ((1 / 16, 126), (1 / 17, 127)):
    cases.add(f"output {output}", log_softmax("int8", (2,), output=output), error="output quant")
cases.add("depth too large", log_softmax("int8", (1, 4096)), error="last dimension of 4096")
cases.add("scale too small", log_softmax("int8", (1, 4), 1e-9), error="so small")


@cases.parametrize
def test_log_softmax(case):
    case.check()
