# tflm_tools: Edges: what operators of a model need and take, one by one or some of them in bands
# MIT license; Copyright (c) 2026 the tflm authors

from copy import copy
from dataclasses import replace
from functools import partial
from math import inf

from tflm.errors import TflmError

from .bands import in_bands
from .edge import Edge
from .needs import Needs, needs_of, scratch_of
from .part_arena import NEVER, PartArena
from .peaks import peak_with
from .regions import Regions
from .storing import Storing
from .ways import Ways

LONGEST = 16  # operators of a region


class Edges:
    """What parts of a model need and take: single operators, and regions in bands.

    nodes: of the model; storing: the ways to store weights. probe: what is known of its nodes.
    """

    def __init__(self, graph, probe):
        self._subgraph = graph.running()[0]
        self.nodes = self._subgraph.nodes
        self._probe = probe
        self._scrap = probe.scrap
        self._arena = PartArena(self._subgraph, probe)
        self.storing = Storing(self._probe, self.nodes, self._arena_of)
        self._regions = Regions(self._subgraph)
        self._ways = {}  # (first, last): Ways
        self._least = {}  # what any of them needs at least
        self._singles = {}
        self._narrow = {}

    # What one operator needs, its weights stored in one way.
    def _arena_of(self, place, stored):
        nodes = self.nodes[place : place + 1]
        scratch = [(size, nodes) for size in scratch_of(nodes, self._probe, stored)]
        return self._arena.of(place, place + 1, scratch).size

    def single(self, place):
        """The Edge of an operator by itself.

        What cannot run in bands and sees parts of tensors is not judged: its views may lie where
        they cost nothing.
        """
        if place not in self._singles:
            node = self.nodes[place]
            tensors = [t for t in node.inputs + node.outputs if t is not None]
            judged = self._regions.may(place) or all(t.view_of is None for t in tensors)
            arena = self._arena_of(place, {}) if judged else 0
            self._singles[place] = Edge(place, place + 1, arena)
        return self._singles[place]

    def stored(self, place, limit):
        """The same, with what its weights take more, in `limit` bytes that do, than at least."""
        edge, cycles = self.single(place), self.storing.more(place, limit)
        return replace(edge, cycles=cycles, counted=cycles) if cycles else edge

    def narrow(self, place, limit):
        """The cheapest Edge of an operator by itself with so little scratch that `limit` bytes do.

        None where that takes more. Its needs tell how its weights are stored.
        """
        if place not in self._narrow:
            found = sorted(self.storing.narrow(place), key=lambda each: each[1])
            self._narrow[place] = [
                Edge(place, place + 1, arena, cycles, None, True, Needs(0, [], stored), self, more)
                for arena, cycles, more, stored in found
            ]
        return next((edge for edge in self._narrow[place] if edge.arena <= limit), None)

    def learn(self, edge, arena):
        """Note that an Edge needs so many bytes, as a plan of all shows."""
        if edge.progress is None:
            more = max(0, arena - edge.arena)
            for other in self._narrow[edge.first]:
                other.arena += more
        else:
            edge.arena, edge.may_need = max(edge.arena, arena), 0

    def banded(self, first, last, limits, below=inf):
        """The cheapest Edge of operators first..last-1 in bands, where Limits may do.

        None where that takes `below` cycles or more, or there is none.
        """
        ways = self.ways(first, last, limits.banded)
        return None if ways is None else ways.cheapest(limits, below)

    def ways(self, first, last, limit=NEVER):
        """The Ways to run operators first..last-1 in bands, or None where there are none.

        Also where all need more than a limit, as what stays behind them tells.
        """
        key = first, last
        if key not in self._least:
            region = self._regions.region(first, last)
            self._least[key] = NEVER if region is None else self._stays(region)
        if self._least[key] >= NEVER or self._least[key] > limit:
            return None
        if key not in self._ways:
            region = self._regions.region(first, last)
            costs = self._probe.cycles, self.storing.in_bands, self._probe.least_scratch
            known = partial(self._fixed, region), *costs, self
            self._ways[key] = Ways(region, *known)
        return self._ways[key]

    # Bytes of tensors that a region has nothing to do with, and at least of its records, values
    # made anew as a Progress has them.
    def _fixed(self, region, anew):
        return self._arena.beside(region) + self._probe.least_block_bytes(region, anew)

    def longest(self, last):
        """How far back operators that may run in bands with the one before `last` go."""
        return self._regions.longest(last, LONGEST)

    # Bytes that are in use in the end, however a region runs.
    def _stays(self, region):
        values = (value for value in region.values.values() if not value.inside)
        staying = (value for value in values if value.writer is not None or value.stays)
        return self._arena.beside(region) + sum(value.row_bytes * value.rows for value in staying)

    def look_at(self, edge, limit=NEVER, wide=0):
        """Find out more of what an Edge needs and takes: by kinds of bands, then by all of them.

        Or that it needs more than a limit. wide: bytes of arena that weights may use, if more than
        they need. Raises TakesLong where no more may be looked at.
        """
        more = []
        self._scrap.check()
        try:
            known = self._planned(edge, limit) if edge.needs else self._estimated(edge, more, wide)
        except TflmError:  # Prepare does not take a part
            known = False
        if not known:
            edge.arena = NEVER
        self._ways[edge.first, edge.last].changed(more)

    # What follows from one band of each kind, an Edge `more` where it can run with less scratch,
    # or with more that makes it faster; False where it cannot run so.
    def _estimated(self, edge, more, wide):
        region = edge.progress.region

        def rooms_of(progress, needs):
            room = wide - self._arena.beside(region) - needs.records
            return [room - size for size in peak_with(progress, needs.at)[1]]

        known = self._probe, self.storing, self._scrap, rooms_of if wide else None
        found = needs_of(edge.progress, *known)
        more += [copy(edge) for _ in found[1:]]
        for each, needs in zip([edge, *more], found, strict=False):
            each.needs = needs
            least, used = peak_with(each.progress, needs.at)
            fixed = self._arena.beside(region) + needs.records
            each.arena, needs.used = fixed + least, [fixed + size for size in used]
            each.cycles += needs.cycles - self.storing.least_of(region) - each.guess
        return bool(found)

    # What comes of a plan; False where it cannot run so.
    def _planned(self, edge, limit):
        chain = in_bands(edge.progress, self._scrap)
        if chain is None:
            return False
        scratch = []
        for slot, sizes in zip(chain.slots, edge.needs.scratch, strict=True):
            scratch += [(size, list(filter(None, slot))) for size in sizes]
        scratch.append((edge.needs.records, chain.nodes))
        found = self._arena.of(edge.first, edge.last, scratch, chain, limit)
        edge.arena, edge.is_sure, edge.may_need = found.size, found.is_planned, found.may_need
        return True
