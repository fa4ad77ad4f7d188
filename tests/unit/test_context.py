# Tests of MicroContext: which calls each phase allows, and the records that it writes
# MIT license; Copyright (c) 2026 the tflm authors

import struct

import pytest
from support.builder import ModelBuilder
from tflm.arena import Arena
from tflm.errors import InputError, ModelError, StateError
from tflm.tflite.allocator import MicroAllocator
from tflm.tflite.context import INIT, INVOKE, MEMORY_PLANNING, PREPARE, MicroContext
from tflm.tflite.reader import TfliteModel

_PHASES = {INIT: "init", PREPARE: "prepare", MEMORY_PLANNING: "memory planning", INVOKE: "invoke"}


# A context in a phase, with an arena of 4 KB and a node of two float32 tensors of 8 elements.
def context_in(phase, memory=4096):
    builder = ModelBuilder()
    x, y = builder.tensor((8,), "float32"), builder.tensor((8,), "float32")
    builder.custom("Mine", [x], [y])
    builder.io([x], [y])
    model = TfliteModel(builder.build())
    allocator = MicroAllocator(Arena(memory))
    allocator.start_model_allocation(model)
    context = MicroContext(allocator)
    context.node = model.subgraphs[0].node(0)
    for step in range(1, phase + 1):
        context.enter(step)
    return context


# Each call, and the phases that allow it.
_CALLS = {
    "request_scratch_buffer": (lambda c, o: c.request_scratch_buffer(8), {PREPARE}),
    "allocate_temp_buffer": (lambda c, o: c.allocate_temp_buffer(8), {PREPARE}),
    "allocate_persistent_buffer": (
        lambda c, o: c.allocate_persistent_buffer(8),
        {INIT, PREPARE},
    ),
    "get_persistent_buffer": (
        lambda c, o: c.get_persistent_buffer(o),
        {INIT, PREPARE, INVOKE},
    ),
    "get_scratch_buffer": (lambda c, o: c.get_scratch_buffer(o), {INVOKE}),
    "constant": (lambda c, o: c.constant(b"1234"), {PREPARE}),
    "emit": (lambda c, o: c.emit("copy.eval_bytes", (), 1), {PREPARE}),
}


@pytest.mark.parametrize("phase", _PHASES, ids=_PHASES.values())
@pytest.mark.parametrize("name", _CALLS)
def test_calls_and_phases(name, phase):
    call, allowed = _CALLS[name]
    context = context_in(INIT)
    operand = context.allocate_persistent_buffer(8)
    for step in range(1, phase + 1):
        context.enter(step)
    if phase in allowed:
        call(context, operand)
        return
    with pytest.raises(StateError) as caught:
        call(context, operand)
    assert str(caught.value).startswith(f"{name} is allowed in ")
    assert str(caught.value).endswith(f", not in {_PHASES[phase]}; call it there")
    assert all(_PHASES[p] in str(caught.value) for p in allowed)


@pytest.mark.parametrize("before", _PHASES)
@pytest.mark.parametrize("after", _PHASES)
def test_order_of_phases(before, after):
    context = context_in(before)
    if after in (before, before + 1):
        context.enter(after)
        assert context.phase == after
        return
    with pytest.raises(StateError) as caught:
        context.enter(after)
    assert str(caught.value) == (
        f"cannot go from {_PHASES[before]} to {_PHASES[after]}; use the order of TFLM"
    )
    assert context.phase == before


@pytest.mark.parametrize("size", [-1, 1.5, "8", None, (1 << 29) + 1])
@pytest.mark.parametrize(
    "name", ["request_scratch_buffer", "allocate_temp_buffer", "allocate_persistent_buffer"]
)
def test_invalid_sizes(name, size):
    context = context_in(PREPARE)
    with pytest.raises(InputError, match=f"op 0 Mine: {name}(.*) failed; pass"):
        getattr(context, name)(size)


def test_temp_buffer_is_after_the_head():
    context = context_in(PREPARE)
    first, second = context.allocate_temp_buffer(10), context.allocate_temp_buffer(10)
    first[:] = b"\x01" * 10
    second[:] = b"\x02" * 10
    assert bytes(first) == b"\x01" * 10
    assert bytes(context.storage.memory[:32]) == b"\x01" * 10 + bytes(6) + b"\x02" * 10 + bytes(6)


# Persistent buffers are zero at first, whatever the arena held before.
def test_persistent_buffer_is_cleared():
    context = context_in(INIT, bytearray(b"\xff" * 4096))
    operand = context.allocate_persistent_buffer(1000)
    assert bytes(context.get_persistent_buffer(operand)) == bytes(1000)


# The record of one emit(): (kernel, words, table).
def record(context, layout, units=5, table=b"", **fields):
    context.emit("file.eval", layout, units, table=table, **fields)
    written = context.storage.records[-1]
    words = 1 + len(layout)
    raw = bytes(
        context.storage.memory[written.position : written.position + 4 * words + len(table)]
    )
    return written, struct.unpack(f"<{words}I", raw[: 4 * words]), raw[4 * words :]


def test_record():
    context = context_in(PREPARE)
    node = context.node
    written, words, table = record(
        context,
        ("input", "nothing", "output", "size", "minus"),
        table=b"abcdef",
        input=node.input(0),
        nothing=None,
        output=node.output(0),
        size=3,
        minus=-2,
    )
    assert (written.kernel, written.node_index, written.operands) == ("file.eval", 0, 3)
    assert words == (5, 0 << 2, 1, 1 << 2, 3, 0xFFFFFFFE)
    assert table == b"abcdef"
    assert written.position % 4 == 0


def test_record_with_operands_after_numbers():
    context = context_in(PREPARE)
    with pytest.raises(ModelError, match=r"file\.eval: operand input follows numbers"):
        record(context, ("size", "input"), size=1, input=context.node.input(0))


def test_record_with_an_extra_field():
    context = context_in(PREPARE)
    with pytest.raises(ModelError, match=r"file\.eval: the layout lacks other"):
        record(context, ("size",), size=1, other=2)


def test_record_with_a_missing_field():
    with pytest.raises(KeyError):
        record(context_in(PREPARE), ("size",))


def test_empty_tensor_makes_no_record():
    context = context_in(PREPARE)
    context.emit("file.eval", (), 0)
    assert context.storage.records == []


# A slice has some 2**18 multiply-accumulates, and at least one unit.
@pytest.mark.parametrize(
    ("units", "work", "expected"),
    [
        (100, 0, 100),
        (100, 1 << 18, 100),
        (100, 1 << 19, 50),
        (3, 1 << 30, 1),
        (1000, (1 << 18) * 10, 100),
        (1, 1, 1),
    ],
)
def test_units_a_slice(units, work, expected):
    context = context_in(PREPARE)
    context.emit("file.eval", (), units, work)
    assert context.storage.records[0].slice_units == expected
