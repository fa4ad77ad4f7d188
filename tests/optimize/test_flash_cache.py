# Tests of what weights in a serial flash cost: what stays in its cache, and what is told of it
# MIT license; Copyright (c) 2026 the tflm authors

import pytest
from optimize.graphs import Network
from tflm_tools.flat.flatten import levels_of, optimized_model
from tflm_tools.optimize.memory import room
from tflm_tools.optimize.memory.edges import Edges
from tflm_tools.optimize.memory.flash_cache import fetches, kept, miss_of, others
from tflm_tools.optimize.memory.levels import BALANCED, RAM
from tflm_tools.optimize.memory.room import _by_themselves

# Bytes of the weights of a band, its steps, and the share of them that was fetched again, on the
# emulated Pico (bench/cycles.py --core pico --miss 48): resnet8 at balanced and with 22,000
# bytes, person_detect at balanced, rock_paper_scissors of mltk at balanced, kws with 7,000 bytes.
_MEASURED = [(9728, 4, 0.22), (31872, 12, 1), (11136, 9, 0.2), (5504, 5, 0.01), (48128, 19, 1)]


@pytest.mark.parametrize(("size", "steps", "share"), _MEASURED)
def test_what_the_next_band_finds(size, steps, share):
    assert abs(1 - kept(size // 4, steps) - share) <= 0.3


def test_more_weights_leave_less():
    for steps in (1, 8, 24):
        shares = [kept(words, steps) for words in range(0, 9000, 100)]
        assert shares == sorted(shares, reverse=True) and (shares[0], shares[-1]) == (1, 0)
    assert [kept(2500, steps) for steps in (1, 8, 24)] == sorted(
        (kept(2500, steps) for steps in (1, 8, 24)), reverse=True
    )
    assert others(1, False) < others(0.5, False) < others(0, False) < others(0, True)


# A kernel alone has the cache for itself: of 16 KB each block after the first finds all.
def test_blocks_of_a_kernel():
    assert fetches(3900, 10) == 1 and fetches(6200, 10) == 10
    assert 1 < fetches(4736, 36) < 20  # 75,062 words were measured
    assert miss_of("armv6m") == 48 and miss_of(None) == miss_of("armv7em") == 0


# What an operator costs at least is no more than as Prepare makes it, but for what each byte less
# of scratch is worth, 16 cycles, however many rows it has.
@pytest.mark.parametrize("rows", [8, 24, 25, 32, 60])
def test_blocks_of_one_row(rows):
    net = Network(f"rows {rows}", (rows, 32, 16))
    model = net.build(net.conv(net.inputs[0], 16, 3))
    search = levels_of(optimized_model(model)[0], None, "armv6m")._plans.search
    (node,) = search.nodes
    made = search.storing._probe.made(node)
    saved = made.scratch[0] - made.choices[0].scratch
    assert made.choices[0].cycles <= made.fetching + 16 * max(0, saved)


# With room for weights a plan takes what it says, also where they go back to what Prepare stores.
@pytest.mark.parametrize(
    ("name", "level"),
    [("mlperf_resnet8_int8", RAM), ("person_detect_int8", BALANCED), ("mlperf_kws_int8", RAM)],
)
def test_room_for_weights_costs_what_it_says(name, level, shared_models, monkeypatch):
    found, with_stored = [], room._with_stored

    def noted(its_plans, model, most, enough):
        made, least = with_stored(its_plans, model, most, enough)
        found.append((model, its_plans.search, *made))
        return made, least

    monkeypatch.setattr(room, "_with_stored", noted)
    model = (shared_models / f"{name}.tflite").read_bytes()
    levels_of(optimized_model(model)[0], None, "armv6m").model(level)
    checked = 0
    for model, search, made, cycles in found:
        nodes, several = _by_themselves(model, search)
        if not hasattr(model, "chains") or several or made is model:
            continue
        stored = [getattr(each, "stored", {}) for each in (model, made)]
        chains = [chain.slots for chain in model.chains]
        before, after = (
            sum(search.storing.chain_cycles(slots, each) for slots in chains) for each in stored
        )
        assert cycles == after - before + search.storing.as_stored(nodes, stored[1])
        checked += stored[0] != stored[1]
    assert checked


# What is told of the weights of a region before it is looked at is no more than what they take.
@pytest.mark.parametrize(
    "name", ["mlperf_resnet8_int8", "person_detect_int8", "micro_speech_int8"]
)
def test_weights_in_bands_take_no_less_than_told(name, shared_models, monkeypatch):
    found, estimated = [], Edges._estimated

    def noted(edges, edge, more, wide):
        guess, made = edge.guess, estimated(edges, edge, more, wide)
        if edge.needs is not None:
            found.append((guess, edge.needs.cycles - edges.storing.least_of(edge.progress.region)))
        return made

    monkeypatch.setattr(Edges, "_estimated", noted)
    model = (shared_models / f"{name}.tflite").read_bytes()
    levels_of(optimized_model(model)[0], None, "armv6m").model(RAM)
    assert found and all(guess <= max(0, cycles) + 1 for guess, cycles in found)
