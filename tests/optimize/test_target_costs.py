# Tests of what levels may cost on other targets than a Cortex-M0+, whose kernels are faster
# MIT license; Copyright (c) 2026 the tflm authors

import pytest
from optimize.nets import unet
from tflm_tools.flat.flatten import levels_of, optimized_model
from tflm_tools.optimize.memory.costs import as_told, unit
from tflm_tools.optimize.memory.levels import BALANCED, RAM, SPEED
from tflm_tools.optimize.passes import passes_without
from tflm_tools.targets import TARGETS

_NET = unet("resize", side=16)


def _levels(target):
    return levels_of(optimized_model(_NET, savings=passes_without())[0], target=target)


# Three in a hundred of what the target's own kernels take; RAM no more than on a Cortex-M0+.
@pytest.mark.parametrize("target", TARGETS)
def test_shares(target):
    levels, plain = _levels(target), _levels("armv6m")
    assert (levels.base_cycles() < plain.base_cycles()) == (target != "armv6m")
    extra = {level: levels.model(level)[1] for level in (SPEED, BALANCED, RAM)}
    assert extra[BALANCED] - extra[SPEED] <= 0.03 * levels.base_cycles()
    assert extra[RAM] <= plain.base_cycles()
    graphs = [levels.model(level)[0] for level in (RAM, BALANCED, SPEED)]
    heads = [levels.prepared(graph).head_bytes for graph in graphs]
    assert heads == sorted(heads)


def test_unit():
    for target in (None, *TARGETS):
        is_plain = target in (None, "armv6m")
        assert unit(target) == ("cycles of a Cortex-M0+" if is_plain else "instructions")
        assert (as_told(1000, target) == 1000) == is_plain
