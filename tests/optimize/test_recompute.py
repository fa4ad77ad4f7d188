# Tests of recomputation: squeeze and excite, whose tensor need not exist as a whole
# MIT license; Copyright (c) 2026 the tflm authors

import pytest
from optimize.banded_models import all_edges, all_paths
from optimize.known_networks import unet
from optimize.network import Network
from optimize.squeeze_excite import squeeze_excite, squeezed_first_layer, squeezed_mobilenet
from support.check import Cases
from tflm.format import OP_BYTES
from tflm.tflite.reader import TfliteModel
from tflm_tools.flat.flatten import levels_of, optimized_model
from tflm_tools.model.graph import Graph
from tflm_tools.optimize.memory.costs import min_cycles
from tflm_tools.optimize.memory.levels import BALANCED, RAM, SPEED
from tflm_tools.optimize.memory.node_costs import NodeCostTable
from tflm_tools.optimize.memory.rewrites.recompute import recomputations
from tflm_tools.optimize.memory.search.edges import ModelEdges
from tflm_tools.optimize.memory.search.shortest_path import PlanSearch
from tflm_tools.optimize.passes import passes_without

SHAPE = 20, 16, 3
# {name: (.tflite, how many operators run twice at RAM, the largest head at RAM in bytes)}.
NETS = {
    "mean": (squeezed_mobilenet("mean", SHAPE), 4, 3600),
    "dense": (
        squeezed_mobilenet("dense", SHAPE, blocks=1, variant="dense", gate="HARD_SWISH"),
        2,
        3600,
    ),
    "twice": (
        squeezed_mobilenet("twice", SHAPE, blocks=1, variant="twice", gate="hard", size=5),
        2,
        4400,
    ),
    # Its channels pass both convolutions in groups, so that no tensor is large.
    "pool": (
        squeezed_mobilenet("pool", ends=False, blocks=1, variant="pool", filters=16, stride=2),
        0,
        4400,
    ),
    "first layer": (squeezed_first_layer("first layer"), 1, 2624),
}
CASES = Cases()
for _name, (_model, *_) in NETS.items():
    _paths = [f"saved {RAM}"]
    if _name in ("pool", "first layer"):  # small ones
        _paths += [f"saved {each}" for each in (BALANCED, SPEED, f"{RAM} armv6m")]
    CASES.add(_name, _model, inputs="random", runs=2, repeat="none", paths=_paths)
UNET = unet("transposed", side=24)
CASES.add("skips", UNET, inputs="random", runs=2, paths=[f"saved {RAM}", f"saved {RAM} armv6m"])


@CASES.parametrize
def test_outputs(case):
    case.check()


def _levels(model):
    return levels_of(optimized_model(model, passes=passes_without())[0])


# How many operators run twice in the chains of a model.
def _recomputed_operators(graph):
    chains = [{node.index for node in chain.nodes} for chain in graph.chains or ()]
    return sum(len(chain) for chain in chains) - len(set().union(*chains))


@pytest.mark.parametrize("name", NETS)
def test_recomputed_operators(name):
    model, recomputed, max_head = NETS[name]
    levels = _levels(model)
    graph = levels.model(RAM)[0]
    assert _recomputed_operators(graph) == recomputed
    storage = levels.prepared(graph)
    assert storage.head_bytes <= max_head
    assert max_head < 0.8 * levels.prepared(levels.model(SPEED)[0]).head_bytes
    # Both passes share their weights; channel groups need some more bytes each.
    speed = levels.prepared(levels.model(SPEED)[0])
    assert len(storage.constants) <= len(speed.constants) + (0 if recomputed else 64)


# The file has the multipliers of recomputed operators once, also with channel groups: bands cost
# less than 2 KB of flash, apart from layouts of weights.
@pytest.mark.parametrize("target", (None, "armv6m", "armv7em"))
def test_flash(target):
    model = squeezed_mobilenet("flash", (24, 24, 8), blocks=2, expansion=24)
    levels = levels_of(optimized_model(model, passes=passes_without())[0], target=target)
    sizes = {}
    for level in (SPEED, RAM):
        graph = levels.model(level)[0]
        records = levels.prepared(graph).records
        sizes[level] = sum(record.nbytes() + OP_BYTES for record in records)
    assert _recomputed_operators(graph) >= 4
    assert sizes[RAM] - sizes[SPEED] < 2048


# Nothing is recomputed if another tensor, here the input, needs the same arena, or if the level
# does not permit the additional cycles.
def test_nothing_is_recomputed_in_vain():
    net = Network("input and squeezed", (64, 64, 4))
    small = net.conv(net.inputs[0], 8, 3, 8)
    large_input = net.build(net.conv(squeeze_excite(net, net.conv(small, 48)), 8))
    for model, level in ((large_input, RAM), (NETS["first layer"][0], BALANCED)):
        assert recomputations(Graph(TfliteModel(model)))
        assert _recomputed_operators(_levels(model).model(level)[0]) == 0


# Skip connections of a U-Net are recomputed for the decoder, so that none is kept as a whole.
def test_skip_connections_are_recomputed():
    levels = _levels(UNET)
    ram, speed = (levels.model(level)[0] for level in (RAM, SPEED))
    assert levels.prepared(ram).head_bytes < 0.6 * levels.prepared(speed).head_bytes


# The search finds the plan that brute force finds, with and without recomputation, for any limit.
def test_search_beside_brute_force():
    graph = Graph(TfliteModel(squeezed_first_layer("search", side=8)))
    search, node_costs = PlanSearch(graph), NodeCostTable(graph)
    plans = []  # (bytes, cycles)
    for rewrite in (None, *recomputations(graph)):
        edges = ModelEdges(rewrite.graph if rewrite else graph, node_costs)
        more = min_cycles(rewrite.copies, node_costs, None) if rewrite else 0
        plans += [
            (max(edge.arena for edge in path), more + sum(edge.cycles for edge in path))
            for path in all_paths(all_edges(edges), 0, len(edges.nodes))
        ]
    arenas = sorted({arena for arena, _ in plans})
    assert len(arenas) > 3
    for limit in (arenas[0] - 1, *arenas):
        expected = min((cycles for arena, cycles in plans if arena <= limit), default=None)
        plan = search.within(limit)
        assert (plan and plan.cycles) == expected
