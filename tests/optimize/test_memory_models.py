# Tests of the levels of --optimize with real models: arenas, cycles, bands and results
# MIT license; Copyright (c) 2026 the tflm authors

import pytest
from optimize.known_networks import unet
from optimize.network import Network
from optimize.test_memory_bands import ChainBuilder
from support.check import Cases
from tflm.tflite.reader import TfliteModel
from tflm_tools.arena.arena_plan import tflm_head_bytes
from tflm_tools.bands import band_op
from tflm_tools.flat.flatten import levels_of, optimized_model, prepare
from tflm_tools.image.prepare import prepare_graph
from tflm_tools.optimize.memory import level_search
from tflm_tools.optimize.memory.levels import BALANCED, OFF, RAM, SPEED
from tflm_tools.optimize.memory.weights.flash_cache import MISS
from tflm_tools.optimize.memory.weights.layouts import weight_cycles
from tflm_tools.optimize.passes import passes_without

# {model: {level: the largest share of TFLM's head that the arena may need}}, for armv6m.
BUDGETS = {
    "person_detect_int8": {RAM: 0.30, BALANCED: 0.39},
    "mlperf_vww96_int8": {BALANCED: 0.43},
    "mlperf_resnet8_int8": {RAM: 0.42, BALANCED: 0.73},
    "mlperf_kws_int8": {BALANCED: 0.74},
}


@pytest.mark.parametrize("name", BUDGETS)
def test_budgets(name, shared_models):
    model = (shared_models / f"{name}.tflite").read_bytes()
    levels = levels_of(optimized_model(model)[0], None, "armv6m")
    for level, share in BUDGETS[name].items():
        storage = prepare_graph(levels.model(level)[0], target="armv6m")
        assert storage.arena_bytes <= share * tflm_head_bytes(TfliteModel(model)), level


# Each model runs in MicroPython and in TFLM.
@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("name", "paths"),
    [
        ("mlperf_resnet8_int8", ("ram armv6m", "balanced")),
        ("person_detect_int8", ("ram armv6m", "speed armv7em")),
    ],
)
def test_outputs(name, paths, shared_models):
    cases = Cases()
    model = (shared_models / f"{name}.tflite").read_bytes()
    cases.add(name, model, inputs="random", runs=1, repeat="none", slices=(3,), paths=paths)
    cases.check()


# Decoders with skip connections run in bands.
@pytest.mark.long
@pytest.mark.parametrize(("up", "share"), [("resize", 0.38), ("transposed", 0.52)])
def test_unets(up, share):
    model = unet(up)
    levels = levels_of(optimized_model(model)[0], None, None)
    head = prepare_graph(levels.model(RAM)[0]).head_bytes
    assert head <= share * tflm_head_bytes(TfliteModel(model))
    cases = Cases()
    paths = "ram", "ram armv6m"
    cases.add(up, model, inputs="random", runs=1, repeat="none", slices=(3,), paths=paths)
    cases.check()


# A .tflite of a random chain of operators.
def random_chain(name):
    return ChainBuilder(name, 4, 6).model.build()


# RAM needs no more than BALANCED, BALANCED no more than SPEED, SPEED no more than TFLM's plan.
@pytest.mark.parametrize("number", range(8))
def test_each_level_needs_no_more_than_the_next(number):
    model = random_chain(f"levels {number}")
    heads = [prepare(model, optimize=level)[1].head_bytes for level in (RAM, BALANCED, SPEED, OFF)]
    assert heads == sorted(heads)


# Without the plan of BALANCED, the search for RAM would choose a larger plan for this graph.
def test_ram_needs_no_more_than_balanced():
    net = Network("levels of a graph", (12, 17, 2))
    first = net.conv(net.conv(net.inputs[0], 13, 3), 13, 3)
    beside = net.conv(net.inputs[0], 13, zero_point=0)
    beside = net.unary("QUANTIZE", beside, 0.0235, -128)
    joined = net.concatenation([first, beside], 3)
    constant = net.tensor((1, 1, 26), 0.03, 5, net.random.integers(-128, 128, (1, 1, 26)))
    model = net.build(net.binary("ADD", joined, constant))
    heads = [
        prepare(model, target="armv6m", optimize=level)[1].head_bytes for level in (RAM, BALANCED)
    ]
    assert heads == sorted(heads)


