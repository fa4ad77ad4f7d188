# Tests of the cycles that levels may cost on targets whose kernels are faster than a Cortex-M0+'s
# MIT license; Copyright (c) 2026 the tflm authors

import pytest
from optimize.known_networks import unet
from tflm_tools.flat.flatten import levels_of, optimized_model
from tflm_tools.optimize.memory.costs import cycle_unit, reported_cycles
from tflm_tools.optimize.memory.levels import BALANCED, RAM, SPEED
from tflm_tools.optimize.passes import passes_without
from tflm_tools.targets import TARGETS

_NET = unet("resize", side=16)


def _levels(target):
    return levels_of(optimized_model(_NET, passes=passes_without())[0], target=target)


# BALANCED may cost 3 % of the cycles of the target's kernels; RAM no more than on a Cortex-M0+.
@pytest.mark.sampled(3)
@pytest.mark.parametrize("target", TARGETS)
def test_extra_cycles(target):
    levels, plain = _levels(target), _levels("armv6m")
    assert (levels.base_cycles() < plain.base_cycles()) == (target != "armv6m")
    extra = {level: levels.model(level)[1] for level in (SPEED, BALANCED, RAM)}
    assert extra[BALANCED] - extra[SPEED] <= 0.03 * levels.base_cycles()
    assert extra[RAM] <= plain.base_cycles()
    graphs = [levels.model(level)[0] for level in (RAM, BALANCED, SPEED)]
    heads = [levels.prepared(graph).head_bytes for graph in graphs]
    assert heads == sorted(heads)


def test_unit_of_cycles():
    for target in (None, *TARGETS):
        is_plain = target in (None, "armv6m")
        unit = "cycles of a Cortex-M33" if target == "armv7em" else "instructions"
        assert cycle_unit(target) == ("cycles of a Cortex-M0+" if is_plain else unit)
        assert (reported_cycles(1000, target) == 1000) == is_plain
