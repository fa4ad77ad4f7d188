# Tests of the passes that fold constants, padding and activations
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
import pytest
from optimize.network import Network
from support.builder import ModelBuilder
from support.check import Cases
from tflm.introspection.op_names import name as op_name
from tflm_tools.flat.flatten import flatten, optimized_model
from tflm_tools.optimize.passes import passes_without

PATHS = ("saved", "saved armv6m")
cases = Cases()
expected = {}  # name of a case: operators that stay, without "dead_channels"


def add(name, model, operators, **options):
    cases.add(name, model, paths=options.pop("paths", PATHS), runs=1, **options)
    expected[name] = operators


# PAD before windows, which overlap the padding at each side.
for name, sides, size, stride in (
    ("pad 1 before 3x3", [(1, 1), (1, 1)], 3, 1),
    ("pad as MobileNet", [(0, 1), (0, 1)], 3, 2),
    ("pad as ResNet", [(3, 3), (3, 3)], 7, 2),
    ("pad at the left", [(0, 0), (2, 0)], 3, 2),
    ("pad at the right", [(0, 2), (0, 0)], 3, 1),
):
    net = Network(name, (9, 8, 4))
    net.quantization[net.inputs[0]] = 0.05, -128
    a = net.pad(net.inputs[0], sides)
    add(name, net.build(net.conv(a, 6, size, stride, "VALID")), ["CONV_2D"])
    name += ", depthwise"
    net = Network(name, (9, 8, 4))
    a = net.pad(net.inputs[0], sides)
    add(name, net.build(net.depthwise(a, size, stride, "VALID")), ["DEPTHWISE_CONV_2D"])

net = Network("pad, multiplier and batch", (6, 7, 3), batch=2)
a = net.pad(net.inputs[0], [(1, 1), (2, 1)])
x = net.depthwise(a, 4, 1, "VALID", 2)
add("pad, multiplier and batch", net.build(x), ["DEPTHWISE_CONV_2D"])
net = Network("pad for two", (6, 7, 4))
a = net.pad(net.inputs[0], [(1, 1), (1, 1)], -128)
x = net.conv(a, 4, 3, 1, "VALID"), net.depthwise(a, 3, 2, "VALID")
add("pad for two", net.build(*x), ["CONV_2D", "DEPTHWISE_CONV_2D"])
net = Network("pad for a pool", (6, 7, 4))
a = net.pad(net.inputs[0], [(1, 0), (1, 1)])
add("pad for a pool", net.build(net.pool("MAX_POOL_2D", a, 3, 2)), ["MAX_POOL_2D"])

# PAD that cannot be folded.
for name, sides, value, kind in (
    ("pad of another value", [(1, 1), (1, 1)], -127, "CONV_2D"),
    ("pad wider than the filter", [(3, 0), (0, 0)], None, "CONV_2D"),
    ("pad beyond the last window", [(0, 0), (0, 3)], None, "CONV_2D"),
    ("pad for an average", [(1, 1), (1, 1)], None, "AVERAGE_POOL_2D"),
):
    net = Network(name, (6, 6, 4))
    a = net.pad(net.inputs[0], sides, value)
    x = net.conv(a, 4, 3, 1, "VALID") if kind == "CONV_2D" else net.pool(kind, a, 3, 1)
    add(name, net.build(x), ["PAD" if value is None else "PADV2", kind])
net = Network("pad before SAME", (6, 6, 4))
a = net.pad(net.inputs[0], [(1, 1), (1, 1)])
add("pad before SAME", net.build(net.conv(a, 4, 3)), ["PAD", "CONV_2D"])
net = Network("pad that is an output", (6, 6, 4))
a = net.pad(net.inputs[0], [(1, 1), (1, 1)])
x = net.conv(a, 4, 3, 1, "VALID")
add("pad that is an output", net.build(a, x), ["PAD", "CONV_2D"])

# RELU is folded as a clamp only if the quantization does not change.
for kind in ("RELU", "RELU6"):
    net = Network(f"{kind} after a convolution", (5, 5, 4))
    x = net.conv(net.inputs[0], 6, 3, activation="NONE", zero_point=-20)
    add(f"{kind} after a convolution", net.build(net.unary(kind, x)), ["CONV_2D"])
net = Network("RELU to another quantization", (5, 5, 4))
x = net.conv(net.inputs[0], 6, 3, activation="NONE", zero_point=-20)
x = net.unary("RELU", x, 0.011, -128)
add("RELU to another quantization", net.build(x), ["CONV_2D", "RELU"])
net = Network("RELU6 in other words", (5, 5, 4))
x = net.conv(net.inputs[0], 6, 3, activation="NONE", zero_point=-20)
x = net.unary("RELU6", x, 0.5, 3)
add("RELU6 in other words", net.build(net.conv(x, 4)), ["CONV_2D", "CONV_2D"])
for kind in ("MAXIMUM", "MINIMUM"):
    net = Network(f"{kind} of a constant", (5, 5, 4))
    x = net.depthwise(net.inputs[0], activation="RELU", zero_point=-50, scale=0.04)
    limit = net.tensor((1,), 0.04, -50, [10])
    x = net.binary(kind, x, limit, 0.04, -50)
    add(f"{kind} of a constant", net.build(x), ["DEPTHWISE_CONV_2D"])
