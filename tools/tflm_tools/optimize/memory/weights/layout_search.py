# tflm_tools: WeightLayoutSearch: the fastest layouts of weights within a limit of arena bytes
# MIT license; Copyright (c) 2026 the tflm authors

from operator import sub

from ....arena.lifetimes import BufferLifetimes
from ....bands.operators.fully_connected_rows import CODE as FULLY_CONNECTED
from ....bands.operators.input_rows import CODE as INPUT_ROWS
from .flash_cache import cached_share, other_words


class WeightLayoutSearch:
    """Chooses among the layouts that layouts.py knows.

    node_costs: a NodeCostTable. nodes: of the model. arena_of(position, layouts, limit): bytes
    that are in use while the operator at a position among `nodes` runs by itself, or a lower bound
    that exceeds `limit`.
    `layouts` is a dict everywhere: {operator's number: layout}; operators without an entry have
    the layout that Prepare chooses. Extra cycles are counted from the fastest layout.
    """

    def __init__(self, node_costs, nodes, arena_of):
        self._node_costs = node_costs
        self._nodes = nodes
        self._arena_of = arena_of
        self._position_of = {id(node): position for position, node in enumerate(nodes)}
        self._regions = {}  # id of a Region: (the Region, its cycles, its words of weights)
        self._slots = {}  # id of BandedChain.slots: (the slots, their BandSlots)

    def min_cycles(self, node):
        """Return the cycles that the weights of a node outside bands need at least."""
        costs = self._node_costs.of(node)
        return costs.layouts[0].cycles if costs.layouts else costs.weight_cycles

    def min_cycles_of_region(self, region):
        """Return min_cycles() of a region's nodes, as far as bands count these cycles again.

        A FULLY_CONNECTED by rows fetches each weight once, too, but each one takes longer.
        """
        return self._costs_of_region(region)[1]

    # (the Region, min_cycles_of_region(), words of weights of its nodes at least).
    def _costs_of_region(self, region):
        if id(region) not in self._regions:
            cycles = sum(
                -self._node_costs.more_cycles_by_rows(node)
                if node.builtin_code == FULLY_CONNECTED
                else self.min_cycles(node)
                for node in region.nodes
            )
            words = sum(
                self._node_costs.of(node).min_weight_words
                for node, access in zip(region.nodes, region.accesses, strict=True)
                if not access.is_reduction
            )
            self._regions[id(region)] = region, cycles, words
        return self._regions[id(region)]

    def min_cycles_in_bands(self, schedule):
        """Return the cycles in which a BandSchedule fetches words again, at least, about."""
        region = schedule.region
        words = self._costs_of_region(region)[2]
        share = cached_share(words, len(region.nodes))
        again = round(self._node_costs.miss * (1 - share) * words * (schedule.bands - 1))
        return again + self._other_cycles(region.nodes, schedule.bands, share)

    # True if a node by itself needs at most `limit` bytes with a LayoutCost.
    def _fits(self, node, cost, limit):
        layouts = {node.index: cost.layout}
        return self._arena_of(self._position_of[id(node)], layouts, limit) <= limit

    def extra_cycles(self, position, limit):
        """Return the extra cycles of the operator at a position, by itself, in `limit` bytes.

        The layout that Prepare chooses is an upper bound.
        """
        node = self._nodes[position]
        costs = self._node_costs.of(node)
        if len(costs.layouts) < 2:
            return 0
        fitting = (cost.cycles for cost in costs.layouts if self._fits(node, cost, limit))
        cycles = min(next(fitting, costs.weight_cycles), costs.weight_cycles)
        return cycles - costs.layouts[0].cycles

    def smaller_scratch(self, position):
        """Return the layouts of the operator at a position that need less scratch than Prepare's.

        [(bytes in use while it runs, extra cycles, the part of them that within() counts, too,
        layouts)].
        """
        node = self._nodes[position]
        costs = self._node_costs.of(node)
        smaller = []
        for cost in costs.layouts or costs.block_layouts:
            if cost.scratch < costs.scratch[0]:
                fastest = costs.layouts[0].cycles if costs.layouts else costs.weight_cycles
                extra, layouts = cost.cycles - fastest, {node.index: cost.layout}
                arena = self._arena_of(position, layouts)
                smaller.append((arena, extra, extra if costs.layouts else 0, layouts))
        return smaller

    def within(self, nodes, limit, arena, is_fine=False):
        """Return (layouts, extra cycles) of nodes that run one by one.

        limit: bytes of arena that each node may need; `arena` bytes with no more scratch than
        Prepare requests. is_fine: consider also layouts that save few cycles for their bytes.
        """
        chosen, extra = {}, 0
        for node in nodes:
            costs = self._node_costs.of(node)
            layouts = costs.fine_layouts if is_fine else costs.layouts
            if layouts:
                usual = costs.scratch[0]
                fitting = (
                    cost
                    for cost in layouts
                    if self._fits(node, cost, arena if cost.scratch <= usual else limit)
                )
                cost = next(fitting, None)
                fastest, smallest = layouts[0], layouts[-1]
                if cost is None and smallest.scratch > usual:  # keep the layout of Prepare
                    extra += costs.weight_cycles - fastest.cycles
                    continue
                cost = cost or smallest
                chosen[node.index] = cost.layout
                extra += cost.cycles - fastest.cycles
        return chosen, extra

    def in_chain(self, slots, max_scratch):
        """Return the fastest layouts of all BandSlots of a chain.

        max_scratch: bytes of scratch for each slot; a slot for which none fits gets the layout
        with the least scratch. The next band finds in the cache what all slots leave there.
        Returns (layouts, cycles of the weights, for each slot (cycles, [(scratch, cycles)] of all
        its layouts)).
        """
        candidates = []
        for share in (0, 1) if self._node_costs.miss else (0,):
            pairs = zip(slots, max_scratch, strict=True)
            fastest = [slot.fastest(size, share) for slot, size in pairs]
            candidates.append((*self._chain_cycles(slots, fastest), fastest))
        cycles, share, fastest = min(candidates, key=lambda each: each[0])
        by_slot = []
        for slot, layout in zip(slots, fastest, strict=True):
            by_slot.append((layout.cycles_if_cached(share), slot.sizes_and_cycles(share)))
        return _chosen_layouts(slots, fastest), cycles, by_slot

    # (cycles of the BandSlots of a chain with these SlotLayouts, cached share of the weights).
    def _chain_cycles(self, slots, layouts):
        share = cached_share(sum(layout.words for layout in layouts), len(layouts))
        other = self._other_cycles([slot.first for slot in slots], slots[0].bands, share)
        return sum(layout.cycles_if_cached(share) for layout in layouts) + other, share

    # Cycles in which bands fetch words that are not weights.
    def _other_cycles(self, nodes, bands, share):
        requests_rows = any(node.builtin_code == INPUT_ROWS for node in nodes)
        return round(self._node_costs.miss * bands * other_words(share, requests_rows))

    def chain_cycles(self, slots, layouts):
        """Return the cycles of the weights of BandedChain.slots with a model's layouts."""
        slots = self._band_slots(slots)
        return self._chain_cycles(slots, [slot.current(layouts) for slot in slots])[0]

    # The BandSlots of BandedChain.slots.
    def _band_slots(self, slots):
        if id(slots) not in self._slots:
            self._slots[id(slots)] = slots, list(map(self._node_costs.slot, slots))
        return self._slots[id(slots)][1]

    def live_bytes(self, model):
        """Return {id of a node: bytes in use while it runs, without scratch} of a model."""
        subgraph = model.running()[0]
        ends = subgraph.input_tensors(), subgraph.output_tensors()
        lifetimes = BufferLifetimes(*ends, subgraph.nodes, [], {})
        in_use = lifetimes.bytes_in_use(len(subgraph.nodes))
        shared = map(self._shared_bytes, subgraph.nodes)
        return dict(zip(map(id, subgraph.nodes), map(sub, in_use, shared), strict=True))

    def in_banded_model(self, model, split_operators, limit, live_bytes):
        """Return within() for the chains of a model, whose scratch must not exceed a limit.

        split_operators: lists of nodes outside chains that store their weights alike.
        live_bytes: of live_bytes(model). Returns (layouts, cycles more than with the current
        layouts; for `split_operators` extra cycles).
        """
        current, chosen, cycles = model.layouts, {}, 0

        def live(nodes):
            return max(live_bytes[id(node)] for node in nodes)

        for chain in model.chains:
            record_bytes = self._node_costs.record_buffer_bytes(chain.nodes)
            slots = self._band_slots(chain.slots)
            max_scratch = [
                max(
                    slot.current(current).scratch,
                    limit - record_bytes - live(list(filter(None, nodes))),
                )
                for slot, nodes in zip(slots, chain.slots, strict=True)
            ]
            layouts, chain_cycles, _ = self.in_chain(slots, max_scratch)
            chosen.update(layouts)
            cycles += chain_cycles - self.chain_cycles(chain.slots, current)
        for nodes in split_operators:
            slot = self._node_costs.slot(nodes)
            layout = slot.fastest(limit - live(nodes), 0)
            chosen.update(_chosen_layouts([slot], [layout]))
            cycles += layout.cycles_if_cached(0) - sum(map(self.min_cycles, nodes))
        return chosen, cycles

    # Bytes of an operator's input that its output may overlap.
    def _shared_bytes(self, node):
        distances = self._node_costs.distances(node)
        sizes = (min(d.source.nbytes(), d.target.nbytes() - d.min_bytes) for d in distances)
        return max(sizes, default=0)

    def extra_cycles_as_stored(self, nodes, layouts):
        """Return the extra cycles that within() would count for nodes with these layouts."""
        extra = 0
        for node in nodes:
            costs, layout = self._node_costs.of(node), layouts.get(node.index)
            if costs.layouts:
                is_default = layout is None
                cycles = costs.weight_cycles if is_default else costs.cost_of_layout(layout)[1]
                extra += cycles - costs.layouts[0].cycles
        return extra


# {operator's number: layout} of BandSlots with a SlotLayout each, where there is a choice. A slot
# that copies rows has the number of the operator that computed them, and no choice.
def _chosen_layouts(slots, layouts):
    pairs = zip(slots, layouts, strict=True)
    return {slot.first.index: each.layout for slot, each in pairs if len(slot.layouts) > 1}
