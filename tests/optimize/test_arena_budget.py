# Tests of --arena-budget: the fastest plan whose arena keeps to so many bytes
# MIT license; Copyright (c) 2026 the tflm authors

import pytest
from optimize.forms import every_edge, failures, ways
from optimize.graphs import Network
from optimize.test_memory_regions import GraphBuilder
from tflm.errors import UnsupportedError
from tflm.tflite.reader import TfliteModel
from tflm_tools.flat.flatten import flatten, levels_of, optimized_model
from tflm_tools.model.flat_file import FlatFile
from tflm_tools.model.graph import Graph
from tflm_tools.optimize.memory.edges import Edges
from tflm_tools.optimize.memory.fusion import Fusion, apply
from tflm_tools.optimize.memory.levels import BALANCED, BUDGET, RAM, SPEED
from tflm_tools.optimize.memory.probe import Probe


# [(bytes of arena, extra cycles)] of all ways to run a .tflite, each of them planned.
def _every_way(model):
    plain = levels_of(TfliteModel(model))
    graph = Graph(TfliteModel(model))
    graph.overlap = True
    edges = Edges(graph, Probe(graph))
    sizes = []
    for way in ways(every_edge(edges), 0, len(edges.nodes)):
        fusion = Fusion([edge for edge in way if edge.progress])
        arena = plain.prepared(apply(graph, fusion)).arena_bytes
        sizes.append((arena, sum(edge.cycles for edge in way)))
    return sizes


