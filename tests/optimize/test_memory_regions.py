# Tests of graphs in bands: branches that join again, tensors with several readers
# MIT license; Copyright (c) 2026 the tflm authors

import pytest
from optimize.banded_models import all_edges, all_paths, banded_model, differences_from_tflm
from optimize.network import Network
from support.inputs import generator
from tflm.tflite.reader import TfliteModel
from tflm_tools.bands import band_op
from tflm_tools.bands.channel_groups import with_tensors
from tflm_tools.bands.operators.pool_rows import LAYOUTS
from tflm_tools.bands.region import RegionFinder
from tflm_tools.model.graph import Graph
from tflm_tools.optimize.memory.node_costs import NodeCostTable
from tflm_tools.optimize.memory.search.edges import ModelEdges
from tflm_tools.optimize.memory.search.shortest_path import PlanSearch

COUNT = 20


class GraphBuilder:
    """A random graph of int8 operators, all of which the last one needs."""

    def __init__(self, name, head=False, decoder=False):
        self.random = generator(name)
        width = self.pick(4, 6, 8)
        shape = self.pick((16, width, 4), (21, width, 8), (1, 24, 8), (13, width, 3))
        self.net = Network(name, shape)
        self.now, self.count = self.net.inputs[0], 0
        for _ in range(int(self.random.integers(1, 4))):
            self.pick(self.residual, self.strided, self.joined, self.plain)()
        if decoder:
            self.decoder()
        if head:
            self.head()

    def pick(self, *choices):
        return choices[int(self.random.integers(len(choices)))]

    def add(self, number, operators=1):
        self.now = number
        self.count += operators

    def conv(self, source, filters=None, stride=1, size=None):
        self.count += 1
        filters = filters or self.pick(4, 8)
        return self.net.conv(source, filters, size or self.pick(1, 3), stride)

    def depth(self):
        return self.net.shapes[self.now][3]

    def plain(self):
        if self.depth() % 4:
            return self.add(self.conv(self.now, 4), 0)
        kind = self.pick("depthwise", "MAX_POOL_2D", "ADD", "LOGISTIC")
        if kind == "depthwise":
            self.add(self.net.depthwise(self.now, 3, self.pick(1, 2)))
        elif kind == "ADD":  # of a batch normalization
            shape = self.pick((self.depth(),), (1, 1, 1, self.depth()), (1,))
            values = self.random.integers(-128, 128, shape)
            constant = self.net.tensor(shape, 0.03, 5, values)
            self.add(self.net.binary(self.pick("ADD", "MUL", "SUB"), self.now, constant))
        elif kind == "LOGISTIC":
            self.add(self.net.unary(kind, self.now, 1 / 256, -128))
        else:
            self.add(self.net.pool(kind, self.now, self.pick(1, 2), padding="SAME"))

    def residual(self):
        first = self.now
        inner = self.conv(self.conv(first), self.depth(), size=3)
        self.add(self.net.binary("ADD", *self.pick((first, inner), (inner, first))))

    # An encoder and a decoder with a skip connection.
    def decoder(self):
        first = self.now
        _, height, width, depth = self.net.shapes[first]
        if depth % 4 or height % 2 or width % 2:
            return
        inner = self.conv(first, 8, 2, 3)
        if self.pick(True, False):
            half = bool(self.random.integers(2))
            self.add(self.net.enlarged(inner, half_pixel_centers=half))
        else:
            self.add(self.net.transposed(inner, 4, self.pick(2, 3, 4)))
        quantization = {self.net.quantization[tensor] for tensor in (first, self.now)}
        if len(quantization) == 1:
            self.add(self.net.concatenation([self.now, first], 3))
        self.add(self.conv(self.now, 4, size=3), 0)

    # The end of many networks: one value of each channel, computed from all rows.
    def head(self):
        kind = self.pick("AVERAGE_POOL_2D", "MAX_POOL_2D", "MEAN", "SUM")
        batch, height, width, depth = self.net.shapes[self.now]
        if kind in ("MEAN", "SUM"):
            axes, keep = [self.net.constant([1, 2])], bool(self.random.integers(2))
            shape = (1, 1, 1, depth) if keep else (1, depth)
            scale = 0.02 if kind == "MEAN" else 0.3
            self.add(self.net.unary(kind, self.now, scale, -60, shape, axes, keep_dims=keep))
        else:
            options = {"filter_height": height, "filter_width": width, "padding": "VALID"}
            options.update(stride_h=height, stride_w=width)
            self.add(self.net.unary(kind, self.now, shape=(1, 1, 1, depth), **options))

    # A residual block with a shortcut by a strided 1x1 convolution.
    def strided(self):
        first = self.now
        stride = self.pick(1, 2)
        inner = self.conv(self.conv(first, 8, stride, 3), 8, 1, 3)
        shortcut = self.conv(first, 8, stride, 1)
        self.add(self.net.binary("ADD", inner, shortcut))

    def joined(self):
        first = self.now
        joined = [self.conv(first, 4), self.conv(self.conv(first, 8), 4)]
        quantization = {self.net.quantization[tensor] for tensor in (first, *joined)}
        if len(quantization) == 1:
            joined.insert(self.pick(0, 1), first)
        self.add(self.net.concatenation(joined, 3))