net = Network("one limit beyond the other", (4, 4, 4))
x = net.conv(net.inputs[0], 4, activation="RELU", zero_point=20)
for kind, value in (("MINIMUM", 3), ("MAXIMUM", 40), ("MINIMUM", 90)):
    limit = net.tensor((1,), 0.0235, 20, [value])
    x = net.binary(kind, x, limit, 0.0235, 20)
add("one limit beyond the other", net.build(x), ["CONV_2D"])
net = Network("RELU after others", (6, 4, 4))
x = net.binary("ADD", net.inputs[0], net.inputs[0], 0.1, -10)
x = net.unary("RELU", x)
x = net.unary("RELU6", net.pool("AVERAGE_POOL_2D", x, 2))
x = net.unary("RELU", net.dense(x, 8, activation="NONE"))
add("RELU after others", net.build(x), ["ADD", "AVERAGE_POOL_2D", "FULLY_CONNECTED"])
net = Network("RELU of what others read", (4, 4, 4))
x = net.conv(net.inputs[0], 4, activation="NONE", zero_point=-20)
add("RELU of what others read", net.build(net.unary("RELU", x), net.conv(x, 4)),
    ["CONV_2D", "RELU", "CONV_2D"])  # fmt: skip


# A chain of operators on constants. Only the last operator reads an input.
def folded(dtype):
    net = ModelBuilder(f"constants {dtype}")
    values = np.arange(12).reshape(3, 4)
    quantized = {"scale": 0.1, "zero_point": 0} if dtype in ("int8", "int16") else {}
    a = net.tensor((3, 4), dtype, values, **quantized)
    b = net.tensor((4,), dtype, values[0], **quantized)
    x, c, d, y = [net.tensor((3, 4), dtype, **quantized) for _ in range(4)]
    net.operator("MUL", [a, b], [c])
    net.operator("ADD", [c, b], [d])
    net.operator("ADD", [x, d], [y])
    net.io([x], [y, d])
    return net.build()


for dtype in ("int8", "int16", "float32"):
    add(f"constants {dtype}", folded(dtype), ["ADD"])


# The shape for RESHAPE is computed from the shape of a tensor.
def shapes():
    net = ModelBuilder("shapes")
    x, y = net.tensor((2, 3, 4), "int32"), net.tensor((6, 4), "int32")
    s, last = net.tensor((3,), "int32"), net.tensor((1,), "int32")
    both = net.tensor((2,), "int32")
    ones = [net.tensor((1,), "int32", [value]) for value in (2, 3, 1, -1)]
    net.operator("SHAPE", [x], [s], out_type=2)
    net.operator("STRIDED_SLICE", [s, ones[0], ones[1], ones[2]], [last])
    net.operator("CONCATENATION", [ones[3], last], [both], axis=0)
    net.operator("RESHAPE", [x, both], [y])
    net.io([x], [y, s])
    return net.build()


add("shapes", shapes(), ["RESHAPE"])


# Nobody reads the values of NEG and DEQUANTIZE once their shape is a constant.
def unread():
    net = ModelBuilder("unread")
    x, y = [net.tensor((2, 3), "int8", scale=0.1, zero_point=0) for _ in range(2)]
    a, b = [net.tensor((2, 3), "float32") for _ in range(2)]
    shape = net.tensor((2,), "int32")
    net.operator("DEQUANTIZE", [x], [a])
    net.operator("NEG", [a], [b])
    net.operator("SHAPE", [b], [shape], out_type=2)
    net.operator("RESHAPE", [x, shape], [y])
    net.io([x], [y])
    return net.build()


add("unread", unread(), ["RESHAPE"])


# Constants that would need much flash are computed in each run.
def filled(size):
    net = ModelBuilder(f"fill {size}")
    shape = net.tensor((1,), "int32", [size])
    value, x = net.tensor((), "int32", [7]), net.tensor((size,), "int32")
    a, y = net.tensor((size,), "int32"), net.tensor((size,), "int32")
    net.operator("FILL", [shape, value], [a])
    net.operator("ADD", [x, a], [y])
    net.io([x], [y])
    return net.build()


add("fill 100", filled(100), ["ADD"])
add("fill 1000", filled(1000), ["FILL", "ADD"])


@cases.parametrize
def test_results(case):
    case.check()


@pytest.mark.parametrize("name", expected)
def test_operators(name):
    model = next(case for case in cases if case.name == name).build()
    graph, savings = optimized_model(model, passes=passes_without(("dead-channels", "aliases")))
    nodes = graph.subgraphs[0].nodes
    operators = ["RESHAPE" if n.builtin_code == 22 else op_name(n.builtin_code) for n in nodes]
    assert operators == expected[name]
    gone = optimized_model(model)[0].subgraphs[0].nodes_length() - len(nodes)
    assert len({number for saving in savings for number in saving.nodes}) == gone


# Operators keep their numbers of the file.
def test_numbers():
    model = next(case for case in cases if case.name == "RELU after others").build()
    graph, _ = optimized_model(model, passes=passes_without())
    assert [node.index for node in graph.subgraphs[0].nodes] == [0, 2, 4]
    assert [node.origins for node in graph.subgraphs[0].nodes] == [(0, 1), (2, 3), (4, 5)]


# Without MicroPython, constants that kernels must compute are not folded.
def test_no_micropython(monkeypatch, tmp_path):
    monkeypatch.setenv("TFLM_MICROPYTHON", str(tmp_path / "none"))
    graph, _ = optimized_model(folded("int8"), passes=passes_without())
    assert len(graph.subgraphs[0].nodes) == 3
    assert flatten(folded("int8"))
