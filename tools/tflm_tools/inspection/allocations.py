# tflm_tools: what takes the bytes of an arena, in the sections of TFLM's RecordingMicroAllocator
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass

from tflm.introspection.allocations import allocations_of_flat, with_rest
from tflm.model import FlatModel


@dataclass
class Part:
    """Bytes of a section ("head", "tail", "rest"); `count` is None where nobody counted."""

    section: str
    what: str
    count: int | None
    bytes: int


@dataclass
class Allocations:
    """The parts of an arena, whose bytes add up to all of it; `form` is "tflm" or "tflite"."""

    form: str
    parts: list[Part]


def allocations(form, parts, arena_bytes):
    """Allocations from tuples as tflm.allocations makes them."""
    return Allocations(form, [Part(*p) for p in with_rest(list(parts), arena_bytes, "Alignment")])


def flat_allocations(data):
    """Allocations of a .tflm (bytes)."""
    model = FlatModel(data)
    return allocations("tflm", allocations_of_flat(model), model.arena_bytes)
