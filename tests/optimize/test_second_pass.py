# Tests of second passes: squeeze and excite, whose tensor need not be there as a whole
# MIT license; Copyright (c) 2026 the tflm authors

import pytest
from optimize.forms import every_edge, ways
from optimize.graphs import Network
from optimize.nets import unet
from optimize.squeezed import chain, excited, first_layer
from support.check import Cases
from tflm.format import OP_BYTES
from tflm.tflite.reader import TfliteModel
from tflm_tools.flat.flatten import levels_of, optimized_model
from tflm_tools.model.graph import Graph
from tflm_tools.optimize.memory.costs import least_cycles
from tflm_tools.optimize.memory.edges import Edges
from tflm_tools.optimize.memory.levels import BALANCED, RAM, SPEED
from tflm_tools.optimize.memory.probe import Probe
from tflm_tools.optimize.memory.search import Search
from tflm_tools.optimize.memory.second_pass import second_passes
from tflm_tools.optimize.passes import passes_without

SHAPE = 20, 16, 3
# The .tflite, how many operators run twice at RAM, and the bytes of its arena there; without
# second passes these are those of SPEED.
NETS = {
    "mean": (chain("mean", SHAPE), 4, 3600),
    "dense": (chain("dense", SHAPE, blocks=1, form="dense", gate="HARD_SWISH"), 2, 3600),
    "twice": (chain("twice", SHAPE, blocks=1, form="twice", gate="hard", size=5), 2, 4400),
    # Its channels go through both convolutions in groups, so that no tensor is large.
    "pool": (chain("pool", ends=False, blocks=1, form="pool", filters=16, stride=2), 0, 4400),
    "first layer": (first_layer("first layer"), 1, 2624),
}
CASES = Cases()
for _name, (_model, *_) in NETS.items():
    _paths = [f"saved {RAM}"]
    if _name in ("pool", "first layer"):  # small ones
        _paths += [f"saved {each}" for each in (BALANCED, SPEED, f"{RAM} armv6m")]
    CASES.add(_name, _model, inputs="random", runs=2, repeat="none", paths=_paths)
SKIPS = unet("transposed", side=24)
CASES.add("skips", SKIPS, inputs="random", runs=2, paths=[f"saved {RAM}", f"saved {RAM} armv6m"])


@CASES.parametrize
def test_outputs(case):
    case.check()


def _levels(model):
    return levels_of(optimized_model(model, savings=passes_without())[0])


# How many operators a model runs twice in chains.
def _run_twice(graph):
    chains = [{node.index for node in chain.nodes} for chain in getattr(graph, "chains", ())]
    return sum(len(chain) for chain in chains) - len(set().union(*chains))


@pytest.mark.parametrize("name", NETS)
def test_operators_run_twice(name):
    model, twice, most = NETS[name]
    levels = _levels(model)
    graph = levels.model(RAM)[0]
    assert _run_twice(graph) == twice
    storage = levels.prepared(graph)
    assert storage.head_bytes <= most < 0.8 * levels.prepared(levels.model(SPEED)[0]).head_bytes
    # Both passes read the same weights; groups of channels have some bytes each beside them.
    plain = levels.prepared(levels.model(SPEED)[0])
    assert len(storage.constants) <= len(plain.constants) + (0 if twice else 64)


# What runs in two passes has its multipliers once, also where channels go in groups: bands cost a
# model less than 2 KB of flash, beside what weights become for want of scratch.
@pytest.mark.parametrize("target", (None, "armv6m", "armv7em"))
def test_flash(target):
    model = chain("flash", (24, 24, 8), blocks=2, times=24)
    levels = levels_of(optimized_model(model, savings=passes_without())[0], target=target)
    sizes = {}
    for level in (SPEED, RAM):
        graph = levels.model(level)[0]
        records = levels.prepared(graph).records
        sizes[level] = sum(record.nbytes() + OP_BYTES for record in records)
    assert _run_twice(graph) >= 4
    assert sizes[RAM] - sizes[SPEED] < 2048


# Nothing runs twice where the arena is as large for something else, the input here, nor at a level
# that may not pay for it.
def test_nothing_runs_twice_in_vain():
    net = Network("input and squeezed", (64, 64, 4))
    small = net.conv(net.inputs[0], 8, 3, 8)
    large_input = net.build(net.conv(excited(net, net.conv(small, 48)), 8))
    for model, level in ((large_input, RAM), (NETS["first layer"][0], BALANCED)):
        assert second_passes(Graph(TfliteModel(model)))
        assert _run_twice(_levels(model).model(level)[0]) == 0


# What a decoder reads beside its own rows is made again for it: no skip is there as a whole.
def test_skips_are_made_again():
    levels = _levels(SKIPS)
    ram, speed = (levels.model(level)[0] for level in (RAM, SPEED))
    assert levels.prepared(ram).head_bytes < 0.6 * levels.prepared(speed).head_bytes


# Whatever the limit: the search finds what trying everything finds, with and without copies.
def test_search_beside_brute_force():
    graph = Graph(TfliteModel(first_layer("search", side=8)))
    search, probe = Search(graph), Probe(graph)
    found = []  # (bytes, cycles) of each way
    for each in (None, *second_passes(graph)):
        edges = Edges(each.graph if each else graph, probe)
        more = least_cycles(each.copies, probe, None) if each else 0
        found += [
            (max(edge.arena for edge in way), more + sum(edge.cycles for edge in way))
            for way in ways(every_edge(edges), 0, len(edges.nodes))
        ]
    needs = sorted({arena for arena, _ in found})
    assert len(needs) > 3
    for limit in (needs[0] - 1, *needs):
        wanted = min((cycles for arena, cycles in found if arena <= limit), default=None)
        fusion = search.within(limit)
        assert (fusion and fusion.cycles) == wanted
