# tflm_tools: Edge: some operators of a model, one by one or in bands, and what these need and take
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass
from math import inf

from .needs import Needs
from .progress import Progress


@dataclass(frozen=True)
class Limits:
    """Bytes that an Edge may need: an operator by itself, some in bands; `unsure`: by estimate.

    is_wide: weights of what runs in bands may have more room than they need.
    """

    single: float
    banded: float
    unsure: float
    is_wide: bool = False


@dataclass(frozen=True)
class Room:
    """For weights: `cycles` that there may be in `wider` times a limit, or in `least` bytes."""

    cycles: float
    wider: float
    least: int = 0

    def beside(self, limit):
        """Bytes of the arena that they may use."""
        return max(self.wider * limit, self.least)


@dataclass(eq=False)
class Edge:
    """Operators first..last-1 of a model in bands of `height` rows, or one by itself.

    arena and cycles are least values until it has been looked at: is_sure; is_told: of the arena
    it is known what its rows tell. needs: its Needs, once these are known. of: the Edges that can
    look at it. counted: those of the cycles that Storing.within() and in_slots() count, too.
    guess: those that its weights take at least, until it has been looked at. may_need:
    PartFound.may_need.
    """

    first: int
    last: int
    arena: int
    cycles: int = 0
    progress: Progress | None = None
    is_sure: bool = True
    needs: Needs | None = None
    of: object = None
    counted: int = 0
    guess: int = 0
    may_need: int = 0
    is_told: bool = True

    @property
    def is_wide(self):
        """True where its weights have more room than they need."""
        return self.needs is not None and self.needs.is_wide

    def spare(self, arena):
        """Cycles that its weights would not take in so many bytes, at most."""
        if self.progress is None:
            return self.cycles
        if self.needs is None:  # it may take less than it seems, too
            return inf
        return self.needs.spare(arena)

    def is_known(self, limit):
        """True when look_at() would tell no more of whether `limit` bytes do."""
        return self.is_sure and (self.arena <= limit or not self.may_need)
