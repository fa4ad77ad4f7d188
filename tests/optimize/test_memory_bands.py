# Tests of chains of operators in bands of rows
# MIT license; Copyright (c) 2026 the tflm authors

from itertools import product

import numpy as np
import pytest
from optimize.forms import banded, every_edge, failures
from optimize.graphs import Network
from support.builder import ModelBuilder
from support.inputs import generator
from tflm.tflite.reader import TfliteModel
from tflm_tools.arena import rolled
from tflm_tools.model.graph import Graph
from tflm_tools.optimize.memory.edges import Edges
from tflm_tools.optimize.memory.probe import Probe

COUNT = 40


# The sides of what an operator makes, or None where the window does not fit.
def output_side(size, window, stride, dilation, padding):
    if padding == "SAME":
        return -(-size // stride)
    return max(0, (size + stride - (window - 1) * dilation - 1) // stride) or None


class ChainBuilder:
    """A random chain of operators on int8, each with the options that make trouble."""

    def __init__(self, name, least=2, most=5):
        self.random = generator(name)
        self.model = ModelBuilder(name)
        sides = self.pick(9, 12, 17, 20), self.pick(4, 5, 8)
        self.shape = (1, *sides, self.pick(1, 3, 4, 8))
        self.input = self.tensor = self.model.tensor(self.shape, "int8", scale=0.05, zero_point=-4)
        self.length = 0
        for _ in range(int(self.random.integers(least, most, endpoint=True))):
            self.length += self.add()
        self.model.io([self.input], [self.tensor])

    def pick(self, *choices):
        return choices[int(self.random.integers(len(choices)))]

    # One more operator, when its windows fit; 1 or 0.
    def add(self):
        kind = self.pick("CONV_2D", "CONV_2D", "DEPTHWISE_CONV_2D", "DEPTHWISE_CONV_2D",
                         "AVERAGE_POOL_2D", "MAX_POOL_2D", "LOGISTIC")  # fmt: skip
        if kind == "LOGISTIC":
            return self.output(kind, [self.tensor], self.shape, 1 / 256, -128)
        window = self.pick((1, 1), (3, 3), (3, 2), (5, 3), (2, 2), (4, 1))
        stride = self.pick((1, 1), (1, 1), (2, 2), (3, 1), (2, 1))
        dilation = (1, 1)
        if kind.endswith("CONV_2D") and stride == (1, 1):
            dilation = self.pick((1, 1), (1, 1), (2, 1))
        padding = self.pick("SAME", "SAME", "VALID")
        sides = [
            output_side(self.shape[1 + i], window[i], stride[i], dilation[i], padding)
            for i in (0, 1)
        ]
        if None in sides or (padding == "SAME" and window[0] > self.shape[1] + 2):
            return 0
        options = {"stride_h": stride[0], "stride_w": stride[1], "padding": padding}
        depth = self.shape[3]
        if kind.endswith("POOL_2D"):
            options.update(filter_height=window[0], filter_width=window[1])
            return self.output(kind, [self.tensor], (1, *sides, depth), None, None, **options)
        options.update(dilation_h_factor=dilation[0], dilation_w_factor=dilation[1])
        count = depth * self.pick(1, 1, 2) if kind != "CONV_2D" else self.pick(1, 3, 4, 8)
        shape = (count, *window, depth)
        taps = depth * window[0] * window[1]
        if kind != "CONV_2D":
            shape, taps = (1, *window, count), window[0] * window[1]
            options["depth_multiplier"] = count // depth
        scales = 2.0 ** self.random.uniform(-1, 1, count) * 0.02
        weights = self.model.tensor(
            shape, "int8", self.random.integers(-127, 127, shape, endpoint=True),
            scale=scales, zero_point=0, quantized_dimension=0 if kind == "CONV_2D" else 3,
        )  # fmt: skip
        bias = self.model.tensor(
            (count,), "int32", self.random.integers(-3000, 3000, count),
            scale=scales * 0.05, zero_point=0,
        )  # fmt: skip
        gain = 0.05 * np.sqrt(taps)
        return self.output(
            kind, [self.tensor, weights, bias], (1, *sides, count), gain,
            int(self.random.integers(-20, 20)), **options,
        )  # fmt: skip

    def output(self, kind, inputs, shape, scale, zero_point, **options):
        if scale is None:
            scale, zero_point = self.quantization
        self.quantization = scale, zero_point
        self.shape = shape
        self.tensor = self.model.tensor(shape, "int8", scale=scale, zero_point=zero_point)
        self.model.operator(kind, inputs, [self.tensor], **options)
        return 1

    quantization = (0.05, -4)


# Random chains that can run in bands: (name, .tflite, flat model, RomStorage).
def random_forms(target, count=COUNT, prefix="chain"):
    forms = []
    number = 0
    while len(forms) < count:
        number += 1
        name = f"{prefix} {number}"
        chain = ChainBuilder(name)
        if chain.length < 2 or chain.shape[1] < 2:
            continue
        model = chain.model.build()
        height = int(chain.random.integers(1, max(1, chain.shape[1] // 2), endpoint=True))
        way = 0, chain.length - 1, height, None, number % 2
        made = banded(model, [way], target, led=number % 3 == 0)
        if made is not None:  # not every chain can: rows may not begin at words
            forms.append((name, model, *made[:2]))
    return forms


@pytest.mark.parametrize("target", [None, "armv6m"])
def test_random_chains(target):
    forms = random_forms(target)
    assert sum(any(r.kernel == rolled.KERNEL for r in f[3].records) for f in forms) > COUNT // 2
    assert not failures([form[:3] for form in forms])


# Rows of 13 and of 10 bytes, as features of sound have: bands begin where these are at words.
def test_rows_of_any_length():
    forms = []
    for number, (width, stride, size, before) in enumerate(
        product((10, 13), (1, 2), (2, 3, 4), (False, True))
    ):
        name = f"width {width} stride {stride} size {size} {before}"
        net = Network(name, (26, width, 1))
        source = net.unary("LOGISTIC", net.inputs[0], 1 / 256, -128) if before else net.inputs[0]
        made = net.pool("MAX_POOL_2D", net.conv(source, 4, size, stride), 2)
        model = net.build(net.conv(made, 3, 3))
        last = 3 if before else 2
        ways = [(0, last, height, None, number % 2) for height in (1, 2, 3)]
        flats = [found for found in (banded(model, [way]) for way in ways) if found is not None]
        assert flats or name
        forms += [(f"{name} {k}", model, flat[0]) for k, flat in enumerate(flats)]
    assert len(forms) > 40
    assert not failures(forms)


# Pictures of one column, as features of sound are: windows of rows that lie in the picture have a
# kernel of their own where none of them is padded, and what runs at a place in bands shares one:
# with weights for odd rows, too, where the last band is a single row.
@pytest.mark.parametrize("target", [None, "armv6m", "mac16"])
@pytest.mark.parametrize("padding", ["SAME", "VALID"])
def test_windows_of_one_column(target, padding):
    forms, kernels = [], set()
    for size, stride, height in product((5, 9), (1, 2), (1, 2, 4)):
        rows = 33 * stride + (size - stride if padding == "VALID" else 0)
        net = Network(f"column {size} {stride} {padding}", (rows, 1, 8))
        made = net.conv(net.inputs[0], 16)
        made = net.depthwise(made, (size, 1), stride, padding)
        model = net.build(net.conv(made, 8))
        made = banded(model, [(0, 2, height)], target)
        forms.append((f"size {size} stride {stride} height {height}", model, made[0]))
        kernels |= {record.kernel for record in made[1].records}
        assert rolled.KERNEL in {record.kernel for record in made[1].records}
        if height > 1:
            continue  # of the same model all edges are known
        graph = Graph(TfliteModel(model))
        edges = every_edge(Edges(graph, Probe(graph, target)))
        assert any(edge.first == 0 and edge.last == 3 and edge.progress for edge in edges)
    is_column = target is not None and padding == "VALID"
    assert ("depthwise_column.eval_int8" in kernels) == is_column
    assert not failures(forms)
