# Tests of MicroAllocator: constants that Prepare computes
# MIT license; Copyright (c) 2026 the tflm authors

import pytest
from support.builder import ModelBuilder
from tflm.arena import Arena
from tflm.tflite.allocator import MicroAllocator
from tflm.tflite.program import Measure
from tflm.tflite.reader import TfliteModel


# An allocator with an arena of `memory` bytes; None: without memory, to measure.
def allocator_over(memory):
    builder = ModelBuilder()
    x = builder.tensor((8,), "float32")
    builder.io([x], [x])
    allocator = MicroAllocator(Measure() if memory is None else Arena(memory))
    allocator.start_model_allocation(TfliteModel(builder.build()))
    return allocator


@pytest.mark.parametrize("memory", [4096, None])
def test_equal_constants_are_stored_once(memory):
    allocator = allocator_over(memory)
    table = bytes(range(64))
    first = allocator.constant(table, 4)
    used = allocator.sections.tail_used_bytes()
    assert allocator.constant(bytearray(table), 4) == first
    assert allocator.constant(memoryview(table), 4) == first
    assert allocator.sections.tail_used_bytes() == used


def test_different_constants_are_stored_separately():
    allocator = allocator_over(4096)
    positions = {allocator.constant(data, 4) >> 2: data for data in (b"abcd", b"abce", b"abc")}
    assert len(positions) == 3
    for at, data in positions.items():
        assert allocator.memory[at : at + len(data)] == data


# Constants with the same CRC but other bytes; they can be compared only if the arena is written.
def test_equal_checksums_of_different_constants():
    allocator = allocator_over(4096)
    at = allocator.constant(b"first", 4) >> 2
    allocator.memory[at] ^= 1
    assert allocator.constant(b"first", 4) >> 2 != at


def test_alignment():
    allocator = allocator_over(4096)
    allocator.constant(b"1234", 4)
    assert allocator.constant(b"1234", 16) >> 2 & 15 == 0
