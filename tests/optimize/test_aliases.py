# Tests of the pass aliases: operators that only move bytes become views of shared memory
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
import pytest
from optimize.network import Network
from support.builder import ModelBuilder
from support.check import Cases
from tflm.introspection.op_names import name as op_name
from tflm_tools.flat.flatten import flatten, optimized_model
from tflm_tools.image.prepare import prepare_graph
from tflm_tools.optimize.passes import passes_without

PATHS = ("saved", "saved armv6m")
cases = Cases()
expected = {}  # name of a case: operators that stay


def add(name, model, operators, **options):
    cases.add(name, model, paths=PATHS, runs=1, **options)
    expected[name] = operators


net = Network("reshape", (4, 6, 4))
x = net.reshape(net.inputs[0], (1, 6, 4, 4))
x = net.reshape(net.reshape(net.conv(x, 4), (96,)), (1, 96))
x = net.dense(x, 8)
add("reshape", net.build(x), ["CONV_2D", "FULLY_CONNECTED"])

# An output of the model does not share bytes with an input; two outputs may share bytes.
net = Network("output of an input", (4, 6, 4))
x = net.reshape(net.inputs[0], (96,))
add("output of an input", net.build(x), ["RESHAPE"])
net = Network("outputs of one tensor", (4, 6, 4))
x = net.conv(net.inputs[0], 4)
y = net.reshape(x, (96,))
add("outputs of one tensor", net.build(y, x, net.reshape(y, (2, 48))), ["CONV_2D"])

# Slices of the outermost dimension that is not 1.
net = Network("split", (4, 6, 4))
pieces = net.split(net.conv(net.inputs[0], 8), 1, 2)
x = net.binary("ADD", *pieces)
add("split", net.build(x, pieces[1]), ["CONV_2D", "ADD"])
net = Network("split of channels", (4, 6, 4))
pieces = net.split(net.conv(net.inputs[0], 8), 3, 2)
add("split of channels", net.build(net.binary("ADD", *pieces)), ["CONV_2D", "SPLIT", "ADD"])
net = Network("parts that are not aligned", (3, 1, 1))
pieces = net.split(net.conv(net.inputs[0], 1), 1, 3)
add("parts that are not aligned", net.build(*pieces), ["CONV_2D", "SPLIT"])

# Tensors joined along this dimension are written in place.
net = Network("joined", (4, 6, 4))
pieces = [net.conv(net.inputs[0], 4), net.conv(net.inputs[0], 4), net.depthwise(net.inputs[0])]
joined = net.concatenation(pieces, 1)
x = net.conv(joined, 4, 3, 2)
add("joined", net.build(x), ["CONV_2D", "CONV_2D", "DEPTHWISE_CONV_2D", "CONV_2D"])
net = Network("joined with others that read", (4, 6, 4))
pieces = [net.conv(net.inputs[0], 4), net.conv(net.inputs[0], 4)]
x = net.binary("ADD", *pieces, 0.0235, -128)
joined = net.concatenation([*pieces, x], 1)
x = net.conv(joined, 4)
add("joined with others that read", net.build(x, pieces[0], joined),
    ["CONV_2D", "CONV_2D", "ADD", "CONV_2D"])  # fmt: skip
net = Network("joined twice", (4, 6, 4))
x = net.conv(net.inputs[0], 4)
x = net.concatenation([x, x], 1)
add("joined twice", net.build(x), ["CONV_2D", "CONCATENATION"])
net = Network("joined with an input", (4, 6, 4))
x = net.conv(net.inputs[0], 4, scale=0.05)
x = net.concatenation([x, net.inputs[0]], 1)
add("joined with an input", net.build(x), ["CONV_2D", "CONCATENATION"])
net = Network("joined in two places", (4, 6, 4))
a, b = net.conv(net.inputs[0], 4), net.conv(net.inputs[0], 4)
x = net.concatenation([a, b], 1), net.concatenation([b, a], 1)
add("joined in two places", net.build(*x), ["CONV_2D", "CONV_2D", "CONCATENATION"])
net = Network("joined, and again", (2, 6, 4))
a, b, c = [net.conv(net.inputs[0], 4) for _ in range(3)]
x = net.concatenation([net.concatenation([a, b], 1), c], 1)
x = net.reshape(x, (6, 6, 4))
add("joined, and again", net.build(x), ["CONV_2D"] * 3)

# Operators without effect.
net = Network("nothing", (4, 6, 4))
x = net.conv(net.inputs[0], 4)
x = net.unary("QUANTIZE", x)
x = net.unary("RELU", x)
x = net.pool("AVERAGE_POOL_2D", x, 1)
x = net.pad(x, [(0, 0), (0, 0)])
x = net.unary("TRANSPOSE", x, shape=(4, 1, 6, 4), inputs=[net.constant([1, 0, 2, 3])])
begin, size = net.constant([0, 0, 0, 0]), net.constant([4, -1, 6, 4])
x = net.unary("SLICE", x, inputs=[begin, size])
x = net.conv(x, 3)
add("nothing", net.build(x), ["CONV_2D", "CONV_2D"])
net = Network("something", (4, 6, 4))
x = net.conv(net.inputs[0], 4, activation="NONE", zero_point=3)
x = net.unary("QUANTIZE", x, 0.1, 4)
x = net.pool("AVERAGE_POOL_2D", x, 2, 1, "SAME")
x = net.unary("TRANSPOSE", x, shape=(1, 6, 4, 4), inputs=[net.constant([0, 2, 1, 3])])
add("something", net.build(x), ["CONV_2D", "QUANTIZE", "AVERAGE_POOL_2D", "TRANSPOSE"])

