# Tests of bands that recompute rows, and of channel groups: inverted residuals
# MIT license; Copyright (c) 2026 the tflm authors

import pytest
from optimize.banded_models import (
    all_candidates,
    all_edges,
    all_paths,
    banded_model,
    differences_from_tflm,
)
from optimize.network import Network
from support.inputs import generator
from tflm.tflite.reader import TfliteModel
from tflm_tools.bands.band_schedule import BandSchedule
from tflm_tools.bands.peak_memory import peak_bytes
from tflm_tools.bands.region import RegionFinder
from tflm_tools.model.graph import Graph
from tflm_tools.model.schema import BuiltinOperator
from tflm_tools.optimize.memory.node_costs import NodeCostTable
from tflm_tools.optimize.memory.search.edges import ModelEdges
from tflm_tools.optimize.memory.search.shortest_path import PlanSearch

COUNT = 12


class InvertedResiduals:
    """Random blocks of MobileNetV2: an expanding, a depthwise and a projecting convolution."""

    def __init__(self, name, blocks=None):
        self.random = generator(f"groups {name}")
        shape = self.pick((14, 6, 4), (11, 8, 8), (1, 22, 8), (17, 4, 4))
        self.net = Network(f"groups {name}", shape)
        now, self.count = self.net.inputs[0], 0
        if blocks is None and self.pick(True, False):
            now = self.counted(self.net.conv(now, 8, 3, self.pick(1, 2)))
        for _ in range(blocks or self.pick(1, 2)):
            now = self.block(now)
        self.model = self.net.build(now)

    def pick(self, *choices):
        return choices[int(self.random.integers(len(choices)))]

    # Count an operator whose output is a tensor's number.
    def counted(self, number):
        self.count += 1
        return number

    def block(self, source):
        depth, is_flat = self.net.shapes[source][3], self.net.shapes[source][1] == 1
        channels = self.pick(12, 16, 20, 32)  # that can be cut into 3 to 8 groups
        if is_flat:
            size, stride = 3, self.pick(1, 2)
        else:
            size, stride = self.pick(3, 5), self.pick(1, 2)
        inner = self.counted(self.net.conv(source, channels))
        inner = self.counted(self.net.depthwise(inner, size, stride))
        filters = depth if stride == 1 else self.pick(4, 8)
        last = self.net.conv(inner, filters, scale=0.05, zero_point=-3, activation="NONE")
        self.counted(last)
        if self.net.shapes[last] != self.net.shapes[source]:
            return last
        return self.counted(self.net.binary("ADD", source, last, 0.05, -3))

    # The Region of all operators.
    def region(self):
        subgraph = Graph(TfliteModel(self.model)).running()[0]
        return RegionFinder(subgraph).region(0, self.count)

    # Yields a chain for each way to recompute rows: (first, last, height, pacing operator,
    # spilled, recomputed); see banded_model().
    def chains(self):
        region = self.region()
        for recomputed in region.recompute_options():
            heights = region.band_heights((1, 2, 3))
            yield 0, self.count - 1, *self.pick(*heights), self.pick(False, True), recomputed


@pytest.mark.sampled(2)
@pytest.mark.parametrize("target", ("armv6m", None))
def test_outputs(target):
    flat_models, group_counts = [], set()
    for number in range(COUNT):
        builder = InvertedResiduals(number)
        for chain in builder.chains():
            banded = banded_model(builder.model, [chain], target)
            if banded is None:  # kernels cannot read its rows
                continue
            flat, storage, _ = banded
            group_counts.add(max(chain[-1].values()))
            flat_models.append((f"{number}: {chain}", builder.model, flat))
            schedule = BandSchedule(builder.region(), *chain[2:])
            assert peak_bytes(schedule) <= storage.head_bytes
    assert {1, 3, 8} <= group_counts and len(flat_models) > COUNT
    assert differences_from_tflm(flat_models) == []


# The file has each weight once, and a few bytes more for each group.
def test_constants():
    builder = InvertedResiduals("constants", blocks=1)
    sizes = {}  # number of groups: bytes
    for chain in [(0, builder.count - 1, 1), *builder.chains()]:
        _, storage, graph = banded_model(builder.model, [chain])
        sizes[max(dict(*chain[5:]).values(), default=0)] = len(storage.constants)
        nodes = [node.builtin_code for node in graph.running()[0].nodes]
        assert (BuiltinOperator.CONCATENATION in nodes) == (max(sizes) > 1)
    assert set(sizes) >= {0, 1} and max(sizes) > 1
    assert all(size - sizes[0] <= 40 * groups for groups, size in sizes.items())


# The arena of an Edge never shrinks when it is examined, whatever the limit of earlier stages.
def test_lower_bounds_of_edges():
    seen = 0
    for number in range(4):
        graph = Graph(TfliteModel(InvertedResiduals(f"least {number}", blocks=1).model))
        edges = ModelEdges(graph, NodeCostTable(graph))
        for edge in all_candidates(edges, 0, 3):
            stages = [(edge.arena, edge.is_planned)]
            for limit in (0, 0, 1 << 50):
                edges.examine(edge, limit)
                stages.append((edge.arena, edge.is_planned))
            if edge.arena < 1 << 30:
                assert stages[0] <= stages[1] and max(stages) == stages[-1]
                assert [is_planned for _, is_planned in stages] == [False, False, False, True]
                seen += bool(edge.schedule.recomputed)
    assert seen > 20


@pytest.mark.parametrize("number", range(3))
def test_search_beside_brute_force(number):
    graph = Graph(TfliteModel(InvertedResiduals(f"search {number}", blocks=1).model))
    search, edges = PlanSearch(graph), all_edges(ModelEdges(graph, NodeCostTable(graph)))
    paths = list(all_paths(edges, 0, len(search.nodes)))
    arenas = sorted({max(edge.arena for edge in path) for path in paths})
    schedules = [edge.schedule for path in paths for edge in path if edge.schedule]
    assert any(schedule.recomputed for schedule in schedules)
    for limit in (arenas[0] - 1, *arenas):
        fitting = [path for path in paths if max(edge.arena for edge in path) <= limit]
        cycles = [sum(edge.cycles for edge in path) for path in fitting]
        plan = search.within(limit)
        assert (plan and plan.cycles) == (min(cycles) if cycles else None)
