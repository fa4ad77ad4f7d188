# Tests of --arena-budget: the fastest plan whose arena fits a number of bytes
# MIT license; Copyright (c) 2026 the tflm authors

import pytest
from optimize.banded_models import all_edges, all_paths, differences_from_tflm
from optimize.network import Network
from optimize.test_memory_regions import GraphBuilder
from tflm.errors import UnsupportedError
from tflm.tflite.reader import TfliteModel
from tflm_tools.flat.flatten import flatten, levels_of, optimized_model
from tflm_tools.model.flat_file import FlatFile
from tflm_tools.model.graph import Graph
from tflm_tools.optimize.memory.levels import BALANCED, BUDGET, RAM, SPEED, ArenaLimits
from tflm_tools.optimize.memory.node_costs import NodeCostTable
from tflm_tools.optimize.memory.search.band_plan import BandPlan, apply_band_plan
from tflm_tools.optimize.memory.search.edges import ModelEdges


# [(bytes of arena, extra cycles)] of all plans of a .tflite.
def _all_plans(model):
    levels = levels_of(TfliteModel(model))
    graph = Graph(TfliteModel(model))
    graph.overlap = True
    edges = ModelEdges(graph, NodeCostTable(graph))
    plans = []
    for path in all_paths(all_edges(edges), 0, len(edges.nodes)):
        plan = BandPlan([edge for edge in path if edge.schedule])
        arena = levels.prepared(apply_band_plan(graph, plan)).arena_bytes
        plans.append((arena, sum(edge.cycles for edge in path)))
    return plans


# The search finds the plan that brute force finds, or refuses and names the smallest arena.
@pytest.mark.parametrize("number", [6, 9, 17])
def test_budget_beside_brute_force(number):
    builder = GraphBuilder(f"budget {number}")
    model = builder.net.build(builder.now)
    plans = _all_plans(model)
    arenas = sorted({arena for arena, _ in plans})
    assert len(plans) > 15 and len(arenas) > 4
    for budget in (arenas[0], arenas[0] + 1, arenas[len(arenas) // 2], arenas[-2], arenas[-1]):
        levels = levels_of(TfliteModel(model), limits=ArenaLimits(budget))
        graph, cycles = levels.model(BUDGET)
        assert levels.prepared(graph).arena_bytes <= budget
        assert cycles == min(cycles for arena, cycles in plans if arena <= budget)
    with pytest.raises(UnsupportedError, match=f"the least needs {arenas[0]} "):
        flatten(model, arena_budget=arenas[0] - 1)


# The arena of RAM is possible as a budget, and so is the smallest arena that a refusal names.
@pytest.mark.sampled(3)
@pytest.mark.parametrize("target", (None, "armv6m"))
@pytest.mark.parametrize("number", (2, 11, 14))
def test_arena_of_a_level_is_a_possible_budget(number, target):
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
    smallest = int(str(refused.value).split("the least needs ")[1].split()[0])
    assert smallest <= low
    assert FlatFile(flatten(model, arena_budget=smallest, **options)).arena_bytes <= smallest


# An operator that does not fit by itself gets less scratch if bands would cost more.
def test_small_scratch_if_bands_cost_more(repository):
    model = (repository / "models/gestures/gestures_int8.tflite").read_bytes()
    levels = levels_of(optimized_model(model)[0], target="rv32imc")
    search, edges = levels._plans.search, levels._plans.search._edges
    cycles = 0
    for position in range(len(search.nodes)):
        if edges.single(position).arena > 1280:
            cycles += edges.with_small_scratch(position, 1280).cycles
    assert cycles > 0 and search.within(1280).cycles <= cycles
    graph, cycles = levels.model(BALANCED)
    assert levels.prepared(graph).arena_bytes < 1700 and cycles <= 0.03 * levels.base_cycles()


# With wait states of flash, too, a larger budget is never slower, and results stay the same.
def test_larger_budget_is_never_slower():
    builder = GraphBuilder("budget 5")
    model = builder.net.build(builder.now)
    target = "armv6m"
    levels = levels_of(TfliteModel(model), target=target)
    low, high = (levels.prepared(levels.model(each)[0]).arena_bytes for each in (RAM, SPEED))
    assert low < 0.9 * high
    with pytest.raises(UnsupportedError, match=r"least needs \d+ \(--(optimize|arena)"):
        flatten(model, target=target, arena_budget=low // 2)
    before, flat_models = None, []
    for budget in range(low, high + 256, 256):
        levels = levels_of(TfliteModel(model), target=target, limits=ArenaLimits(budget))
        _, cycles = levels.model(BUDGET)
        assert before is None or cycles <= before
        before = cycles
        flat = flatten(model, target=target, arena_budget=budget)
        assert FlatFile(flat).arena_bytes <= budget
        flat_models.append((f"{budget} bytes", model, flat))
    assert before <= 0
    assert not differences_from_tflm(flat_models[:: max(1, len(flat_models) // 3)])


# One CONV_2D cannot run in bands. Below its usual scratch it unpacks fewer pixels at a time, with
# and without wait states, and so does a chain that contains it.
@pytest.mark.parametrize("miss", [0, 48])
@pytest.mark.parametrize("layers", [1, 2])
def test_small_scratch_without_bands(miss, layers):
    net = Network(f"scratch {layers}", (6, 6, 32))
    now = net.inputs[0]
    for _ in range(layers):
        now = net.conv(now, 32, 3)
    model = net.build(now)
    options = {"target": "armv6m", "miss": miss}
    usual = FlatFile(flatten(model, optimize="speed", **options)).arena_bytes
    budget, flat_models = usual, []
    with pytest.raises(UnsupportedError, match=r"the least needs \d+ "):
        while True:
            budget -= 128
            flat = flatten(model, arena_budget=budget, **options)
            assert FlatFile(flat).arena_bytes <= budget
            flat_models.append((f"{budget} bytes", model, flat))
    assert budget < usual - 512
    assert not differences_from_tflm(flat_models[-2:])