# [(height, pacing operator)] of all schedules of a graph as a whole.
def band_heights(model, rows):
    subgraph = Graph(TfliteModel(model)).running()[0]
    region = RegionFinder(subgraph).region(0, len(subgraph.nodes))
    return (region.band_heights(range(1, rows)) if region else []) or [(1, None)]


# Random graphs that run in bands: [(name, .tflite, flat model, RomStorage)].
def random_graphs(target, count=COUNT):
    models, number = [], 0
    while len(models) < count:
        number += 1
        name = f"graph {number}"
        graph = GraphBuilder(name, number % 2, number % 3)
        rows = max(graph.net.shapes[graph.net.inputs[0]][1:3])
        if graph.count < 3:
            continue
        model = graph.net.build(graph.now)
        height = graph.pick(*band_heights(model, rows))
        chain = 0, graph.count - 1, *height, number // 2 % 2
        banded = banded_model(model, [chain], target, warm_up=number // 4 % 2)
        if banded is not None:
            models.append((name, model, *banded[:2]))
    return models


@pytest.mark.sampled(2)
@pytest.mark.parametrize("target", ["armv6m", None])
def test_random_graphs(target):
    models = random_graphs(target)
    in_bands = [any(r.kernel == band_op.KERNEL for r in each[3].records) for each in models]
    assert sum(in_bands) > COUNT * 0.8
    kernels = {record.kernel for each in models for record in each[3].records}
    expected = {kernel for kernel in LAYOUTS if kernel.startswith("pooling_rows.")}
    assert expected | {"strided_copy.eval", "transpose_conv.eval_int8"} <= kernels
    assert not differences_from_tflm([each[:3] for each in models])


# The search finds the plan that brute force finds, for any limit.
@pytest.mark.parametrize(("number", "head"), [(0, False), (4, False), (6, False), (0, True)])
def test_search_beside_brute_force(number, head):
    builder = GraphBuilder(f"search {number}", head)
    graph = Graph(TfliteModel(builder.net.build(builder.now)))
    search, edges = PlanSearch(graph), all_edges(ModelEdges(graph, NodeCostTable(graph)))
    count = len(search.nodes)
    arenas = sorted({max(e.arena for e in path) for path in all_paths(edges, 0, count)})
    assert 3 <= count <= 6 and len(arenas) > 3
    for limit in (arenas[0] - 1, *arenas):
        fitting = [edge for edge in edges if edge.arena <= limit]
        cycles = [sum(edge.cycles for edge in path) for path in all_paths(fitting, 0, count)]
        plan = search.within(limit)
        assert (plan and plan.cycles) == (min(cycles) if cycles else None)


# The lower bound of the arena for a number of cycles, before any Edge is examined.
@pytest.mark.parametrize(("number", "head"), [(0, False), (4, False), (6, False), (0, True)])
def test_min_arena_beside_brute_force(number, head):
    builder = GraphBuilder(f"search {number}", head)
    graph = Graph(TfliteModel(builder.net.build(builder.now)))
    edges = all_edges(ModelEdges(graph, NodeCostTable(graph)))
    plans = [
        (max(edge.arena for edge in path), sum(edge.cycles for edge in path))
        for path in all_paths(edges, 0, len(graph.running()[0].nodes))
    ]
    for max_cycles in sorted({cycles for _, cycles in plans})[:20]:
        needed = min(arena for arena, cycles in plans if cycles <= max_cycles)
        bound = PlanSearch(graph).min_arena(2 * needed, max_cycles, 4)
        assert needed / 4 < bound < needed + 4


# Nodes for some rows keep an activation that was folded into their operator.
def test_nodes_in_bands_keep_a_folded_activation():
    net = Network("folded", (8, 8, 4))
    node = Graph(TfliteModel(net.build(net.conv(net.inputs[0], 4, 3)))).running()[0].nodes[0]
    node.clamp = -100, 20
    assert with_tensors(node, node.inputs, node.outputs).clamp == (-100, 20)


def test_region_ends_at_a_tensor_that_others_read():
    net = Network("regions", (8, 8, 4))
    first = net.conv(net.inputs[0], 4, 3)
    second = net.conv(first, 4, 3)
    whole = net.unary("SOFTMAX", first, 1 / 256, -128, beta=1.0)
    third = net.binary("ADD", second, first)
    graph = Graph(TfliteModel(net.build(third, whole)))
    finder = RegionFinder(graph.running()[0])
    assert finder.region(0, 3) is None and finder.region(0, 4) is None  # SOFTMAX is not needed
    feature_maps = finder.region(0, 2).feature_maps.values()
    assert [each.is_internal for each in feature_maps] == [False] * 3
    assert [each.is_needed_after for each in feature_maps] == [False, True, True]
