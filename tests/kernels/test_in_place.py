# Tests of operators whose output is their own input, which TFLM runs and LiteRT refuses
# MIT license; Copyright (c) 2026 the tflm authors

from support.builder import ModelBuilder
from support.check import Cases

cases = Cases()


# A copy of the input, then an operator from that tensor to itself.
def in_place(name, dtype, shape, scale=None, zero_point=None, **options):
    model = ModelBuilder(name)
    quantization = {"scale": scale, "zero_point": zero_point}
    x, y = (model.tensor(shape, dtype, **quantization) for _ in range(2))
    model.operator("RESHAPE", [x], [y])
    model.operator(name, [y], [y], **options)
    model.io([x], [y])
    return model.build()


# Rows on one core or several: slices of one and of three of them.
cases.add("SOFTMAX int8", in_place("SOFTMAX", "int8", (7, 9), 1 / 256, -128, beta=20.0))
cases.add("SOFTMAX int16", in_place("SOFTMAX", "int16", (7, 9), 1 / 32768, 0, beta=5.0))
cases.add("LOG_SOFTMAX int8", in_place("LOG_SOFTMAX", "int8", (7, 9), 1 / 16, 127))
model = in_place("SOFTMAX", "float32", (7, 9), beta=1.0)
cases.add("SOFTMAX float32", model, rtol=1e-6, atol=1e-6)
cases.add("LOGISTIC int8", in_place("LOGISTIC", "int8", (7, 9), 1 / 256, -128))
cases.add("ABS int8", in_place("ABS", "int8", (7, 9), 0.1, 3))


@cases.parametrize
def test_in_place(case):
    case.check()
