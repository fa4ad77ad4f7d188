# Tests of graphs in bands of rows: branches that join again, what is read by more than one
# MIT license; Copyright (c) 2026 the tflm authors

import pytest
from optimize.forms import banded, every_edge, failures, ways
from optimize.graphs import Network
from support.inputs import generator
from tflm.tflite.reader import TfliteModel
from tflm_tools.arena import rolled
from tflm_tools.image.pool_rows import LAYOUTS
from tflm_tools.model.graph import Graph
from tflm_tools.optimize.memory.bands import copied
from tflm_tools.optimize.memory.edges import Edges
from tflm_tools.optimize.memory.probe import Probe
from tflm_tools.optimize.memory.regions import Regions
from tflm_tools.optimize.memory.search import Search

COUNT = 20


class GraphBuilder:
    """A random graph of operators on int8 whose last one needs all others."""

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
        elif kind == "ADD":  # what is left of a batch normalization
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

    # Half the rows, and as many again, beside what there was before.
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
        quantization = {self.net.quantization[part] for part in (first, self.now)}
        if len(quantization) == 1:
            self.add(self.net.concatenation([self.now, first], 3))
        self.add(self.conv(self.now, 4, size=3), 0)

    # What ends many networks: one value of each channel, made of all rows.
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

    # 1x1 with stride 2 beside 3x3.
    def strided(self):
        first = self.now
        stride = self.pick(1, 2)
        inner = self.conv(self.conv(first, 8, stride, 3), 8, 1, 3)
        beside = self.conv(first, 8, stride, 1)
        self.add(self.net.binary("ADD", inner, beside))

    def joined(self):
        first = self.now
        parts = [self.conv(first, 4), self.conv(self.conv(first, 8), 4)]
        quantization = {self.net.quantization[part] for part in (first, *parts)}
        if len(quantization) == 1:
            parts.insert(self.pick(0, 1), first)
        self.add(self.net.concatenation(parts, 3))


# (height, pace) of all bands of a graph as a whole.
def paces(model, rows):
    subgraph = Graph(TfliteModel(model)).running()[0]
    region = Regions(subgraph).region(0, len(subgraph.nodes))
    return (region.paces(range(1, rows)) if region else []) or [(1, None)]


def random_forms(target, count=COUNT):
    forms, number = [], 0
    while len(forms) < count:
        number += 1
        name = f"graph {number}"
        graph = GraphBuilder(name, number % 2, number % 3)
        rows = max(graph.net.shapes[graph.net.inputs[0]][1:3])
        if graph.count < 3:
            continue
        model = graph.net.build(graph.now)
        chain = 0, graph.count - 1, *graph.pick(*paces(model, rows)), number // 2 % 2
        made = banded(model, [chain], target, led=number // 4 % 2)
        if made is not None:
            forms.append((name, model, *made[:2]))
    return forms


@pytest.mark.parametrize("target", [None, "armv6m"])
def test_random_graphs(target):
    forms = random_forms(target)
    assert sum(any(r.kernel == rolled.KERNEL for r in f[3].records) for f in forms) > COUNT * 0.8
    kernels = {record.kernel for form in forms for record in form[3].records}
    wanted = {kernel for kernel in LAYOUTS if kernel.startswith("pooling_rows.")}
    assert wanted | {"strided_copy.eval", "transpose_conv.eval_int8"} <= kernels
    assert not failures([form[:3] for form in forms])


# Whatever the limit: the search finds what trying everything finds.
@pytest.mark.parametrize(("number", "head"), [(0, False), (4, False), (6, False), (0, True)])
def test_search_beside_brute_force(number, head):
    builder = GraphBuilder(f"search {number}", head)
    graph = Graph(TfliteModel(builder.net.build(builder.now)))
    search, edges = Search(graph), every_edge(Edges(graph, Probe(graph)))
    count = len(search.nodes)
    needs = sorted({max(e.arena for e in way) for way in ways(edges, 0, count)})
    assert 3 <= count <= 6 and len(needs) > 3
    for limit in (needs[0] - 1, *needs):
        costs = [
            sum(edge.cycles for edge in way)
            for way in ways([e for e in edges if e.arena <= limit], 0, count)
        ]
        found = search.within(limit)
        assert (found and found.cycles) == (min(costs) if costs else None)


# What is known before anything has been looked at is never more than what there is.
@pytest.mark.parametrize(("number", "head"), [(0, False), (4, False), (6, False), (0, True)])
def test_least_beside_brute_force(number, head):
    builder = GraphBuilder(f"search {number}", head)
    graph = Graph(TfliteModel(builder.net.build(builder.now)))
    edges = every_edge(Edges(graph, Probe(graph)))
    found = [
        (max(edge.arena for edge in way), sum(edge.cycles for edge in way))
        for way in ways(edges, 0, len(graph.running()[0].nodes))
    ]
    for cycles in sorted({cycles for _, cycles in found})[:20]:
        needed = min(arena for arena, its in found if its <= cycles)
        least = Search(graph).least(2 * needed, cycles, 4)
        assert needed / 3 < least < needed + 4


# An activation that went into the operator before it is one of each of its parts, too.
def test_parts_keep_a_folded_activation():
    net = Network("folded", (8, 8, 4))
    node = Graph(TfliteModel(net.build(net.conv(net.inputs[0], 4, 3)))).running()[0].nodes[0]
    node.clamp = -100, 20
    assert copied(node, node.inputs, node.outputs).clamp == (-100, 20)


def test_regions_end_where_others_look():
    net = Network("regions", (8, 8, 4))
    first = net.conv(net.inputs[0], 4, 3)
    second = net.conv(first, 4, 3)
    whole = net.unary("SOFTMAX", first, 1 / 256, -128, beta=1.0)
    third = net.binary("ADD", second, first)
    graph = Graph(TfliteModel(net.build(third, whole)))
    regions = Regions(graph.running()[0])
    assert regions.region(0, 3) is None and regions.region(0, 4) is None  # SOFTMAX needs all
    found = regions.region(0, 2)
    stays = [value.stays for value in found.values.values()]
    assert [value.inside for value in found.values.values()] == [False] * 3
    assert stays == [False, True, True]
