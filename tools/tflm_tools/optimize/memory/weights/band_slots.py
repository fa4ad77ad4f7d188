# tflm_tools: BandSlot: what runs at one slot of all bands, and the layouts of its weights
# MIT license; Copyright (c) 2026 the tflm authors

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat


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

    nodes: the node of each band, or None where nothing runs. node_costs: a NodeCostTable.
    repeats: how many bands each of the nodes stands for; None for one.
    first: the first node. bands: their number. usual_scratch: bytes of scratch that Prepare
    requests.
    """

    def __init__(self, nodes, node_costs, repeats=None):
        running = [node for node in nodes if node is not None]
        self.first, self.bands = running[0], sum(repeats) if repeats else len(nodes)
        self._miss = node_costs.miss
        self._costs = Counter()  # NodeCosts: number of bands
        for node, count in zip(nodes, repeats or repeat(1), strict=False):
            if node is not None:
                self._costs[node_costs.of(node)] += count
        self._largest = node_costs.of(max(running, key=lambda node: node.outputs[0].nbytes()))
        self._has_layouts = all(costs.cost_of_layout for costs in self._costs)
        sizes = (size for costs in self._costs for size in costs.scratch)
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
        fitting = [layout for layout in self.layouts if layout.scratch <= max_scratch]
        if not fitting:
            fitting = [min(self.layouts, key=lambda layout: (layout.scratch, layout.cycles))]
        return min(fitting, key=lambda layout: layout.cycles_if_cached(share))

    def current(self, layouts):
        """Return the SlotLayout of a model's layouts ({operator's number: layout})."""
        return self._slot_layout(layouts.get(self.first.index) if self._has_layouts else None)

    def _slot_layout(self, layout):
        words = [costs.weight_words(layout) for costs in self._costs if costs.weight_words]
        words = max(words, default=0)
        fetch_cycles = self._miss * words * (self._costs.total() - 1)
        if layout is None:
            cycles = sum(costs.weight_cycles * count for costs, count in self._costs.items())
            return SlotLayout(layout, self.usual_scratch, cycles, words, fetch_cycles)
        each = [(*costs.cost_of_layout(layout), count) for costs, count in self._costs.items()]
        cycles = sum(cycles * count for _, cycles, count in each)
        scratch = max(scratch for scratch, *_ in each)
        return SlotLayout(layout, scratch, cycles, words, fetch_cycles)
