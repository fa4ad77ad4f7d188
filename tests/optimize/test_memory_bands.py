# Tests of banded chains of random operators
# MIT license; Copyright (c) 2026 the tflm authors

from itertools import product

import numpy as np
import pytest
from optimize.banded_models import all_edges, banded_model, differences_from_tflm
from optimize.network import Network
from support.builder import ModelBuilder
from support.inputs import generator
from tflm.tflite.reader import TfliteModel
from tflm_tools.bands import band_op
from tflm_tools.model.graph import Graph
from tflm_tools.optimize.memory.node_costs import NodeCostTable
from tflm_tools.optimize.memory.search.edges import ModelEdges

COUNT = 40


# A side of an operator's output, or None if its window does not fit the input.
def output_side(size, window, stride, dilation, padding):
    if padding == "SAME":
        return -(-size // stride)
    return max(0, (size + stride - (window - 1) * dilation - 1) // stride) or None


class ChainBuilder:
    """A random chain of int8 operators with options that complicate bands."""

    def __init__(self, name, min_length=2, max_length=5):
        self.random = generator(name)
        self.model = ModelBuilder(name)
        sides = self.pick(9, 12, 17, 20), self.pick(4, 5, 8)
        self.shape = (1, *sides, self.pick(1, 3, 4, 8))
        self.input = self.tensor = self.model.tensor(self.shape, "int8", scale=0.05, zero_point=-4)
        self.length = 0
        for _ in range(int(self.random.integers(min_length, max_length, endpoint=True))):
            self.length += self.add()
        self.model.io([self.input], [self.tensor])

    def pick(self, *choices):
        return choices[int(self.random.integers(len(choices)))]

    # Add an operator if its windows fit; return 1 or 0.
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


# Random chains that can run in bands: [(name, .tflite, flat model, RomStorage)].
def random_chains(target, count=COUNT, prefix="chain"):
    models = []
    number = 0
    while len(models) < count:
        number += 1
        name = f"{prefix} {number}"
        builder = ChainBuilder(name)
        if builder.length < 2 or builder.shape[1] < 2:
            continue
        model = builder.model.build()
        max_height = max(1, builder.shape[1] // 2)
        height = int(builder.random.integers(1, max_height, endpoint=True))
        chain = 0, builder.length - 1, height, None, number % 2
        banded = banded_model(model, [chain], target, warm_up=number % 3 == 0)
        if banded is not None:  # kernels cannot read the rows of some chains
            models.append((name, model, *banded[:2]))
    return models


@pytest.mark.parametrize("target", [None, "armv6m"])
def test_random_chains(target):
    models = random_chains(target)
    in_bands = [any(r.kernel == band_op.KERNEL for r in each[3].records) for each in models]
    assert sum(in_bands) > COUNT // 2
    assert not differences_from_tflm([each[:3] for each in models])


# Rows of 13 and of 10 bytes, as sound features have them: bands begin at multiples of 4 bytes.
def test_rows_of_any_length():
    flat_models = []
    for number, (width, stride, size, before) in enumerate(
        product((10, 13), (1, 2), (2, 3, 4), (False, True))
    ):
        name = f"width {width} stride {stride} size {size} {before}"
        net = Network(name, (26, width, 1))
        source = net.unary("LOGISTIC", net.inputs[0], 1 / 256, -128) if before else net.inputs[0]
        pooled = net.pool("MAX_POOL_2D", net.conv(source, 4, size, stride), 2)
        model = net.build(net.conv(pooled, 3, 3))
        last = 3 if before else 2
        chains = [(0, last, height, None, number % 2) for height in (1, 2, 3)]
        banded = [banded_model(model, [chain]) for chain in chains]
        banded = [each for each in banded if each is not None]
        flat_models += [(f"{name} {k}", model, each[0]) for k, each in enumerate(banded)]
    assert len(flat_models) > 40
    assert not differences_from_tflm(flat_models)


# Pictures of one column, as sound features are. Unpadded windows of rows have a special kernel.
# All nodes of a slot must use the same kernel and weights, even if the last band is a single row.
@pytest.mark.sampled(3)
@pytest.mark.parametrize("target", ["armv6m", None, "mac16"])
@pytest.mark.parametrize("padding", ["SAME", "VALID"])
def test_windows_of_one_column(target, padding):
    flat_models, kernels = [], set()
    for size, stride, height in product((5, 9), (1, 2), (1, 2, 4)):
        rows = 33 * stride + (size - stride if padding == "VALID" else 0)
        net = Network(f"column {size} {stride} {padding}", (rows, 1, 8))
        now = net.conv(net.inputs[0], 16)
        now = net.depthwise(now, (size, 1), stride, padding)
        model = net.build(net.conv(now, 8))
        flat, storage, _ = banded_model(model, [(0, 2, height)], target)
        flat_models.append((f"size {size} stride {stride} height {height}", model, flat))
        kernels |= {record.kernel for record in storage.records}
        assert band_op.KERNEL in {record.kernel for record in storage.records}
        if height > 1:
            continue  # all_edges() includes all heights
        graph = Graph(TfliteModel(model))
        edges = all_edges(ModelEdges(graph, NodeCostTable(graph, target)))
        assert any(edge.first == 0 and edge.end == 3 and edge.schedule for edge in edges)
    has_column_kernel = target is not None and padding == "VALID"
    assert ("depthwise_column.eval_int8" in kernels) == has_column_kernel
    assert not differences_from_tflm(flat_models)
