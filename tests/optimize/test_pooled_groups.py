# Tests of pooled groups: a convolution and the pool over all its pixels, in groups of channels
# MIT license; Copyright (c) 2026 the tflm authors

import pytest
from optimize.banded_models import all_edges, all_paths, differences_from_tflm
from optimize.network import Network
from support.inputs import generator
from tflm.tflite.reader import TfliteModel
from tflm_tools.flat.flatten import levels_of, optimized_model
from tflm_tools.image.flat_image import image_of
from tflm_tools.image.prepare import prepare_graph
from tflm_tools.model.graph import Graph
from tflm_tools.optimize.memory.costs import min_cycles
from tflm_tools.optimize.memory.levels import RAM, SPEED
from tflm_tools.optimize.memory.node_costs import NodeCostTable
from tflm_tools.optimize.memory.rewrites.pooled_groups import pooled_groups
from tflm_tools.optimize.memory.search.band_plan import BandPlan, apply_band_plan
from tflm_tools.optimize.memory.search.edges import ModelEdges
from tflm_tools.optimize.memory.search.shortest_path import PlanSearch
from tflm_tools.optimize.passes import passes_without

POOLS = ("MEAN", "kept MEAN", "SUM", "AVERAGE_POOL_2D", "MAX_POOL_2D")
CHANNELS = {96: [2, 4, 8], 200: [2, 5, 10], 104: [2, 13], 90: []}
SIDES = 7, 5


# A .tflite of a convolution with many channels, a pool, and, unless `pool_is_last`,
# FULLY_CONNECTED.
def classifier(name, pool, channels, size=1, pool_is_last=False, sides=SIDES):
    net = Network(f"pooled {name}", (*sides, 8))
    wide = net.conv(net.inputs[0], channels, size)
    return net.build(*_outputs(net, wide, pool, channels, pool_is_last))


# The outputs of a classifier whose convolution has the output `wide`.
def _outputs(net, wide, pool, channels, pool_is_last):
    if pool.endswith(("MEAN", "SUM")):
        keeps = pool.startswith("kept")
        shape = (1, 1, 1, channels) if keeps else (1, channels)
        axes = [net.constant([1, 2])]
        pooled = net.unary(pool.split()[-1], wide, shape=shape, inputs=axes, keep_dims=keeps)
    else:
        pooled = _pool_all_pixels(net, wide, pool)
    return [pooled] if pool_is_last else [net.dense(pooled, 3)]


# Adds a pool whose window is the whole image.
def _pool_all_pixels(net, wide, pool):
    batch, height, width, channels = net.shapes[wide]
    output = net.tensor((batch, 1, 1, channels), *net.quantization[wide])
    net.builder.operator(
        pool, [wide], [output], filter_height=height, filter_width=width, stride_h=1, stride_w=1,
        padding="VALID",
    )  # fmt: skip
    return output


def _graph(model):
    graph = Graph(TfliteModel(model))
    graph.overlap = True
    return graph


