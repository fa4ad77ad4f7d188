# tflm_tools: Slot: what runs at one place of all bands, and the ways to store its weights
# MIT license; Copyright (c) 2026 the tflm authors

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat


@dataclass(frozen=True)
class InSlot:
    """A way to store the weights of a slot of bands: `stored`, or None for Prepare's own.

    scratch: bytes. cycles: what its weights take in all bands; words: of them; again: those of the
    cycles that all bands but the first one wait for these.
    """

    stored: tuple | None
    scratch: int
    cycles: int
    words: int
    again: int

    def beside(self, share):
        """The cycles where such a share of the words is still in the cache, but the first time."""
        return round(self.cycles - share * self.again)


class Slot:
    """What runs at one place of bands: parts that do the same, and store their weights alike.

    parts: Nodes, or None for bands in which nothing runs there. probe: what is known of Nodes.
    times: how many bands each of the parts stands for; None for one. first: the first Node;
    bands: their number; usual: bytes of scratch that Prepare gives the parts by itself.
    """

    def __init__(self, parts, probe, times=None):
        nodes = [node for node in parts if node is not None]
        self.first, self.bands = nodes[0], sum(times) if times else len(parts)
        self._miss = probe.miss
        self._made = Counter()
        for node, count in zip(parts, times or repeat(1), strict=False):
            if node is not None:
                self._made[probe.made(node)] += count
        self._largest = probe.made(max(nodes, key=lambda node: node.outputs[0].nbytes()))
        self._has_ways = all(made.cost for made in self._made)
        self.usual = max((size for each in self._made for size in each.scratch), default=0)

    @cached_property
    def ways(self):
        """The InSlot of each way to store its weights; the first one is Prepare's own."""
        ways = (self._largest.choices or self._largest.blocks) if self._has_ways else ()
        return list(map(self._way, [None, *(way.stored for way in ways)]))

    def fastest(self, room, share):
        """The fastest InSlot with `room` bytes of scratch, or that with least where none will do.

        share: of the weights that are taken to be in the cache from the second band on.
        """
        fit = [way for way in self.ways if way.scratch <= room]
        fit = fit or [min(self.ways, key=lambda way: (way.scratch, way.cycles))]
        return min(fit, key=lambda way: way.beside(share))

    def now(self, stored):
        """The InSlot of its weights as a model stores them; stored: see Storing."""
        return self._way(stored.get(self.first.index) if self._has_ways else None)

    def _way(self, stored):
        made = self._made
        words = max((each.words(stored) for each in made if each.words), default=0)
        again = self._miss * words * (made.total() - 1)
        if stored is None:
            cycles = sum(each.fetching * count for each, count in made.items())
            return InSlot(stored, self.usual, cycles, words, again)
        costs = [(*each.cost(stored), count) for each, count in made.items()]
        cycles = sum(each * count for _, each, count in costs)
        return InSlot(stored, max(scratch for scratch, *_ in costs), cycles, words, again)
