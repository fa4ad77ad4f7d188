# Tests of the pass fold-float-curve: functions of float32 between int8 tensors become one table
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
import pytest
from support.builder import ModelBuilder
from support.check import Cases
from tflm.introspection.op_names import name as op_name
from tflm_tools.flat.flatten import optimized_model
from tflm_tools.optimize.passes import passes_without

VALUES = np.arange(-128, 128).reshape(2, 128)  # each value of int8
cases = Cases()
expected = {}  # name of a case: operators that stay


# DEQUANTIZE, functions and QUANTIZE. functions: names; a pair is an operator and a constant, a "*"
# the product with the output of DEQUANTIZE. change: what differs from the pattern.
def curve(*functions, source=(0.05, 3), target=(0.04, -20), change=""):
    builder = ModelBuilder("curve")
    x = builder.tensor((2, 128), "int8", scale=source[0], zero_point=source[1])
    first = last = builder.tensor((2, 128), "float32")
    builder.operator("DEQUANTIZE", [x], [first])
    for function in functions:
        name, *constants = (function,) if isinstance(function, str) else function
        others = [builder.tensor((), "float32", c) for c in constants]
        if name == "*":
            name, others = "MUL", [first]
        inputs, last = [last, *others], builder.tensor((2, 128), "float32")
        builder.operator(name, inputs, [last])
    y = builder.tensor((2, 128), "int8", scale=target[0], zero_point=target[1])
    builder.operator("QUANTIZE", [last], [y])
    builder.io([x], [y, last] if change == "output" else [y])
    return builder.build()


def add(name, count, *functions, rtol=0.0, **options):
    model = curve(*functions, **options)
    cases.add(name, model, [[VALUES]], rtol, paths=("saved", "saved armv6m"))
    expected[name] = count


for function in ("ELU", "LOGISTIC", "TANH", "HARD_SWISH", "SQUARE", "ABS", "RELU6"):
    add(function, 1, function)
add("softplus", 1, "EXP", ("ADD", 1.0), "LOG")
add("SiLU", 1, "LOGISTIC", "*", source=(0.1, -30))
add("square root", 1, "SQRT", source=(0.1, -128))
add("saturated", 1, "ELU", target=(0.001, 0))
add("an output", 3, "ELU", change="output", rtol=1e-6)
add("not finite", 3, "RSQRT", source=(0.1, -128))
add("no function", 2)


@cases.parametrize
def test_results(case):
    case.check()


@pytest.mark.parametrize("name", expected)
def test_operators(name):
    case = next(case for case in cases if case.name == name)
    graph, _ = optimized_model(case.build(), passes=passes_without())
    operators = [op_name(node.builtin_code) for node in graph.running()[0].nodes]
    assert len(operators) == expected[name], operators
