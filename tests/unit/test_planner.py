# Tests of GreedyMemoryPlanner, the linear plan, and the buffers of a model
# MIT license; Copyright (c) 2026 the tflm authors

import random
import re

import pytest
from support.builder import ModelBuilder
from tflm.errors import ModelError
from tflm.tflite.lifetimes import buffers_of
from tflm.tflite.planner import Buffer, GreedyMemoryPlanner, plan_greedy, plan_linear
from tflm.tflite.reader import TfliteModel


# A planner with buffers of (size, first, last[, offset]).
def planner(*buffers):
    result = GreedyMemoryPlanner()
    for buffer in buffers:
        result.add_buffer(*buffer)
    return result


def offsets(plan):
    return [plan.offset_for_buffer(i) for i in range(len(plan.buffers))]


# The example in TFLM's documentation of memory management.
def test_documented_example():
    plan = planner((100, 0, 1), (80, 2, 3), (50, 1, 2))
    assert plan.maximum_memory_size() == 150
    assert offsets(plan) == [0, 0, 100]


def test_empty_plan():
    assert planner().maximum_memory_size() == 0


def test_equal_sizes_later_one_first():
    assert offsets(planner((16, 0, 1), (16, 0, 1), (16, 0, 1))) == [32, 16, 0]


def test_lowest_gap_that_fits():
    plan = planner((100, 0, 9), (60, 0, 3), (50, 0, 9), (40, 4, 9), (20, 4, 9))
    assert offsets(plan) == [0, 100, 160, 100, 140]
    assert plan.maximum_memory_size() == 210


def test_offline_offsets_are_kept():
    plan = planner((110, 0, 1), (30, 0, 1, 64), (30, 0, 1, 200), (60, 1, 1))
    assert offsets(plan) == [230, 64, 200, 0]
    assert plan.maximum_memory_size() == 340


def test_offline_offsets_alone():
    plan = planner((32, 0, 5, 32), (32, 0, 5, 0), (16, 2, 3, 0))
    assert offsets(plan) == [32, 0, 0]
    assert plan.maximum_memory_size() == 64


def test_plan_changes_with_a_later_buffer():
    plan = planner((16, 0, 1))
    assert plan.maximum_memory_size() == 16
    assert plan.add_buffer(16, 0, 1) == 1
    assert plan.maximum_memory_size() == 32


def test_printed_plan(capsys):
    planner((100, 0, 1), (80, 2, 3)).print_memory_plan()
    assert capsys.readouterr().out.splitlines() == [
        "id=0: size=100, offset=0, first_used=0 last_used=1",
        "id=1: size=80, offset=0, first_used=2 last_used=3",
    ]


def random_buffers(rng):
    buffers = []
    for _ in range(rng.randrange(1, 40)):
        first = rng.randrange(0, 20)
        size = rng.choice((0, 16, 16 * rng.randrange(1, 40), rng.randrange(1, 700)))
        buffers.append(Buffer(size, first, first + rng.randrange(0, 6)))
    return buffers


# Buffers in use at the same time share no byte; the plan is as large as it says.
@pytest.mark.parametrize("plan", [plan_greedy, plan_linear])
def test_random_plans_never_overlap(plan):
    rng = random.Random(3)
    for _ in range(300):
        buffers = random_buffers(rng)
        head = plan(buffers)
        assert head == max(b.offset + b.size for b in buffers)
        for i, a in enumerate(buffers):
            assert a.offset >= 0
            for b in buffers[:i]:
                apart = a.offset + a.size <= b.offset or b.offset + b.size <= a.offset
                assert apart or not a.overlaps(b) or not a.size or not b.size


# A greedy plan is at most as large as the linear one, and at least as large as each step needs.
def test_random_plans_are_good():
    rng = random.Random(4)
    for _ in range(200):
        buffers = random_buffers(rng)
        linear, greedy = plan_linear(buffers), plan_greedy(buffers)
        peak = max(sum(b.size for b in buffers if b.first <= t <= b.last) for t in range(26))
        assert peak <= greedy <= linear


def test_linear_plan_has_separate_buffers():
    buffers = [Buffer(16, 0, 0), Buffer(32, 5, 6), Buffer(8, 1, 1)]
    assert plan_linear(buffers) == 56
    assert [b.offset for b in buffers] == [0, 16, 48]


@pytest.mark.parametrize("plan", [plan_greedy, plan_linear])
def test_plan_that_is_not_addressable(plan):
    with pytest.raises(ModelError, match="at most 536870912 are addressable"):
        plan([Buffer(1 << 29, 0, 1), Buffer(16, 0, 1)])


