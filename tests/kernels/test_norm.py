# Tests of the pass norm: RMS norms and layer norms become one step
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
import pytest
from support.builder import ModelBuilder
from support.check import Cases
from support.inputs import generator
from tflm.introspection.op_names import name as op_name
from tflm_tools.flat.flatten import optimized_model
from tflm_tools.optimize.passes import passes_without

PATHS = ("saved", "saved armv6m", "tflite")
cases = Cases()
steps = {}  # name of a case: (model, inputs, whether the norm becomes one step)


class Norm:
    """A model that normalizes rows. change: what differs from the pattern."""

    def __init__(self, variant, shape=(2, 3, 8), dtype="float32", change="", epsilon=1e-6):
        self.builder, self.dtype, self.change = ModelBuilder("norm"), dtype, change
        self.random = generator(f"{variant} {shape} {dtype} {change}")
        self.shape, self.single, self.epsilon = shape, (*shape[:-1], 1), epsilon
        self.seen = []
        x = self.tensor(shape, (0.05, 10))
        output = getattr(self, "_" + variant)(x)
        self.builder.io([x], [output, *self.seen])

    def tensor(self, shape, scale=(0.05, -128), data=None):
        if self.dtype == "float32":
            return self.builder.tensor(shape, "float32", data)
        scale, zero_point = scale
        return self.builder.tensor(shape, "int8", data, scale=scale, zero_point=zero_point)

    def add(self, name, inputs, shape=None, scale=(0.05, -128), **options):
        output = self.tensor(shape or self.shape, scale)
        self.builder.operator(name, inputs, [output], **options)
        return output

    def number(self, value, scale=(1 / 127, 0)):
        return self.tensor((1,), scale, [value if self.dtype == "float32" else 1])

    def row(self, scale=(0.01, 5)):
        if self.dtype == "int8":
            return self.tensor(
                self.shape[-1:], scale, self.random.integers(-128, 128, self.shape[-1])
            )
        return self.tensor(self.shape[-1:], data=self.random.normal(1, 1, self.shape[-1]))

    def mean(self, x, name="MEAN", scale=(0.05, -128)):
        axis = 1 if self.change == "axis" else -1
        shape = tuple(1 if i == axis % len(self.shape) else n for i, n in enumerate(self.shape))
        axes = self.builder.tensor((1,), "int32", [axis])
        return self.add(name, [x, axes], shape, scale, keep_dims=True)

    def root(self, mean):
        shape = self.builder.main.table.tensors[mean].shape
        added = self.add("ADD", [mean, self.number(self.epsilon)], shape)
        if self.change == "output":
            self.seen.append(added)
        return self.add("RSQRT", [added], shape, (0.03, -128))

    def _rms(self, x, weights=True):
        options = {"fused_activation_function": "RELU6"} if self.change == "limits" else {}
        other = self.add("MUL", [x, self.row()]) if self.change == "factor" else x
        squares = self.add("MUL", [other, x], scale=(0.3, -128), **options)
        root = self.root(self.mean(squares, scale=(0.2, -128)))
        y = self.add("MUL", [x, root], scale=(0.02, 3))
        options = {"fused_activation_function": "RELU"} if self.change == "activation" else {}
        return self.add("MUL", [self.row(), y], scale=(0.02, -7), **options) if weights else y

    def _plain(self, x):
        return self._rms(x, weights=False)

    # LlamaRMSNorm of PyTorch, with MUL by a number before.
    def _square(self, x):
        root = self.root(self.mean(self.add("SQUARE", [x])))
        return self.add("MUL", [self.row(), self.add("MUL", [root, x])])

    # LayerNorm of PyTorch.
    def _torch(self, x):
        centered = self.add("SUB", [x, self.mean(x)])
        root = self.root(self.mean(self.add("MUL", [centered, centered])))
        y = self.add("MUL", [self.add("MUL", [centered, root]), self.row()])
        return self.add("ADD", [y, self.row()])

    # LayerNormalization of Keras.
    def _keras(self, x):
        mean = self.mean(x)
        root = self.root(self.mean(self.add("SQUARED_DIFFERENCE", [x, mean])))
        root = self.add("MUL", [root, self.row()])
        shift = self.add("SUB", [self.row(), self.add("MUL", [mean, root])])
        return self.add("ADD", [self.add("MUL", [x, root]), shift])

    # Keras 3: the mean is negated.
    def _negated(self, x):
        mean = self.mean(x)
        root = self.root(self.mean(self.add("SQUARED_DIFFERENCE", [x, mean])))
        shift = self.add("MUL", [self.add("NEG", [mean], self.single), root], self.single)
        return self.add("ADD", [self.add("MUL", [x, root]), shift])

    # The layer norm of DTLN.
    def _divided(self, x):
        centered = self.add("SUB", [x, self.mean(x)])
        variance = self.mean(self.add("SQUARE", [centered]))
        deviation = self.add("ADD", [variance, self.number(self.epsilon)], self.single)
        deviation = self.add("SQRT", [deviation], self.single)
        y = self.add("MUL", [self.add("DIV", [centered, deviation]), self.row()])
        return self.add("ADD", [y, self.row()])

    # The sum of squares, a residual connection, and a reader of the squares.
    def _residual(self, x):
        squares = self.add("MUL", [x, x])
        root = self.add("RSQRT", [self.mean(squares, "SUM")], self.single)
        return self.add("ADD", [self.add("MUL", [x, root]), self.add("MUL", [squares, x])])

    def inputs(self, runs=4):
        """Return the inputs of runs: typical rows, and rows of numbers that overflow."""
        shape = self.shape
        if self.dtype == "int8":
            low = 100 if self.change == "high" else -128
            found = [self.random.integers(low, 128, shape) for _ in range(runs)]
            return [
                [x]
                for x in [*found, np.full(shape, 127), np.full(shape, 10), np.full(shape, -128)]
            ]
        found = [self.random.normal(i % 2, 10.0**i, shape) for i in range(-2, runs)]
        for values in (
            [1e30],
            [3e38, -3e38],
            [np.inf, 1],
            [np.nan, 2],
            [1e-30],
            [0.0, -0.0],
            [2e19],
        ):
            row = self.random.normal(0, 1, shape)
            row[..., :3] = np.resize(values, min(3, shape[-1]))
            found += [row, np.resize(np.array(values), shape)]
        return [[x.astype("f")] for x in found]