# Empty tensors and scalars.
net = ModelBuilder("empty")
x, a, y = net.tensor((0, 3), "int8"), net.tensor((3, 0), "int8"), net.tensor((0,), "int8")
u, v, w = net.tensor((), "float32"), net.tensor((1,), "float32"), net.tensor((1,), "float32")
net.operator("RESHAPE", [x], [a])
net.operator("RESHAPE", [a], [y])
net.operator("RESHAPE", [u], [v])
net.operator("ADD", [v, v], [w])
net.io([x, u], [y, w])
values = np.zeros((0, 3)), np.array(1.5)
cases.add("empty", net.build(), [values], paths=PATHS, expected=[[np.zeros(0), [3.0]]])


# In sub-graphs, inputs and outputs keep separate bytes. Tensors between them may share bytes.
def branches():
    model = ModelBuilder("branches")
    flag, x = model.tensor((1,), "bool"), model.tensor((2, 2), "int32")
    y = model.tensor((4,), "int32")
    model.operator("IF", [flag, x], [y], then_subgraph_index=1, else_subgraph_index=2)
    model.io([flag, x], [y])
    for kind in ("ADD", "MUL"):
        graph = model.subgraph(kind)
        a, b = graph.tensor((2, 2), "int32"), graph.tensor((4,), "int32")
        c, d = graph.tensor((1, 4), "int32"), graph.tensor((4,), "int32")
        graph.operator("RESHAPE", [a], [b])
        graph.operator("RESHAPE", [b], [c])
        e = graph.tensor((1, 4), "int32")
        graph.operator(kind, [c, c], [e])
        graph.operator("RESHAPE", [e], [d])
        graph.io([a], [d])
    return model.build()


# The body of a loop swaps its values with RESHAPE only.
def swapping():
    model = ModelBuilder("swapping")
    values = [model.tensor((1,), "int32"), *(model.tensor((2, 2), "int32") for _ in range(2))]
    ends = [model.tensor((1,), "int32"), *(model.tensor((2, 2), "int32") for _ in range(2))]
    model.operator("WHILE", values, ends, cond_subgraph_index=1, body_subgraph_index=2)
    model.io(values, ends)
    graph = model.subgraph("condition")
    own = [graph.tensor((1,), "int32"), *(graph.tensor((2, 2), "int32") for _ in range(2))]
    limit, more = graph.tensor((1,), "int32", [3]), graph.tensor((1,), "bool")
    graph.operator("LESS", [own[0], limit], [more])
    graph.io(own, [more])
    graph = model.subgraph("body")
    own = [graph.tensor((1,), "int32"), *(graph.tensor((2, 2), "int32") for _ in range(2))]
    one = graph.tensor((1,), "int32", [1])
    results = [graph.tensor((1,), "int32"), *(graph.tensor((2, 2), "int32") for _ in range(2))]
    graph.operator("ADD", [own[0], one], [results[0]])
    graph.operator("RESHAPE", [own[2]], [results[1]])
    graph.operator("RESHAPE", [own[1]], [results[2]])
    graph.io(own, results)
    return model.build()


cases.add("branches", branches, paths=("saved",), runs=3)
cases.add("swapping", swapping, paths=("saved",), runs=2, ranges={0: (0, 3)})


@cases.parametrize
def test_results(case):
    case.check()


@pytest.mark.parametrize("name", expected)
def test_operators(name):
    model = next(case for case in cases if case.name == name).build()
    graph, savings = optimized_model(model, passes=("aliases",))
    assert [op_name(node.builtin_code) for node in graph.subgraphs[0].nodes] == expected[name]
    storage = prepare_graph(graph)
    before, _ = optimized_model(model)
    assert storage.head_bytes <= prepare_graph(before).head_bytes


# Each view is inside its base.
def test_view_offsets():
    model = next(case for case in cases if case.name == "joined, and again").build()
    graph, _ = optimized_model(model, passes=("aliases",))
    storage = prepare_graph(graph)
    assert len(graph.views) == 5
    assert len(storage.views) == 4  # no operator uses the first joined tensor as a whole
    for index in storage.views:
        base, offset = graph.views[index]
        assert storage.tensors[index].offset == storage.tensors[base].offset + offset
        assert offset + graph.tensor(index).nbytes() <= graph.tensor(base).nbytes()


# Three operators without effect; `offsets` is an offline memory plan in the model.
def chain(offsets=None):
    builder = ModelBuilder("chain")
    tensors = [builder.tensor((4,), "int32") for _ in range(4)]
    for a, b in zip(tensors, tensors[1:], strict=False):
        builder.operator("RESHAPE", [a], [b])
    builder.io(tensors[:1], tensors[-1:])
    if offsets:
        builder.offline_plan(offsets)
    return builder.build()


# Models with an offline memory plan, and models whose tensors are kept, do not change.
def test_kept():
    graph, _ = optimized_model(chain(), passes=passes_without())
    assert len(graph.subgraphs[0].nodes) == 1
    kept = flatten(chain(), keep_tensors=True)
    assert kept == flatten(chain(), keep_tensors=True, without=("all",))
    graph, _ = optimized_model(chain([0, 16, 32, 48]), passes=passes_without())
    assert len(graph.subgraphs[0].nodes) == 3
