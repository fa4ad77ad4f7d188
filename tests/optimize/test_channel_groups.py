# Tests of bands that make rows anew, and of groups of channels: inverted residuals
# MIT license; Copyright (c) 2026 the tflm authors

import pytest
from optimize.forms import banded, every_edge, every_way, failures, ways
from optimize.graphs import Network
from support.inputs import generator
from tflm.tflite.reader import TfliteModel
from tflm_tools.model.graph import Graph
from tflm_tools.model.schema import BuiltinOperator
from tflm_tools.optimize.memory.edges import Edges
from tflm_tools.optimize.memory.peaks import peak
from tflm_tools.optimize.memory.probe import Probe
from tflm_tools.optimize.memory.progress import Progress
from tflm_tools.optimize.memory.regions import Regions
from tflm_tools.optimize.memory.search import Search

COUNT = 12


class Inverted:
    """Random blocks of MobileNetV2: what expands, a depthwise convolution, what projects."""

    def __init__(self, name, blocks=None):
        self.random = generator(f"groups {name}")
        shape = self.pick((14, 6, 4), (11, 8, 8), (1, 22, 8), (17, 4, 4))
        self.net = Network(f"groups {name}", shape)
        now, self.count = self.net.inputs[0], 0
        if blocks is None and self.pick(True, False):
            now = self.did(self.net.conv(now, 8, 3, self.pick(1, 2)))
        for _ in range(blocks or self.pick(1, 2)):
            now = self.block(now)
        self.model = self.net.build(now)

    def pick(self, *choices):
        return choices[int(self.random.integers(len(choices)))]

    def did(self, number):
        self.count += 1
        return number

    def block(self, source):
        depth, flat = self.net.shapes[source][3], self.net.shapes[source][1] == 1
        # Of 12 to 32 channels 3 to 8 groups.
        channels = self.pick(12, 16, 20, 32)
        size, stride = (3, self.pick(1, 2)) if flat else (self.pick(3, 5), self.pick(1, 2))
        inner = self.did(self.net.conv(source, channels))
        inner = self.did(self.net.depthwise(inner, size, stride))
        filters = depth if stride == 1 else self.pick(4, 8)
        last = self.net.conv(inner, filters, scale=0.05, zero_point=-3, activation="NONE")
        self.did(last)
        if self.net.shapes[last] != self.net.shapes[source]:
            return last
        return self.did(self.net.binary("ADD", source, last, 0.05, -3))

    # [(first, last, height, place of the pace, apart, anew)], for each way to make rows anew.
    def chains(self):
        region = Regions(Graph(TfliteModel(self.model)).running()[0]).region(0, self.count)
        for anew in region.anew():
            paces = region.paces((1, 2, 3))
            yield 0, self.count - 1, *self.pick(*paces), self.pick(False, True), anew


@pytest.mark.parametrize("target", (None, "armv6m"))
def test_outputs(target):
    forms, kinds = [], set()
    for number in range(COUNT):
        builder = Inverted(number)
        for chain in builder.chains():
            found = banded(builder.model, [chain], target)
            if found is None:  # rows that begin at no word
                continue
            flat, storage, graph = found
            kinds.add(max(chain[-1].values()))
            forms.append((f"{number}: {chain}", builder.model, flat))
            region = Regions(Graph(TfliteModel(builder.model)).running()[0]).region(
                0, builder.count
            )
            least = peak(Progress(region, *chain[2:]), lambda _place, _rows: 0)
            assert least <= storage.head_bytes
    assert {1, 3, 8} <= kinds and len(forms) > COUNT
    assert failures(forms) == []


# Each weight is in the file once, and what a group needs beside it.
def test_constants():
    builder = Inverted("constants", blocks=1)
    sizes = {}
    for chain in [(0, builder.count - 1, 1), *builder.chains()]:
        _, storage, graph = banded(builder.model, [chain])
        sizes[max(dict(*chain[5:]).values(), default=0)] = len(storage.constants)
        nodes = [node.builtin_code for node in graph.running()[0].nodes]
        assert (BuiltinOperator.CONCATENATION in nodes) == (max(sizes) > 1)
    assert set(sizes) >= {0, 1} and max(sizes) > 1
    assert all(size - sizes[0] <= 40 * groups for groups, size in sizes.items())


# What an edge needs is never less than was known before it was looked at closely, and than what
# looks say that stop earlier.
def test_least_values():
    seen = 0
    for number in range(4):
        graph = Graph(TfliteModel(Inverted(f"least {number}", blocks=1).model))
        edges = Edges(graph, Probe(graph))
        for edge in every_way(edges, 0, 3):
            least = [(edge.arena, edge.is_sure)]
            for limit in (0, 0, 1 << 50):
                edges.look_at(edge, limit)
                least.append((edge.arena, edge.is_sure))
            if edge.arena < 1 << 30:
                assert least[0] <= least[1] and max(least) == least[-1]
                assert [is_sure for _, is_sure in least] == [False, False, False, True]
                seen += bool(edge.progress.anew)
    assert seen > 20


@pytest.mark.parametrize("number", range(3))
def test_search_beside_brute_force(number):
    graph = Graph(TfliteModel(Inverted(f"search {number}", blocks=1).model))
    search, edges = Search(graph), every_edge(Edges(graph, Probe(graph)))
    count = len(search.nodes)
    found = list(ways(edges, 0, count))
    needs = sorted({max(e.arena for e in way) for way in found})
    assert any(edge.progress and edge.progress.anew for way in found for edge in way)
    for limit in (needs[0] - 1, *needs):
        costs = [sum(e.cycles for e in w) for w in found if max(e.arena for e in w) <= limit]
        fusion = search.within(limit)
        assert (fusion and fusion.cycles) == (min(costs) if costs else None)
