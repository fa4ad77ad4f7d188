# tflm_tools: the levels of `tflm flatten --optimize`: how much time the RAM that is saved may cost
# MIT license; Copyright (c) 2026 the tflm authors

import copy
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from math import inf

from tflm.errors import UnsupportedError

from ...arena.overlap import may_overlap
from ...model.graph import Graph
from .budget import fastest
from .collection import uncollected
from .costs import as_told
from .one_order import AFTER, BALANCED, BUDGET, DRAFT, FEW, OFF, RAM, SPEED, OneOrder
from .order import late_branches, reordered
from .plans import Plans, PreparedOnce
from .scrap import TakesLong

LEVELS = (RAM, BALANCED, SPEED, OFF)
# Operators, of both orders, and tensors that looks make: where there are more, RAM is only told to
# who asks for it.
_MANY, _LOOKS = 80, 48_000


@dataclass
class LevelSize:
    """What a level comes to: bytes of arena and flash, and by estimate cycles of a Cortex-M0+, or
    for targets of other cores instructions of these.
    """

    level: str
    arena_bytes: int
    flat_bytes: int
    cycles: int
    bands: list[tuple[int, int]]  # first and last operator of each chain in bands, or in groups


class Levels:
    """Plans of one model at each level.

    model: a TfliteModel, or a Graph, which stays as it is. prepare(model) gives its RomStorage.
    arena: the bytes of arena that BUDGET keeps to. in_order: operators stay in the order that they
    have; otherwise what runs in bands may have another one, too, in which branches come late.
    """

    def __init__(
        self, model, prepare, target=None, packing=None, miss=None, arena=None, in_order=False
    ):
        model = copy.copy(model) if isinstance(model, Graph) else Graph(model)
        self._arena = arena
        self._made_by = model, PreparedOnce(prepare), target, packing, miss
        self._in_order = in_order
        self._fits = may_overlap(model)
        self._plain_model = copy.copy(model)
        self._plain_model.overlap = False
        self._off = None
        self._found = {}  # level: what model() gives
        model.overlap = model.is_draft = self._fits
        self._plans = Plans(*self._made_by)
        self._orders = [OneOrder(self._plans, self.off)]
        if self._fits and not in_order:
            late = late_branches(model)
            if late is not None:
                self._orders.append(OneOrder(Plans(late, *self._made_by[1:]), self.off))
            self._plans.model = self._in_better_order(model)

    def prepared(self, model):
        """The RomStorage of a model that is one of these; each is prepared once."""
        return self._plans.prepared(model)

    def size(self, level, image):
        """The LevelSize of a level; image(model) gives the bytes of its .tflm and its arena."""
        model, cycles = self.model(level)
        flat_bytes, arena_bytes = image(model)
        parts = [chain.nodes for chain in getattr(model, "chains", ())]
        parts += getattr(model, "grouped", ())
        bands = sorted((nodes[0].index, nodes[-1].index) for nodes in parts)
        told = as_told(self.base_cycles() + cycles, self._made_by[2])
        return LevelSize(level, arena_bytes, flat_bytes, told, bands)

    # A model with its operators in the order that needs least, once all is planned; where words of
    # weights cost, the one with more room for scratch if both need as much.
    def _in_better_order(self, model):
        other = reordered(model, for_scratch=self._plans.miss > 0)
        return model if other is None else min(other, model, key=self._plans.head)

    def base_cycles(self):
        """Estimated cycles of the model, nothing in bands, as costs.py counts them."""
        return self._plans.search.base_cycles if self._fits else 0

    @uncollected()
    def model(self, level):
        """(the Graph that a level other than OFF makes, extra cycles by estimate).

        Raises TakesLong where a Scrap does.
        """
        if not self._fits:
            return self._plans.model, 0
        if level not in self._found:
            made = self._in_budget() if level == BUDGET else self._at(level)
            self._found[level] = made
        return self._found[level]

    def _at(self, level):
        if level in AFTER:  # first, so that nothing depends on who asks first
            self.model(AFTER[level])
        orders, below, made = self._orders, inf, {}
        # The one that may need less comes first: then the other is soon done.
        if level != SPEED and len(orders) > 1:
            orders = sorted(orders, key=lambda each: each.least(level))
        for each in orders:
            made[each] = each.model(level, below)
            below = min(below, DRAFT * self._size(made[each])[0])
        return min((made[each] for each in self._orders), key=self._size)

    # (bytes of arena, cycles) of a (Graph, extra cycles).
    def _size(self, made):
        return self._plans.head(made[0]), made[1]

    # What keeps to the arena that was asked for. The levels are those of a search of their own:
    # this one learns from what it tries, and they should not depend on a budget.
    def _in_budget(self):
        levels = Levels(*self._made_by, in_order=self._in_order)
        own, *late = zip(self._orders, (levels, *levels._orders[1:]), strict=True)
        made, refusal = None, None
        try:
            made = self._fastest(*own)
        except UnsupportedError as error:
            refusal = error
        for each in late if made is None or made[1] > FEW * self.base_cycles() else ():
            with suppress(UnsupportedError):
                other = self._fastest(*each)
                made = other if made is None else min(made, other, key=lambda each: each[1])
        if made is None:
            raise refusal
        return made

    # The same with operators in one order. levels: what makes its levels.
    def _fastest(self, order, levels):
        found = ((level, levels.model(level)) for level in (SPEED, BALANCED, RAM))
        model, cycles = fastest(order.plans, self._arena, found)
        return order.plans.ended(model), cycles

    def as_planned(self, model):
        """A model that keeps TFLM's plan, its weights stored as is fastest in that."""
        return self._as_planned(model)[0]

    # (that model, cycles that another arena would save).
    def _as_planned(self, model):
        if not self._fits:
            return model, 0
        most = self._plans.head(model)
        made, cycles = self._plans.with_stored(model, most)
        return self._plans.refined(made, most), cycles

    def is_quick(self, level):
        """False where a level takes so long to find that it is for who asks for it.

        How much a search has to look at is only known when it does: for RAM that is done here.
        """
        if level != RAM or not self._fits or level in self._found:
            return True
        if len(self._plans.model.running()[0].nodes) * len(self._orders) > _MANY:
            return False
        self.model(AFTER[level])
        scraps = [each.plans.search.scrap for each in self._orders]
        left = _LOOKS - sum(scrap.made for scrap in scraps)
        with suppress(TakesLong), ExitStack() as limits:
            for scrap in scraps:
                limits.enter_context(scrap.at_most(scrap.made + left))
            self.model(level)
        return level in self._found

    def is_of_use(self, level):
        """True when a level needs less RAM, or fewer cycles by estimate, than OFF."""
        model, more = self.model(level)
        head, cycles = self.off()
        return self._plans.head(model) < head or self.base_cycles() + more < cycles

    def off(self):
        """What OFF comes to: (bytes of the head, estimated cycles).

        Of the other levels only SPEED may need more bytes.
        """
        if self._off is None:
            model, more = self._as_planned(self._plain_model)
            self._off = self._plans.head(model), self.base_cycles() + more
        return self._off
