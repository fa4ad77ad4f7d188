# Tests of the levels of --optimize: budgets of real models, and what each level leaves alone
# MIT license; Copyright (c) 2026 the tflm authors

import pytest
from optimize.graphs import Network
from optimize.nets import unet
from optimize.test_memory_bands import ChainBuilder
from support.check import Cases
from tflm.tflite.reader import TfliteModel
from tflm_tools.arena import rolled
from tflm_tools.arena.arena_plan import tflm_head_bytes
from tflm_tools.flat.flatten import at_level, levels_of, optimized_model, prepare
from tflm_tools.image.prepare import prepare_graph
from tflm_tools.optimize.memory.flash_cache import MISS
from tflm_tools.optimize.memory.levels import BALANCED, OFF, RAM, SPEED
from tflm_tools.optimize.memory.weights import cycles_of
from tflm_tools.optimize.passes import passes_without

# Shares of TFLM's head that the arena may take, packed for armv6m, by level.
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


# In a process of MicroPython each, beside TFLM.
@pytest.mark.parametrize(
    ("name", "paths"),
    [
        ("person_detect_int8", ("ram armv6m", "speed armv7em")),
        ("mlperf_resnet8_int8", ("ram armv6m", "balanced")),
    ],
)
def test_outputs(name, paths, shared_models):
    cases = Cases()
    model = (shared_models / f"{name}.tflite").read_bytes()
    cases.add(name, model, inputs="random", runs=1, repeat="none", slices=(3,), paths=paths)
    cases.check()


# Decoders and what skips beside them run in bands; each as TFLM runs it.
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


def chain(name):
    return ChainBuilder(name, 4, 6).model.build()


# Each level needs no more than the one above it, which needs no more than TFLM's plan.
@pytest.mark.parametrize("number", range(8))
def test_levels_are_in_order(number):
    model = chain(f"levels {number}")
    heads = [prepare(model, optimize=level)[1].head_bytes for level in (RAM, BALANCED, SPEED, OFF)]
    assert heads == sorted(heads)


# A graph of which the search for ram, had it not seen that for balanced, would choose worse.
def test_levels_of_a_graph_are_in_order():
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


_OWN = "digits/digits_int8", "hello_world/hello_world_int8", "keywords/keywords_int8"
_SHARED = "mlperf_ad01_int8", "micro_speech_int8", "mnist_lstm_int8", "mlperf_kws_int8"


# No level but speed needs more than TFLM's plan does; real models, ours and others.
@pytest.mark.parametrize("name", _OWN + _SHARED)
def test_no_level_but_speed_needs_more_than_off(name, repository, shared_models):
    path = repository / "models" / name if "/" in name else shared_models / name
    saved, _ = optimized_model(path.with_suffix(".tflite").read_bytes(), savings=passes_without())
    levels = levels_of(saved, None, "armv6m")
    plain = prepare_graph(at_level(saved, OFF, None, "armv6m"), target="armv6m")
    heads = [
        prepare_graph(levels.model(e)[0], target="armv6m").head_bytes for e in (RAM, BALANCED)
    ]
    assert max(heads) <= plain.head_bytes == levels.off()[0]
    assert levels.is_of_use(BALANCED) or heads[1] == plain.head_bytes


# Weights that are used once are fetched as one byte each, in no more arena than off takes.
def test_weights_that_are_used_once(shared_models):
    model = (shared_models / "mlperf_ad01_int8.tflite").read_bytes()
    for level, dense in ((OFF, 1), (BALANCED, 1), (SPEED, 0)):
        _, storage = prepare(model, target="armv6m", optimize=level)
        kernels = [record.kernel for record in storage.records]
        assert kernels.count("dense.eval_bytes") == dense and len(kernels) == 10
        assert len(storage.constants) < 320_000 and (level == SPEED) == (storage.head_bytes > 2816)


# Room that the arena has anyway goes to weights that are fetched less often.
def test_room_is_used(shared_models):
    model = (shared_models / "mlperf_vww96_int8.tflite").read_bytes()
    for level, most, cycles in ((OFF, 73728, 3_800_000), (SPEED, 48 * 1024, 3_800_000)):
        _, storage = prepare(model, target="armv6m", optimize=level)
        assert storage.head_bytes <= most
        assert sum(cycles_of(record, MISS) for record in storage.records) <= cycles


# Where weights are most of a model, and nothing runs in bands, the default level leaves their
# blocks room: the plan with the fewest bytes took several times the cycles (MLPerf's IC02 1.27).
@pytest.mark.parametrize(
    ("channels", "side", "more"), [(32, 16, 0.03), (64, 16, 0.09), (96, 8, 0)]
)
def test_balanced_leaves_heavy_weights_room(channels, side, more):
    net = Network(f"heavy weights {channels} {side}", (side, side, channels))
    x = net.inputs[0]
    model = net.build(net.binary("ADD", x, net.conv(net.conv(x, channels, 3), channels, 3)))
    levels = levels_of(optimized_model(model)[0], None, "armv6m")
    made, cycles = levels.model(BALANCED)
    assert levels.prepared(made).head_bytes <= levels.off()[0]
    assert cycles - levels.model(SPEED)[1] <= more * levels.base_cycles()


def test_speed_has_no_bands(shared_models):
    model = (shared_models / "person_detect_int8.tflite").read_bytes()
    for level, expected in ((SPEED, 0), (OFF, 0), (BALANCED, 2)):
        _, storage = prepare(model, optimize=level)
        assert [record.kernel for record in storage.records].count(rolled.KERNEL) == expected
        assert (level != OFF) or not any(record.ordered for record in storage.records)


# A plan is the same each time, and planning changes nothing of the graph it starts from.
def test_plans_are_the_same_each_time():
    model = chain("again")
    first, second = (prepare(model, optimize=RAM)[1] for _ in range(2))
    assert first.head_bytes == second.head_bytes
    assert [r.words for r in first.records] == [r.words for r in second.records]