# A graph of element-wise operators: x -> a -> b -> y, and x again in the last.
def chain(offline=None):
    builder = ModelBuilder()
    x, a, b, y = (builder.tensor((100,), "float32") for _ in range(4))
    builder.operator("LOGISTIC", [x], [a])
    builder.operator("TANH", [a], [b])
    builder.operator("ADD", [x, b], [y])
    builder.io([x], [y])
    if offline:
        builder.offline_plan(offline)
    return TfliteModel(builder.build())


def test_lifetimes():
    tensors, scratch, _ = buffers_of(chain(), [(10, 1), (40, 1), (5, 2)])
    lives = {i: (b.size, b.first, b.last) for i, b in tensors.items()}
    assert lives == {0: (400, 0, 3), 1: (400, 1, 2), 2: (400, 2, 3), 3: (400, 3, 3)}
    assert [(b.size, b.first, b.last) for b in scratch] == [(16, 2, 2), (48, 2, 2), (16, 3, 3)]


def test_offline_plan_of_a_model():
    tensors, _, _ = buffers_of(chain([800, -1, 0, -1]), [])
    assert [tensors[i].offline_offset for i in range(4)] == [800, -1, 0, -1]
    plan_greedy([tensors[i] for i in range(4)])
    assert [tensors[i].offset for i in range(4)] == [800, 400, 0, 400]


@pytest.mark.parametrize(
    ("offline", "message"),
    [
        ([0, 400, 800], "one offset for each of the 4 tensors; remove it"),
        ([0, 400, 800, 1200, 1600], "one offset for each of the 4 tensors; remove it"),
        ([0, -2, 800, 1200], "the offset -2; remove the plan"),
        ([0, 401, 800, 1200], "the offset 401; remove the plan"),
    ],
)
def test_invalid_offline_plans(offline, message):
    with pytest.raises(ModelError, match=message):
        buffers_of(chain(offline), [])


def test_offline_plan_that_is_cut_off():
    builder = ModelBuilder()
    x, y = builder.tensor((4,), "float32"), builder.tensor((4,), "float32")
    builder.operator("LOGISTIC", [x], [y])
    builder.io([x], [y])
    for raw in (b"", b"\1\0\0\0", b"\1\0\0\0\1\0\0\0\2\0\0\0\0\0\0\0"):
        builder.table.metadata = []
        builder.metadata("OfflineMemoryAllocation", raw)
        with pytest.raises(ModelError, match="one offset for each of the 2 tensors"):
            buffers_of(TfliteModel(builder.build()), [])


def test_read_before_written():
    builder = ModelBuilder()
    x, y = builder.tensor((4,), "float32", name="late"), builder.tensor((4,), "float32")
    builder.operator("LOGISTIC", [x], [y])
    builder.io([], [y])
    with pytest.raises(ModelError, match="'late'.* is read before anything writes it"):
        buffers_of(TfliteModel(builder.build()), [])


# Constants, variables, empty tensors and unused tensors need no bytes of the head.
def test_tensors_without_bytes_in_the_head():
    builder = ModelBuilder()
    x = builder.tensor((4,), "float32")
    y = builder.tensor((4,), "float32")
    constant = builder.tensor((4,), "float32", [1, 2, 3, 4])
    variable = builder.tensor((4,), "float32", variable=True)
    empty = builder.tensor((0, 4), "float32")
    builder.tensor((1000,), "float32")
    builder.operator("ADD_N", [x, constant, variable, empty], [y])
    builder.io([x], [y])
    tensors, _, _ = buffers_of(TfliteModel(builder.build()), [])
    assert sorted(tensors) == [x, y]


# The table of real models: {name: TFLM's head}, which depends on the model alone.
def real_heads(folder):
    rows = (folder / "README.md").read_text().splitlines()
    cells = [[cell.strip() for cell in row.split("|")[1:-1]] for row in rows if "|" in row]
    column = cells[0].index("of which head")
    return {row[0]: int(row[column]) for row in cells[1:] if re.fullmatch(r"\d+", row[column])}


# TFLM's head consists of activations if a model has no scratch buffer at its peak.
def test_heads_of_real_models(shared_models):
    heads = real_heads(shared_models)
    assert len(heads) >= 11
    found = {}
    for name in heads:
        model = TfliteModel((shared_models / f"{name}.tflite").read_bytes())
        tensors, _, _ = buffers_of(model, [])
        found[name] = plan_greedy([tensors[i] for i in sorted(tensors)])
    with_scratch = {"keyword_scrambled_8bit", "mnist_lstm_int8"}  # of SVDF and LSTM
    for name in set(heads) - with_scratch:
        assert found[name] == heads[name], name
    for name in with_scratch:
        assert found[name] <= heads[name], name
