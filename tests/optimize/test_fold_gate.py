# Tests of the pass fold-gate: a tensor times a function of it becomes one table
# MIT license; Copyright (c) 2026 the tflm authors

import pytest
from support.builder import ModelBuilder
from support.check import Cases
from tflm.introspection.op_names import name as op_name
from tflm_tools.flat.flatten import optimized_model
from tflm_tools.optimize.passes import passes_without

SHAPE = (2, 130)
PATHS = ("saved", "saved armv6m")
cases = Cases()
expected = {}  # name of a case: operators that stay


# x * f(x) with the scale and zero point of the input and of the product. change: what differs.
def gate(operator, source=(0.05, 3), product=(0.04, -110), change=""):
    builder = ModelBuilder("gate")

    def tensor(shape, scale, zero_point):
        return builder.tensor(shape, "int8", scale=scale, zero_point=zero_point)

    scale = (1 / 256, -128) if operator == "LOGISTIC" else (1 / 128, 0)
    scale = (0.03, -100) if operator == "HARD_SWISH" else scale
    x, y, z = tensor(SHAPE, *source), tensor(SHAPE, *scale), tensor(SHAPE, *product)
    builder.operator(operator, [x], [y])
    other = tensor(SHAPE, *source) if change == "other input" else x
    pair = [y, other] if change == "exchanged" else [other, y]
    builder.operator("MUL", pair, [z])
    outputs = [z, y] if change == "output" else [z]
    builder.io([x, other] if other != x else [x], outputs)
    return builder.build()


def add(name, count, operator, **options):
    cases.add(name, gate(operator, **options), paths=PATHS)
    expected[name] = count


for operator in ("LOGISTIC", "TANH", "HARD_SWISH"):
    add(f"{operator}", 1, operator)
    add(f"{operator}, coarse", 1, operator, source=(0.3, -20), product=(0.3, 5))
    add(f"{operator}, saturated", 1, operator, product=(0.002, 0))
add("exchanged", 1, "LOGISTIC", change="exchanged")
add("other input", 2, "LOGISTIC", change="other input")
add("an output", 2, "LOGISTIC", change="output")


@cases.parametrize
def test_results(case):
    case.check()


@pytest.mark.parametrize("name", expected)
def test_operators(name):
    case = next(case for case in cases if case.name == name)
    graph, _ = optimized_model(case.build(), passes=passes_without())
    operators = [op_name(node.builtin_code) for node in graph.running()[0].nodes]
    assert len(operators) == expected[name], operators
