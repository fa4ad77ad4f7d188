# Tests of the arena: SingleArenaBufferAllocator and Arena
# MIT license; Copyright (c) 2026 the tflm authors

import random

import pytest
from tflm.arena import MAX_BYTES, Arena, SingleArenaBufferAllocator, align_up
from tflm.errors import ArenaError, InputError, StateError


# Sections with bytes in use: head 32, temp 8 after it, tail 48.
def filled(size=160):
    sections = SingleArenaBufferAllocator(size)
    sections.resize_head(32)
    sections.allocate_persistent_buffer(48)
    sections.allocate_temp(8)
    return sections


def test_positions_of_empty_sections():
    sections = SingleArenaBufferAllocator(100)
    assert (sections.buffer_head, sections.head, sections.temp) == (0, 0, 0)
    assert (sections.tail, sections.buffer_tail) == (100, 100)
    assert sections.used_bytes() == 0
    assert sections.available_bytes() == 100


def test_five_positions():
    sections = filled()
    assert (sections.head, sections.temp, sections.tail) == (32, 40, 112)
    assert sections.head_used_bytes() == 32
    assert sections.tail_used_bytes() == 48
    assert sections.used_bytes() == 80
    assert sections.available_bytes() == 72


@pytest.mark.parametrize("alignment", [1, 4, 8, 16])
def test_alignment(alignment):
    sections = SingleArenaBufferAllocator(256)
    for size in (1, 3, 7, 16, 17):
        assert sections.allocate_persistent_buffer(size, alignment) % alignment == 0
        assert sections.allocate_temp(size, alignment) % alignment == 0


def test_default_alignment_is_16():
    sections = SingleArenaBufferAllocator(100)
    assert sections.allocate_persistent_buffer(1) == 96
    assert sections.allocate_persistent_buffer(1) == 80
    assert sections.allocate_temp(1) == 0
    assert sections.allocate_temp(1) == 16


# A request that fits exactly succeeds, one byte more is refused with this message.
@pytest.mark.parametrize(
    ("what", "call", "available"),
    [
        ("a persistent buffer", "allocate_persistent_buffer", 64),
        ("a temporary buffer", "allocate_temp", 64),
        ("the head section", "resize_head", 112),
    ],
)
def test_exactly_full(what, call, available):
    for size in (available, available + 1):
        sections = filled()
        if call == "resize_head":
            sections.reset_temp_allocations()
        before = sections.positions(), sections.temp
        if size == available:
            getattr(sections, call)(size)
            continue
        with pytest.raises(ArenaError) as caught:
            getattr(sections, call)(size)
        assert str(caught.value) == (
            f"the arena is too small for {what}: needed {size} bytes, available {available}, "
            f"missing {size - available}; use a larger arena"
        )
        assert (caught.value.needed, caught.value.available) == (size, available)
        assert (sections.positions(), sections.temp) == before


def test_refusal_counts_alignment():
    sections = SingleArenaBufferAllocator(44)
    sections.allocate_temp(3)
    with pytest.raises(ArenaError) as caught:
        sections.allocate_temp(30)
    assert (caught.value.needed, caught.value.available) == (30, 28)
    sections.allocate_temp(28)


def test_temp_is_released():
    sections = filled()
    sections.allocate_temp(50)
    sections.reset_temp_allocations()
    assert sections.temp == sections.head == 32
    assert sections.allocate_temp(80) == 32


def test_tail_does_not_overlap_temp():
    sections = SingleArenaBufferAllocator(64)
    sections.allocate_temp(33)
    with pytest.raises(ArenaError):
        sections.allocate_persistent_buffer(17)
    sections.reset_temp_allocations()
    assert sections.allocate_persistent_buffer(64) == 0


def test_head_is_not_resized_with_temp_in_use():
    sections = filled()
    with pytest.raises(StateError, match="temporary buffers in use; reset them"):
        sections.resize_head(16)
    sections.reset_temp_allocations()
    sections.resize_head(16)
    assert sections.head == sections.temp == 16


def test_restore():
    sections = filled()
    positions = sections.positions()
    sections.allocate_persistent_buffer(16)
    sections.allocate_temp(16)
    sections.restore(positions)
    assert (sections.head, sections.temp, sections.tail) == (32, 32, 112)
    sections.resize_head(48)  # allowed: no temporary buffer is in use


def test_measuring_has_no_limit():
    sections = SingleArenaBufferAllocator()
    sections.allocate_persistent_buffer(100 << 20)
    sections.resize_head(200 << 20)
    assert sections.used_bytes() == 300 << 20
    with pytest.raises(ArenaError):
        sections.allocate_persistent_buffer(MAX_BYTES)


# Buffers of random requests are inside the arena, aligned and separate.
def test_random_allocations_never_overlap():
    rng = random.Random(7)
    for _ in range(300):
        size = rng.randrange(0, 600)
        sections = SingleArenaBufferAllocator(size)
        lasting, passing = [], []
        for _ in range(rng.randrange(1, 12)):
            count, alignment = rng.randrange(0, 90), rng.choice((1, 4, 16))
            try:
                if rng.random() < 0.4:
                    start = sections.allocate_persistent_buffer(count, alignment)
                    lasting.append((start, start + count))
                elif rng.random() < 0.7:
                    start = sections.allocate_temp(count, alignment)
                    passing.append((start, start + count))
                else:
                    sections.reset_temp_allocations()
                    passing = []
                    sections.resize_head(max(count, sections.head_used_bytes()))
            except ArenaError as error:
                assert error.needed > error.available
            used = sorted([(0, sections.head), *lasting, *passing])
            used = [(a, b) for a, b in used if b > a]
            assert all(b <= c for (_, b), (c, _) in zip(used, used[1:], strict=False))
            assert all(a >= 0 and b <= size for a, b in used)


@pytest.mark.parametrize(
    "memory", [b"read only", memoryview(b"read only"), "text", 1.5, [1, 2], object()]
)
def test_arena_refuses_other_buffers(memory):
    with pytest.raises(InputError, match="must be a writable buffer of bytes, not .*bytearray"):
        Arena(memory)


def test_arena_refuses_a_negative_size():
    with pytest.raises(InputError, match="the arena size is -1; pass 0 or more bytes"):
        Arena(-1)


def test_arena_of_a_size_and_of_a_buffer():
    assert len(Arena(100).buffer) == 100
    memory = bytearray(b"\x07" * 64)
    arena = Arena(memory)
    assert bytes(memory) == b"\x07" * 64
    arena.buffer[3] = 9
    assert memory[3] == 9
    assert Arena(memory, 48).sections.buffer_tail == 48
    assert Arena(memory, 480).sections.buffer_tail == 64


def test_head_only_grows():
    arena = Arena(256)
    assert arena.reserve_head(64) == 0
    arena.reserve_head(32)
    assert arena.sections.head_used_bytes() == 64
    arena.reserve_head(100)
    assert arena.sections.head_used_bytes() == 100
    assert arena.used_bytes() == 112


@pytest.mark.parametrize(("value", "result"), [(0, 0), (1, 16), (16, 16), (17, 32)])
def test_align_up(value, result):
    assert align_up(value) == result