_REPOSITORY_MODELS = "digits/digits_int8", "hello_world/hello_world_int8", "keywords/keywords_int8"
_SHARED_MODELS = "mlperf_ad01_int8", "micro_speech_int8", "mnist_lstm_int8", "mlperf_kws_int8"


@pytest.mark.parametrize("name", _REPOSITORY_MODELS + _SHARED_MODELS)
def test_ram_and_balanced_need_no_more_than_off(name, repository, shared_models):
    path = repository / "models" / name if "/" in name else shared_models / name
    optimized, _ = optimized_model(
        path.with_suffix(".tflite").read_bytes(), passes=passes_without()
    )
    levels = levels_of(optimized, None, "armv6m")
    plain = prepare_graph(
        levels_of(optimized, None, "armv6m").as_planned(optimized), target="armv6m"
    )
    heads = [
        prepare_graph(levels.model(e)[0], target="armv6m").head_bytes for e in (RAM, BALANCED)
    ]
    assert max(heads) <= plain.head_bytes == levels.off()[0]
    assert levels.is_of_use(BALANCED) or heads[1] == plain.head_bytes


# Weights that are used once are used as bytes, unless flash has no wait states.
def test_weights_that_are_used_once(shared_models):
    model = (shared_models / "mlperf_ad01_int8.tflite").read_bytes()
    for level, miss, dense in (
        (OFF, None, 10),
        (BALANCED, None, 10),
        (SPEED, None, 10),
        (SPEED, 0, 0),
    ):
        _, storage = prepare(model, target="armv6m", optimize=level, miss=miss)
        kernels = [record.kernel for record in storage.records]
        assert kernels.count("dense.eval_bytes") == dense and len(kernels) == 10
        assert (len(storage.constants) < 320_000) == (dense == 10)


# Free bytes of the arena are used for layouts that fetch weights less often.
def test_free_arena_is_used_for_weights(shared_models):
    model = (shared_models / "mlperf_vww96_int8.tflite").read_bytes()
    for level, max_head, cycles in ((OFF, 73728, 3_800_000), (SPEED, 48 * 1024, 3_800_000)):
        _, storage = prepare(model, target="armv6m", optimize=level)
        assert storage.head_bytes <= max_head
        assert sum(weight_cycles(record, MISS) for record in storage.records) <= cycles


# Without bands, BALANCED uses a larger arena if the smallest one would slow the weights down. (The
# smallest arena of MLPerf's IC02 costs 27 % more cycles.)
@pytest.mark.parametrize(
    ("channels", "side", "more"), [(32, 16, 0.03), (64, 16, 0.09), (96, 8, 0)]
)
def test_balanced_uses_more_arena_for_heavy_weights(channels, side, more):
    net = Network(f"heavy weights {channels} {side}", (side, side, channels))
    x = net.inputs[0]
    model = net.build(net.binary("ADD", x, net.conv(net.conv(x, channels, 3), channels, 3)))
    levels = levels_of(optimized_model(model)[0], None, "armv6m")
    graph, cycles = levels.model(BALANCED)
    assert levels.prepared(graph).head_bytes <= levels.off()[0]
    assert cycles - levels.model(SPEED)[1] <= more * levels.base_cycles()


def test_speed_has_no_bands(shared_models):
    model = (shared_models / "person_detect_int8.tflite").read_bytes()
    for level, expected in ((SPEED, 0), (OFF, 0), (BALANCED, 2)):
        _, storage = prepare(model, optimize=level)
        assert [record.kernel for record in storage.records].count(band_op.KERNEL) == expected
        assert (level != OFF) or not any(record.ordered for record in storage.records)


# Planning the same model twice gives the same plan, and does not change the model.
def test_plans_are_reproducible():
    model = random_chain("again")
    first, second = (prepare(model, optimize=RAM)[1] for _ in range(2))
    assert first.head_bytes == second.head_bytes
    assert [r.words for r in first.records] == [r.words for r in second.records]


# A search that stops early because no plan is smaller finds a plan of the same size.
@pytest.mark.parametrize("number", range(4))
def test_early_stop_keeps_the_arena(monkeypatch, number):
    model = random_chain(f"stop {number}")
    whole, early = {}, {}
    for limit, heads in ((level_search.MAX_TENSORS, whole), (-1, early)):
        monkeypatch.setattr(level_search, "MAX_TENSORS", limit)
        for level in (RAM, BALANCED, SPEED):
            heads[level] = prepare(model, optimize=level, target="armv6m")[1].head_bytes
    assert early == whole