# With any budget: what trying everything finds; below the least, a refusal that names it.
@pytest.mark.parametrize("number", [6, 9, 17])
def test_budget_beside_brute_force(number):
    builder = GraphBuilder(f"budget {number}")
    model = builder.net.build(builder.now)
    sizes = _every_way(model)
    arenas = sorted({arena for arena, _ in sizes})
    assert len(sizes) > 15 and len(arenas) > 4
    for budget in (arenas[0], arenas[0] + 1, arenas[len(arenas) // 2], arenas[-2], arenas[-1]):
        levels = levels_of(TfliteModel(model), arena=budget)
        made, cycles = levels.model(BUDGET)
        assert levels.prepared(made).arena_bytes <= budget
        assert cycles == min(cycles for arena, cycles in sizes if arena <= budget)
    with pytest.raises(UnsupportedError, match=f"the least needs {arenas[0]} "):
        flatten(model, arena_budget=arenas[0] - 1)


# What a level comes to depends on no budget: a budget of that many bytes is kept, a smaller one
# names what is kept.
@pytest.mark.parametrize("target", (None, "armv6m"))
@pytest.mark.parametrize("number", (2, 11, 14))
def test_a_level_is_a_budget(number, target):
    builder = GraphBuilder(f"levels and budgets {number}")
    model = builder.net.build(builder.now)
    levels = levels_of(TfliteModel(model), target=target)
    heads = [levels.prepared(levels.model(k)[0]).head_bytes for k in (RAM, BALANCED, SPEED)]
    assert heads == sorted(heads)
    low = FlatFile(flatten(model, target=target, optimize=RAM, without=("all",))).arena_bytes
    options = {"target": target, "without": ("all",)}
    assert FlatFile(flatten(model, arena_budget=low, **options)).arena_bytes <= low
    with pytest.raises(UnsupportedError, match="the least needs ") as refused:
        flatten(model, arena_budget=low // 2, **options)
    least = int(str(refused.value).split("the least needs ")[1].split()[0])
    assert least <= low
    assert FlatFile(flatten(model, arena_budget=least, **options)).arena_bytes <= least


# Weights in bands may have room that they do not need, where that makes them faster: so much as a
# budget leaves them, and only where it is asked for.
def test_room_for_weights_in_bands(monkeypatch):
    seen, estimated = [], Edges._estimated

    def noted(edges, edge, more, wide):
        made = estimated(edges, edge, more, wide)
        for each in filter(lambda each: each.is_wide, more):
            seen.append(each)
            assert wide == budget and each.needs.cycles < edge.needs.cycles
            for place, _, choices in each.needs.ways:
                size, least = each.needs.at[place], min(size for size, _ in choices)
                assert size <= max(least, wide - each.needs.used[place])
        return made

    monkeypatch.setattr(Edges, "_estimated", noted)
    net = Network("room for weights", (24, 24, 16))
    source = net.conv(net.inputs[0], 64)
    for _ in range(2):
        source = net.conv(net.depthwise(source, 3), 64)
    model = net.build(net.conv(source, 16, 3, 2))
    small, whole = (
        FlatFile(flatten(model, target="armv6m", optimize=level)).arena_bytes
        for level in (RAM, SPEED)
    )
    assert not seen
    budget = (2 * small + whole) // 3
    search = levels_of(TfliteModel(model), target="armv6m")._plans.search
    plain = search.within(budget, wide=budget)
    assert seen and not any(edge.is_wide for edge in plain.edges)
    wide = search.within(budget, wide=budget, is_wide=True)
    assert any(edge.is_wide for edge in wide.edges) and wide.cycles < plain.cycles
    assert FlatFile(flatten(model, target="armv6m", arena_budget=budget)).arena_bytes <= budget


# An operator that has no room by itself runs with less scratch where bands would cost more.
def test_less_scratch_where_bands_cost_more(repository):
    model = (repository / "models/gestures/gestures_int8.tflite").read_bytes()
    levels = levels_of(optimized_model(model)[0], target="rv32imc")
    search, edges = levels._plans.search, levels._plans.search._edges
    least = 0
    for place in range(len(search.nodes)):
        if edges.single(place).arena > 1280:
            least += edges.narrow(place, 1280).cycles
    assert least > 0 and search.within(1280).cycles <= least
    made, cycles = levels.model(BALANCED)
    assert levels.prepared(made).arena_bytes < 1700 and cycles <= 0.03 * levels.base_cycles()


# Where flash has wait states, too: no byte more, ever fewer cycles, the same results.
def test_more_bytes_are_never_slower():
    builder = GraphBuilder("budget 5")
    model = builder.net.build(builder.now)
    target = "armv6m"
    levels = levels_of(TfliteModel(model), target=target)
    low, high = (levels.prepared(levels.model(each)[0]).arena_bytes for each in (RAM, SPEED))
    assert low < 0.9 * high
    with pytest.raises(UnsupportedError, match=r"least needs \d+ \(--(optimize|arena)"):
        flatten(model, target=target, arena_budget=low // 2)
    before, forms = None, []
    for budget in range(low, high + 256, 256):
        levels = levels_of(TfliteModel(model), target=target, arena=budget)
        _, cycles = levels.model(BUDGET)
        assert before is None or cycles <= before
        before = cycles
        flat = flatten(model, target=target, arena_budget=budget)
        assert FlatFile(flat).arena_bytes <= budget
        forms.append((f"{budget} bytes", model, flat))
    assert before <= 0
    assert not failures(forms[:: max(1, len(forms) // 3)])


# One CONV_2D has no bands: below the scratch that it gets by itself it goes over fewer pixels at a
# time, with and without wait states, and a chain with it as well.
@pytest.mark.parametrize("miss", [0, 48])
@pytest.mark.parametrize("layers", [1, 2])
def test_less_scratch_where_nothing_else_will_do(miss, layers):
    net = Network(f"scratch {layers}", (6, 6, 32))
    now = net.inputs[0]
    for _ in range(layers):
        now = net.conv(now, 32, 3)
    model = net.build(now)
    how = {"target": "armv6m", "miss": miss}
    usual = FlatFile(flatten(model, optimize="speed", **how)).arena_bytes
    budget, forms = usual, []
    with pytest.raises(UnsupportedError, match=r"the least needs \d+ "):
        while True:
            budget -= 128
            flat = flatten(model, arena_budget=budget, **how)
            assert FlatFile(flat).arena_bytes <= budget
            forms.append((f"{budget} bytes", model, flat))
    assert budget < usual - 512
    assert not failures(forms[-2:])
