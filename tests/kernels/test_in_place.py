# Tests of operators that write their own input, which TFLM runs and LiteRT refuses
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from support import litert
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


# Rows on one core or several, in slices of one and of three rows.
cases.add("SOFTMAX int8", in_place("SOFTMAX", "int8", (7, 9), 1 / 256, -128, beta=20.0))
cases.add("SOFTMAX int16", in_place("SOFTMAX", "int16", (7, 9), 1 / 32768, 0, beta=5.0))
cases.add("LOG_SOFTMAX int8", in_place("LOG_SOFTMAX", "int8", (7, 9), 1 / 16, 127))
model = in_place("SOFTMAX", "float32", (7, 9), beta=1.0)
cases.add("SOFTMAX float32", model, rtol=1e-6, atol=1e-6)
cases.add("LOGISTIC int8", in_place("LOGISTIC", "int8", (7, 9), 1 / 256, -128))
cases.add("ABS int8", in_place("ABS", "int8", (7, 9), 0.1, 3))


# An operator on float32 tensors whose output is one of its inputs; the others are constants.
def over_operand(name, shape, operands, over, dtype="float32", **options):
    model = ModelBuilder(name)
    random = np.random.default_rng(5)
    x, y = (model.tensor(shape, dtype) for _ in range(2))
    others = [model.tensor(shape, dtype, random.normal(size=shape)) for _ in range(operands - 1)]
    model.operator("RESHAPE", [x], [y])
    model.operator(name, others[:over] + [y] + others[over:], [y], **options)
    model.io([x], [y])
    return model.build()


# Kernels that read their input several times, or after they have written.
model = in_place("LOG_SOFTMAX", "float32", (7, 9))
cases.add("LOG_SOFTMAX float32", model, rtol=1e-6, atol=1e-6)
cases.add("LEAKY_RELU", in_place("LEAKY_RELU", "float32", (7, 9), alpha=-0.3))
cases.add("HARD_SWISH", in_place("HARD_SWISH", "float32", (7, 9)))
cases.add("PRELU over its slopes", over_operand("PRELU", (7, 9), 2, 1))
cases.add("FLOOR_MOD over its divisor", over_operand("FLOOR_MOD", (7, 9), 2, 1))
cases.add("ADD_N over its third", over_operand("ADD_N", (7, 9), 3, 2))


# Two operators on one tensor, whose first value is an input of the model and is read again.
def over_an_input():
    model = ModelBuilder("input")
    x, y = model.tensor((3, 5), "float32"), model.tensor((3, 5), "float32")
    model.operator("NEG", [x], [y])
    model.operator("LEAKY_RELU", [x], [x], alpha=-0.3)
    model.operator("LOG_SOFTMAX", [x], [x])
    model.operator("ADD", [x, y], [y])
    model.io([x], [y, x])
    return model.build()


cases.add("over an input, twice", over_an_input(), rtol=1e-6, atol=1e-6)


# In both sub-graphs of an IF, whose tensors follow the tensors of the main graph.
def in_branches():
    model = ModelBuilder("branches")
    for alpha in (-0.3, 0.7):
        branch = model.subgraph(f"by {alpha}")
        x = branch.tensor((3, 5), "float32")
        branch.operator("LEAKY_RELU", [x], [x], alpha=alpha)
        branch.io([x], [x])
    condition, x = model.tensor((), "bool"), model.tensor((3, 5), "float32")
    y = model.tensor((3, 5), "float32")
    model.operator("LEAKY_RELU", [x], [x], alpha=-2.0)
    model.operator("IF", [condition, x], [y], then_subgraph_index=1, else_subgraph_index=2)
    model.io([condition, x], [y])
    return model.build()


cases.add("in branches", in_branches())


# TOPK_V2, which TFLM lacks; LiteRT runs it only with separate tensors.
def topk(is_in_place):
    model = ModelBuilder("TOPK_V2")
    x = model.tensor((4, 6), "float32")
    y = x if is_in_place else model.tensor((4, 6), "float32")
    count, indices = model.tensor((), "int32", 6), model.tensor((4, 6), "int32")
    model.operator("TOPK_V2", [x, count], [y, indices])
    model.io([x], [y, indices])
    return model.build()


cases.add("TOPK_V2", topk(True), expected=lambda _, runs: litert.outputs(topk(False), runs))


@cases.parametrize
def test_in_place(case):
    case.check()
