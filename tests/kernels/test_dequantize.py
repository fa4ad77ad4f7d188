# Tests of DEQUANTIZE against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from support.builder import ModelBuilder
from support.check import Cases
from support.every_value import every_value, every_value_model, random_quantizations
from support.single_op import Tensor, single_op

cases = Cases()


# A model of one DEQUANTIZE.
def dequantize(shape, dtype, scale, zero_point=0):
    x = Tensor(shape, dtype, scale=scale, zero_point=zero_point)
    return single_op("DEQUANTIZE", [x], [Tensor(shape, "float32")])


for dtype, low in [("int8", -128), ("uint8", 0)]:
    quantizations = [
        (scale, zero_point + low + 128, 1.0, 0)
        for scale, zero_point, _, _ in random_quantizations(3, 20, (1e-45, 1e36))
    ]
    cases.add(
        f"{dtype}, every value",
        every_value_model("DEQUANTIZE", quantizations, dtype, "float32"),
        inputs=every_value(quantizations, low),
    )
for scale in (1.0, 0.1, 0.00123, 3e-5, 1e-45, 1e-43, 7e-39, 1e36, 3.4e38):
    for zero_point in (0, -32768, 32767, 77):
        model = dequantize((4096,), "int16", scale, zero_point)
        values = np.arange(-32768, 32768, 16) + 7
        cases.add(f"int16, {scale}, {zero_point}", model, inputs=[[values]])
for dtype in ("int8", "int16"):
    for shape in [(), (7,), (1, 2, 3, 4, 5, 2)]:
        cases.add(f"{dtype}, shape {shape}", dequantize(shape, dtype, 0.03))
    model = dequantize((0, 4), dtype, 0.03)
    cases.add(f"{dtype}, empty", model, inputs=[[[]]], expected=[[[]]])


# A constant input is stored in the model.
def constant(dtype):
    model = ModelBuilder("constant")
    x = model.tensor((7,), dtype, np.arange(7) * 9, scale=0.5, zero_point=3)
    unused = model.tensor((1,), "int8", scale=1.0)
    y = model.tensor((7,), "float32")
    model.operator("DEQUANTIZE", [x], [y])
    model.io([unused], [y])
    return model.build()


for dtype in ("int8", "uint8", "int16"):
    cases.add(f"constant {dtype}", constant(dtype))

cases.add("int32", dequantize((4,), "int32", 0.1), error="must be")
cases.add("bool", dequantize((4,), "bool", None), error="must be")
cases.add("no scale", dequantize((4,), "int8", None), error="no scale")
x = Tensor((2,), "int8", scale=[0.1, 0.2], zero_point=[0, 1])
cases.add(
    "zero point per channel",
    single_op("DEQUANTIZE", [x], [Tensor((2,), "float32")]),
    error="a zero point for each channel",
)
x = Tensor((4,), "int8", scale=0.1)
cases.add("size", single_op("DEQUANTIZE", [x], [Tensor((5,), "float32")]), error="elements")
cases.add(
    "output type", single_op("DEQUANTIZE", [x], [Tensor((4,), "int8", scale=1.0)]), error="must"
)


@cases.parametrize
def test_dequantize(case):
    case.check()
