# Tests of second passes: squeeze and excite, whose tensor need not be there as a whole
# MIT license; Copyright (c) 2026 the tflm authors

import pytest
from optimize.squeezed import chain, first_layer
from support.check import Cases
from tflm_tools.flat.flatten import levels_of, saved_model
from tflm_tools.optimize.memory.levels import BALANCED, RAM, SPEED
from tflm_tools.optimize.savings import chosen

SHAPE = 24, 16, 3
# The .tflite, how many operators run twice at RAM, and the arena there: what it is at SPEED, or
# less than a share of that.
NETS = {
    "mean": (chain("mean", SHAPE), 4),
    "dense": (chain("dense", SHAPE, blocks=1, form="dense", gate="HARD_SWISH"), 2),
    "twice": (chain("twice", SHAPE, blocks=1, form="twice", gate="hard", size=5), 2),
    "pool": (chain("pool", ends=False, blocks=1, form="pool", filters=16, stride=2), 2),
    "first layer": (first_layer("first layer"), 1),
}
CASES = Cases()
for _name, (_model, _) in NETS.items():
    _paths = [f"saved {level}" for level in (RAM, BALANCED, f"{RAM} armv6m")]
    CASES.add(_name, _model, inputs="random", runs=2, repeat="none", paths=_paths)


@CASES.parametrize
def test_outputs(case):
    case.check()


# The operators of each chain in bands, of a model at a level; and its head.
def _planned(model, level):
    levels = levels_of(saved_model(model, savings=chosen())[0])
    graph = levels.model(level)[0]
    chains = [{node.index for node in chain.nodes} for chain in getattr(graph, "chains", ())]
    return chains, levels.prepared(graph)


@pytest.mark.parametrize("name", NETS)
def test_operators_run_twice(name):
    model, twice = NETS[name]
    chains, storage = _planned(model, RAM)
    assert sum(len(a & b) for a, b in zip(chains, chains[1:], strict=False)) == twice
    assert storage.head_bytes < 0.7 * _planned(model, SPEED)[1].head_bytes