def add(name, variant, is_step=True, **options):
    model = Norm(variant, **options)
    data, inputs = model.builder.build(), model.inputs()
    cases.add(name, data, inputs, paths=PATHS)
    steps[name] = data, inputs, is_step


for dtype in ("int8", "float32"):
    add(f"rms {dtype}", "rms", dtype=dtype)
    add(f"rms {dtype}, one row", "rms", dtype=dtype, shape=(64,))
    add(f"rms {dtype}, two channels", "rms", dtype=dtype, shape=(1, 5, 2))
    add(f"rms {dtype}, no weights", "plain", dtype=dtype, shape=(1, 1, 1, 7))
    for change in ("activation", "axis", "factor", "output"):
        is_step = change == "activation"
        add(f"rms {dtype}: {change}", "rms", is_step, dtype=dtype, change=change)
add("rms int8: limits", "rms", dtype="int8", change="limits")
add("rms int8: high values", "rms", dtype="int8", change="high")
add("rms int8: long", "rms", dtype="int8", shape=(1, 300))
add("rms float32: limits", "rms", False, change="limits")
add("rms float32: no epsilon", "rms", epsilon=0.0)
for variant in ("square", "torch", "keras", "negated", "divided", "residual"):
    add(f"{variant} float32", variant)
    add(f"{variant} float32, one row", variant, shape=(1, 1, 33))


@cases.parametrize
def test_results(case):
    case.check()


@pytest.mark.parametrize("name", steps)
def test_operators(name):
    data, _, is_step = steps[name]
    graph, savings = optimized_model(data, passes=passes_without())
    operators = [op_name(node.builtin_code) for node in graph.running()[0].nodes]
    assert any(saving.what == "norm" for saving in savings) == is_step
    assert operators.count("L2_NORMALIZATION") == int(is_step)
    assert not is_step or "MEAN" not in operators
