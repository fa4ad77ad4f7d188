# Tests of the estimated cost of weights in serial flash, and of what plans report of it
# MIT license; Copyright (c) 2026 the tflm authors

import pytest
from optimize.network import Network
from tflm_tools.flat.flatten import levels_of, optimized_model
from tflm_tools.optimize.memory.levels import BALANCED, RAM
from tflm_tools.optimize.memory.weights import spend_slack
from tflm_tools.optimize.memory.weights.flash_cache import (
    cached_share,
    fetches,
    miss_of,
    other_words,
)
from tflm_tools.optimize.memory.weights.spend_slack import _nodes_outside_chains

# (bytes of weights of a band, its steps, share that was fetched again) on the emulated Pico, by
# bench/cycles.py --core pico --miss 48: resnet8 at balanced and with 22,000 bytes of arena,
# person_detect at balanced, rock_paper_scissors of mltk at balanced, kws with 7,000 bytes.
_MEASURED = [(9728, 4, 0.22), (31872, 12, 1), (11136, 9, 0.2), (5504, 5, 0.01), (48128, 19, 1)]


@pytest.mark.parametrize(("size", "steps", "share"), _MEASURED)
def test_cached_share_beside_measurements(size, steps, share):
    assert abs(1 - cached_share(size // 4, steps) - share) <= 0.3


def test_more_weights_lower_the_cached_share():
    for steps in (1, 8, 24):
        shares = [cached_share(words, steps) for words in range(0, 9000, 100)]
        assert shares == sorted(shares, reverse=True) and (shares[0], shares[-1]) == (1, 0)
    shares = [cached_share(2500, steps) for steps in (1, 8, 24)]
    assert shares == sorted(shares, reverse=True)
    assert other_words(1, False) < other_words(0.5, False)
    assert other_words(0.5, False) < other_words(0, False) < other_words(0, True)


# A kernel by itself uses the whole cache: blocks after the first one find up to 16 KB there.
def test_fetches_of_a_kernel():
    assert fetches(3900, 10) == 1 and fetches(6200, 10) == 10
    assert 1 < fetches(4736, 36) < 20  # 75,062 words were measured
    assert miss_of("armv6m") == 48 and miss_of(None) == miss_of("armv7em") == 0


# The fastest layout costs no more than the layout of Prepare, apart from the 16 cycles that each
# byte of scratch must save, for any number of rows.
@pytest.mark.parametrize("rows", [8, 24, 25, 32, 60])
def test_fastest_layout_beside_prepare(rows):
    net = Network(f"rows {rows}", (rows, 32, 16))
    model = net.build(net.conv(net.inputs[0], 16, 3))
    search = levels_of(optimized_model(model)[0], None, "armv6m")._plans.search
    (node,) = search.nodes
    costs = search.layout_search._node_costs.of(node)
    saved = costs.scratch[0] - costs.layouts[0].scratch
    assert costs.layouts[0].cycles <= costs.weight_cycles + 16 * max(0, saved)


# The extra cycles that are reported with new layouts equal the difference of both models, also if
# the layout of Prepare is chosen again.
@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("name", "level"),
    [("mlperf_resnet8_int8", RAM), ("person_detect_int8", BALANCED), ("mlperf_kws_int8", RAM)],
)
def test_extra_cycles_of_new_layouts(name, level, shared_models, monkeypatch):
    results, with_fastest_layouts = [], spend_slack.with_fastest_layouts

    def recorded(plans, model, *arguments, is_fine=False):
        result = with_fastest_layouts(plans, model, *arguments, is_fine=is_fine)
        if not is_fine:
            results.append((model, plans.search, *result))
        return result

    monkeypatch.setattr(spend_slack, "with_fastest_layouts", recorded)
    tflite = (shared_models / f"{name}.tflite").read_bytes()
    levels_of(optimized_model(tflite)[0], None, "armv6m").model(level)
    checked = 0
    for before, search, after, extra_cycles in results:
        nodes, split_operators = _nodes_outside_chains(before, search)
        if before.chains is None or split_operators or after is before:
            continue
        chain_cycles = [
            sum(
                search.layout_search.chain_cycles(chain.slots, model.layouts)
                for chain in before.chains
            )
            for model in (before, after)
        ]
        others = search.layout_search.extra_cycles_as_stored(nodes, after.layouts)
        assert extra_cycles == chain_cycles[1] - chain_cycles[0] + others
        checked += before.layouts != after.layouts
    assert checked