@pytest.mark.sampled(2)
@pytest.mark.parametrize("target", ("armv6m", None))
def test_outputs(target):
    flat_models = []
    for number, pool in enumerate(POOLS):
        for channels, counts in CHANNELS.items():
            size, pool_is_last = 1 + 2 * (number % 2), channels == 200
            model = classifier(f"{pool} {channels}", pool, channels, size, pool_is_last)
            graph = _graph(model)
            rewrites = pooled_groups(graph)
            assert [len(rewrite.copies) // 2 for rewrite in rewrites] == counts
            for rewrite in rewrites:
                grouped = apply_band_plan(graph, BandPlan(rewrites=[rewrite]))
                flat = image_of(model, grouped, prepare_graph(grouped, target=target))
                flat_models.append((f"{pool} {rewrite.copies}", model, flat))
    assert len(flat_models) == 40
    assert differences_from_tflm(flat_models) == []


# A PAD that was folded into the convolution is kept in each group.
@pytest.mark.parametrize("pool", ("MEAN", "SUM", "AVERAGE_POOL_2D", "MAX_POOL_2D"))
@pytest.mark.parametrize("sides", (((1, 0), (1, 0)), ((3, 2), (3, 2))))
def test_folded_padding(pool, sides):
    net = Network(f"padded {pool} {sides}", (21, 21, 4))
    now = net.pad(net.conv(net.inputs[0], 4), sides)
    wide = net.conv(now, 48, 3 if sides[0][0] == 1 else 5, 2, "VALID")
    model = net.build(*_outputs(net, wide, pool, 48, True))
    levels = levels_of(optimized_model(model, passes=passes_without())[0])
    graph = levels.model(RAM)[0]
    assert graph.grouped
    flat = image_of(model, graph, levels.prepared(graph))
    assert differences_from_tflm([("padded", model, flat)]) == []


# No groups if other operators or the output read the convolution, or if rows stay.
def test_models_without_groups():
    net = Network("pooled twice", (*SIDES, 8))
    wide = net.conv(net.inputs[0], 96)
    twice = net.build(
        *_outputs(net, wide, "MEAN", 96, True), *_outputs(net, wide, "SUM", 96, True)
    )
    net = Network("pooled output", (*SIDES, 8))
    wide = net.conv(net.inputs[0], 96)
    seen = net.build(wide, *_outputs(net, wide, "MEAN", 96, True))
    net = Network("pooled rows", (*SIDES, 8))
    wide = net.conv(net.inputs[0], 96)
    rows = net.unary("MEAN", wide, shape=(1, 5, 96), inputs=[net.constant([1])])
    for model in (twice, seen, net.build(rows)):
        assert pooled_groups(_graph(model)) == []


# RAM uses groups. Results stay the same, and the file has each weight once.
def test_level_ram():
    model = classifier("level", "MEAN", 400, sides=(12, 12))
    levels = levels_of(optimized_model(model, passes=passes_without())[0])
    sizes, constants = {}, {}
    for level in (RAM, SPEED):
        storage = levels.prepared(levels.model(level)[0])
        sizes[level], constants[level] = storage.head_bytes, len(storage.constants)
    assert sizes[RAM] < 0.25 * sizes[SPEED]
    assert constants[RAM] <= constants[SPEED] + 64
    graph = levels.model(RAM)[0]
    flat = image_of(model, graph, levels.prepared(graph))
    assert differences_from_tflm([("level", model, flat)]) == []


# The search finds the plan that brute force finds, with groups and without, for any limit.
@pytest.mark.parametrize("number", range(2))
def test_search_beside_brute_force(number):
    random = generator(f"pooled search {number}")
    net = Network(f"pooled search {number}", (12, 12, 4))
    now = net.conv(net.inputs[0], int(random.choice([8, 16])), 3, 2)
    now = net.conv(now, 128, 1)
    graph = _graph(net.build(*_outputs(net, now, "MEAN", 128, False)))
    search, node_costs = PlanSearch(graph), NodeCostTable(graph)
    plans = []  # (bytes, cycles)
    for rewrite in (None, *pooled_groups(graph)):
        edges = ModelEdges(rewrite.graph if rewrite else graph, node_costs)
        more = 0
        if rewrite:
            more = min_cycles(rewrite.copies, node_costs, None)
            more -= min_cycles(rewrite.dropped, node_costs, None)
        plans += [
            (max(edge.arena for edge in path), more + sum(edge.cycles for edge in path))
            for path in all_paths(all_edges(edges), 0, len(edges.nodes))
        ]
    arenas = sorted({arena for arena, _ in plans})
    for limit in (arenas[0] - 1, *arenas):
        cycles = [cycles for arena, cycles in plans if arena <= limit]
        plan = search.within(limit)
        assert (plan and plan.cycles) == (min(cycles) if cycles else None)
