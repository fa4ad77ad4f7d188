# tflm_tools: Edge: consecutive operators of a model, one by itself or several in bands, with costs
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass
from math import inf

from ....bands.band_schedule import BandSchedule
from .band_costs import BandCosts


@dataclass(frozen=True)
class CycleLimit:
    """The extra cycles of a plan whose weights may later use more arena than its limit.

    That is `arena_factor` times the limit, or `min_arena` bytes.
    """

    cycles: float
    arena_factor: float
    min_arena: int = 0

    def arena(self, limit):
        """Return the bytes of arena that weights may use."""
        return max(self.arena_factor * limit, self.min_arena)


@dataclass(eq=False)
class Edge:
    """Operators first..end-1 of a model: one by itself, or several in bands by a `schedule`.

    Bytes and cycles of an Edge become exact in three stages:
    1. `arena` and `cycles` are lower bounds. Once the rows of all bands are counted,
       has_lower_bound is True.
    2. `band_costs` are known: scratch, records and layouts of weights.
    3. is_planned: `arena` comes from a plan.

    cycles: extra cycles. layout_cycles: the part of them that WeightLayoutSearch.within() and
    in_banded_model() count, too; 0 until stage 2. owner: the ModelEdges that can examine the Edge.
    """

    first: int
    end: int
    arena: int
    cycles: int = 0
    schedule: BandSchedule | None = None
    is_planned: bool = True
    band_costs: BandCosts | None = None
    owner: object = None
    layout_cycles: int = 0
    has_lower_bound: bool = True

    def savable_cycles(self, arena):
        """Return how many cycles the weights would save in `arena` bytes, at most."""
        if self.schedule is None:
            return self.cycles
        if self.band_costs is None:  # `cycles` may be too high, too
            return inf
        return self.band_costs.savable_cycles(arena)
