# tflm_tools: BandSlot: what runs at one slot of all bands, and the layouts of its weights
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class SlotLayout:
    """A layout of the weights of a slot; None is the one that Prepare chooses.

    scratch: bytes. cycles: for the weights in all bands. words: of the weights. fetch_cycles:
    the part of the cycles in which all bands except the first one fetch weights.
    """

    layout: tuple | None
    scratch: int
    cycles: int
    words: int
    fetch_cycles: int

    def cycles_if_cached(self, share):
        """Return the cycles if later bands find such a share of the weights in the cache."""
        return round(self.cycles - share * self.fetch_cycles)


class BandSlot:
    """The nodes of a slot, which do the same for other rows and store their weights alike.

    first: the first node. costs: {NodeCosts: number of bands}. bands: how many bands there are,
    with those in which nothing runs. largest: the NodeCosts of the node with the largest output.
    miss: cycles to fetch a word of weights. usual_scratch: bytes of scratch that Prepare requests.
    """

    def __init__(self, first, costs, bands, largest, miss):
        self.first, self.costs, self.bands = first, costs, bands
        self._largest, self._miss = largest, miss
        self._fastest, self._by_share = {}, {}  # results by arguments
        self._has_layouts = all(costs.cost_of_layout for costs in self.costs)
        sizes = (size for costs in self.costs for size in costs.scratch)
        self.usual_scratch = max(sizes, default=0)

    @cached_property
    def layouts(self):
        """A SlotLayout for each layout; the first one is what Prepare chooses."""
        costs = (self._largest.layouts or self._largest.block_layouts) if self._has_layouts else ()
        return list(map(self._slot_layout, [None, *(cost.layout for cost in costs)]))

    def fastest(self, max_scratch, share):
        """Return the fastest SlotLayout within `max_scratch` bytes, or the one with least scratch.

        share: of the weights that later bands are assumed to find in the cache.
        """
        key = max_scratch, share
        if key not in self._fastest:
            fitting = [layout for layout in self.layouts if layout.scratch <= max_scratch]
            if not fitting:
                fitting = [min(self.layouts, key=lambda layout: (layout.scratch, layout.cycles))]
            self._fastest[key] = min(fitting, key=lambda layout: layout.cycles_if_cached(share))
        return self._fastest[key]

    def sizes_and_cycles(self, share):
        """Return [(bytes of scratch, cycles)] of all layouts; share: as for fastest()."""
        if share not in self._by_share:
            self._by_share[share] = [
                (layout.scratch, layout.cycles_if_cached(share)) for layout in self.layouts
            ]
        return self._by_share[share]

    def current(self, layouts):
        """Return the SlotLayout of a model's layouts ({operator's number: layout})."""
        return self._slot_layout(layouts.get(self.first.index) if self._has_layouts else None)

    def scratch(self, layouts):
        """Return the bytes of each scratch buffer; layouts: {operator's number: layout}."""
        costs = list(self.costs)
        layout = layouts.get(self.first.index) if costs[0].cost_of_layout else None
        count = max(len(each.scratch) for each in costs)
        if layout is not None:
            return [max(each.cost_of_layout(layout)[0] for each in costs)] * count
        return [
            max(each.scratch[k] for each in costs if k < len(each.scratch)) for k in range(count)
        ]

    @cached_property
    def record_bytes(self):
        """Bytes of the largest record."""
        return max(costs.record_bytes for costs in self.costs)

    @cached_property
    def has_same_records(self):
        """False if records differ between bands in more than operand offsets and numbers."""
        return len({costs.record_signature for costs in self.costs}) == 1

    def _slot_layout(self, layout):
        words = [costs.weight_words(layout) for costs in self.costs if costs.weight_words]
        words = max(words, default=0)
        fetch_cycles = self._miss * words * (self.costs.total() - 1)
        if layout is None:
            cycles = sum(costs.weight_cycles * count for costs, count in self.costs.items())
            return SlotLayout(layout, self.usual_scratch, cycles, words, fetch_cycles)
        each = [(*costs.cost_of_layout(layout), count) for costs, count in self.costs.items()]
        cycles = sum(cycles * count for _, cycles, count in each)
        scratch = max(scratch for scratch, *_ in each)
        return SlotLayout(layout, scratch, cycles, words, fetch_cycles)
