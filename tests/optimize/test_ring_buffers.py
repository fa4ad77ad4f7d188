# Tests of the pass ring-buffers: windows over a stream are kept in ring buffers
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
import pytest
from optimize.network import Network
from support.check import Cases
from tflm.introspection.op_names import name as op_name
from tflm_tools.flat.flatten import optimized_model
from tflm_tools.optimize.passes import passes_without

PATHS = ("saved", "saved armv6m")
cases = Cases()
expected = {}  # name of a case: operators that stay


class Stream(Network):
    """A Network with variables.

    first: {name of a variable: (shape, value)} that CALL_ONCE assigns.
    """

    def __init__(self, name, shape):
        super().__init__(name, shape)
        self.first = {}

    def handle(self, name, graph=None):
        graph = graph or self.builder
        tensor = graph.tensor((), "resource")
        graph.operator("VAR_HANDLE", [], [tensor], shared_name=name, container="")
        return tensor

    def slice_rows(self, source, begin, end):
        batch, rows, *rest = self.shapes[source]
        begin, end = range(rows)[begin], end or rows
        output = self.tensor((batch, end - begin, *rest), *self.quantization[source])
        limits = [0, begin, 0, 0], [0, end, 0, 0], [1, 1, 1, 1]
        inputs = [source, *map(self.constant, limits)]
        self.builder.operator("STRIDED_SLICE", inputs, [output], begin_mask=13, end_mask=13)
        return output

    # Add the window of a streaming layer: the last `rows` rows and the new rows. kept: a tensor
    # that is stored instead of the window's end.
    def window(self, source, rows, name, first=-128, kept=None, order=1):
        handle = self.handle(name)
        batch, _, *rest = self.shapes[source]
        old = self.tensor((batch, rows, *rest), *self.quantization[source])
        self.builder.operator("READ_VARIABLE", [handle], [old])
        if first is not None:
            self.first[name] = self.shapes[old], first
        window = self.concatenation([old, source][::order], 1)
        end = self.slice_rows(window, -rows, 0) if kept is None else kept
        self.builder.operator("ASSIGN_VARIABLE", [handle, end], [])
        return window

    # Add a window whose variable holds all rows and drops the oldest rows first. more: rows of
    # padding at its end.
    def shifted(self, source, rows, name, more=0, look=False):
        handle = self.handle(name)
        batch, new, *rest = self.shapes[source]
        old = self.tensor((batch, rows + new + more, *rest), *self.quantization[source])
        self.builder.operator("READ_VARIABLE", [handle], [old])
        self.first[name] = self.shapes[old], -128
        kept = self.slice_rows(old, new, new + rows)
        window = self.concatenation([kept, source], 1)
        if more:
            window = self.pad(window, [(0, more), (0, 0)])
        self.builder.operator("ASSIGN_VARIABLE", [handle, window], [])
        return (window, kept) if look else window

    # Add filters as long as their input, which is one pixel wide.
    def column(self, source):
        batch, rows, _, channels = self.shapes[source]
        weights, scales = self._weights((1, rows, 1, channels), 3, ())
        output = self.tensor((batch, 1, 1, channels), 0.0235, -128)
        self.builder.operator(
            "DEPTHWISE_CONV_2D", [source, weights, self._bias(source, scales, None)], [output],
            stride_h=1, stride_w=1, padding="VALID", depth_multiplier=1,
        )  # fmt: skip
        return output

    def build(self, *outputs):
        if self.first:
            init = self.builder.subgraph("init")
            for name, (shape, value) in self.first.items():
                data = init.tensor(
                    shape, "int8", np.full(shape, value), scale=0.05, zero_point=-128
                )
                init.operator("ASSIGN_VARIABLE", [self.handle(name, init), data], [])
            self.builder.operator("CALL_ONCE", [], [], init_subgraph_index=1)
            operators = self.builder.main.table.operators
            operators.insert(0, operators.pop())
        return super().build(*outputs)


def add(name, model, operators, **options):
    options = {"paths": PATHS, "runs": 6, "repeat": "none", "slices": (1,), **options}
    cases.add(name, model, **options)
    cases.add(name + ", with resets", model, **{**options, "reset": True})
    expected[name] = operators


# A window over the input, which is copied, and a window over a layer's output, which is in place.
def streaming(name, first=-128, **options):
    net = Stream(name, (3, 3, 8))
    x = net.window(net.inputs[0], 2, "a", first)
    x = net.conv(x, 8, 3, 3, padding="VALID", scale=0.05)
    x = net.window(x, 4, "b", first, **options)
    y = net.conv(x, 4)
    return net, x, y


