# tflm_tools: allocations: lists the allocations in an arena by section, as TFLM's recorder does
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass

from tflm.introspection.allocations import allocations_of_flat, with_rest
from tflm.model import FlatModel


@dataclass
class Allocation:
    """Bytes of a section ("head", "tail", "rest"); `count` is None where it is not known."""

    section: str
    what: str
    count: int | None
    bytes: int


@dataclass
class Allocations:
    """All allocations in the arena of a model; `form` is "tflm" or "tflite".

    The bytes of `parts` add up to the size of the arena.
    """

    form: str
    parts: list[Allocation]


def allocations(kind, rows, arena_bytes):
    """Return the Allocations of rows (tuples) of tflm.introspection.allocations.

    kind: "tflm" or "tflite". arena_bytes: the size of the arena; the difference to the sum of all
    rows becomes a row "Alignment".
    """
    rows = with_rest(list(rows), arena_bytes, "Alignment")
    return Allocations(kind, [Allocation(*row) for row in rows])


def flat_allocations(data):
    """Return the Allocations of a .tflm (bytes)."""
    model = FlatModel(data)
    return allocations("tflm", allocations_of_flat(model), model.arena_bytes)