# Remaining operators if both windows become ring buffers, and if only one does.
KEPT = 3 * ["ASSIGN_VARIABLE"] + 2 * ["CONV_2D"]
HALF = [*KEPT, "READ_VARIABLE", "VAR_HANDLE"]
COLUMNS = 2 * ["DEPTHWISE_CONV_2D"]
PAIR = ["VAR_HANDLE", "READ_VARIABLE", "ASSIGN_VARIABLE"]

net, _, y = streaming("windows")
add("windows", net.build(y), KEPT)
net, _, y = streaming("no CALL_ONCE", None)
add("no CALL_ONCE", net.build(y), KEPT)
net, _, y = streaming("other values at first", 3)
stay = ["CALL_ONCE", "CONCATENATION", "CONV_2D", "CONV_2D", *PAIR, *PAIR]
add("other values at first", net.build(y), stay)

# Windows that do not change: an output of the model, with the new rows first, with another end,
# and with a variable that is read twice.
net, x, y = streaming("an output")
add("an output", net.build(x, y), HALF)
net, _, y = streaming("new rows first", order=-1)
add("new rows first", net.build(y), HALF)
net = Stream("another end", (2, 2, 4))
x = net.conv(net.inputs[0], 4, scale=0.05)
kept = net.slice_rows(net.concatenation([x, x], 1), 0, 3)
y = net.conv(net.window(x, 3, "a", kept=kept), 4)
add("another end", net.build(y), ["CONCATENATION", "CONV_2D", "CONV_2D", *PAIR])
net = Stream("read twice", (1, 2, 4))
x = net.conv(net.inputs[0], 4, scale=0.05)
y = net.window(x, 3, "a")
z = net.tensor((1, 3, 2, 4))
net.builder.operator("READ_VARIABLE", [net.handle("a")], [z])
stay = [*PAIR, "CONV_2D", "CONV_2D", "CONV_2D", "READ_VARIABLE", "VAR_HANDLE"]
add("read twice", net.build(net.conv(y, 4), net.conv(z, 4)), stay)


# Variables that hold a whole window: over the input, and over a layer's output that a dense layer
# reads as one row. Then a variable with rows after the window, and a window whose end is an
# output.
net = Stream("shifted", (1, 3, 8))
x = net.conv(net.shifted(net.inputs[0], 3, "a"), 8, 3, 3, scale=0.05)
x = net.shifted(x, 4, "b")
y = net.dense(net.reshape(x, (1, int(np.prod(net.shapes[x])))), 5)
add("shifted", net.build(y), [*KEPT[:3], "CONV_2D", "FULLY_CONNECTED"])
net = Stream("rows after", (1, 2, 4))
y = net.conv(net.shifted(net.conv(net.inputs[0], 4, scale=0.05), 3, "a", more=1), 4)
add(
    "rows after",
    net.build(y),
    ["CONCATENATION", "CONV_2D", "CONV_2D", "PAD", *PAIR, "STRIDED_SLICE"],
)
net = Stream("kept is an output", (1, 2, 4))
x, kept = net.shifted(net.conv(net.inputs[0], 4, scale=0.05), 3, "a", look=True)
add("kept is an output", net.build(net.conv(x, 4), kept), ["CONCATENATION", *KEPT[3:], *PAIR])


# Filters of several lengths read the last rows of groups of a window's channels. other: a group is
# also an output.
def channel_groups(name, other=False):
    net = Stream(name, (1, 1, 8))
    x = net.window(net.conv(net.inputs[0], 8, scale=0.05), 4, "a")
    one, two = net.split(x, 3, 2)
    one = net.slice_rows(one, -3, 0)
    joined = net.concatenation([net.column(one), net.column(two)], 3)
    return net.build(*([one] if other else []), net.conv(joined, 4))


add(
    "channel groups",
    channel_groups("channel groups"),
    ["ASSIGN_VARIABLE", "CONV_2D", "CONV_2D", *COLUMNS],
)
stay = ["ASSIGN_VARIABLE", "CONV_2D", "CONV_2D", *COLUMNS, "SPLIT", "STRIDED_SLICE"]
add("a group is an output", channel_groups("a group is an output", True), stay)


@cases.parametrize
def test_results(case):
    case.check()


@pytest.mark.parametrize("name", expected)
def test_operators(name):
    case = next(case for case in cases if case.name == name)
    graph, _ = optimized_model(case.build(), passes=passes_without())
    operators = [op_name(node.builtin_code) for node in graph.running()[0].nodes]
    assert sorted(operators) == sorted(expected[name])


def test_without():
    net, _, y = streaming("windows")
    graph, found = optimized_model(net.build(y), passes=passes_without(("ring-buffers",)))
    assert not [saving for saving in found if saving.what == "ring_buffers"]
    assert any(op_name(node.builtin_code) == "CALL_ONCE" for node in graph.running()[0].nodes)
