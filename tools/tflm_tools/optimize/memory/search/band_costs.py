# tflm_tools: BandCosts: scratch, records and weight layouts of a region in bands
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass, field

from ....bands.banded_records import record_buffer_bytes
from ....bands.row_windows import UpsampledRows
from ....bands.write import write_chain

# With 0 only, person_detect at `balanced` needs 12.3 % more bytes; without 0, mlperf_resnet8 at
# `ram` needs 5.7 % more.
_SMALL_SCRATCH = 512  # bytes of scratch that a kernel may use in a candidate with little scratch


@dataclass
class BandCosts:
    """What a region in bands needs besides its feature maps.

    record_bytes: of arena, for the record that runs. scratch: for each slot of the BandedChain,
    bytes of its scratch buffers. scratch_at: {position: bytes of all scratch buffers}.
    layouts, layout_cycles: of the weights, from WeightLayoutSearch.in_chain().
    slot_layouts: for each slot with an operator (its position, cycles of its weights, [(scratch,
    cycles)] of all layouts).
    live_bytes: for each position, bytes in use while the operator runs, without its scratch.
    """

    record_bytes: int
    scratch: list = field(default_factory=list)
    layouts: dict = field(default_factory=dict)
    layout_cycles: int = 0
    slot_layouts: list = field(default_factory=list)
    scratch_at: dict = field(default_factory=dict)
    live_bytes: list = field(default_factory=list)
    _savable: dict = field(default_factory=dict)

    def savable_cycles(self, arena):
        """Return how many cycles the weights would save in `arena` bytes, about."""
        if arena not in self._savable:
            savable = 0
            for position, cycles, layouts in self.slot_layouts:
                max_scratch = arena - self.live_bytes[position]
                fitting = (each for size, each in layouts if size <= max_scratch)
                savable += cycles - min(fitting, default=cycles)
            self._savable[arena] = max(0, savable)
        return self._savable[arena]


def band_costs_of(schedule, node_costs, layout_search, make_tensor):
    """Return a list of BandCosts of a BandSchedule, from one band of each kind.

    With as much scratch as Prepare requests, with little, and with the least, as far as these
    differ. The list is empty if the schedule cannot be written.
    make_tensor(name, dtype, shape, like): returns a new tensor.
    Raises TflmError for what Prepare refuses.
    """
    kinds = _band_kinds(schedule)
    chain = write_chain(schedule, make_tensor, list(kinds))
    if chain is None:
        return []
    slots = [node_costs.slot(slot, kinds.values()) for slot in chain.slots]
    if not all(slot.has_same_records for slot in slots):
        return []  # a slot has one record for all bands
    usual = [slot.usual_scratch for slot in slots]

    def costs_with(max_scratch):
        costs = BandCosts(record_buffer_bytes([slot.record_bytes for slot in slots]))
        layouts, costs.layout_cycles, by_slot = layout_search.in_chain(slots, max_scratch)
        costs.layouts = {number: each for number, each in layouts.items() if each is not None}
        pairs = zip(chain.positions, by_slot, strict=True)
        costs.slot_layouts = [(at, *each) for at, each in pairs if at is not None]
        for slot, position in zip(slots, chain.positions, strict=True):
            costs.scratch.append(slot.scratch(costs.layouts))
            if position is not None:
                costs.scratch_at[position] = sum(costs.scratch[-1])
        return costs

    limits = [[min(size, limit) for size in usual] for limit in (_SMALL_SCRATCH, 0)]
    if all(len(slot.layouts) < 2 for slot in slots):
        limits = [usual]  # there is no choice
    elif not schedule.spilled and not schedule.recomputed:
        limits.insert(0, usual)
    candidates = {tuple(costs.scratch_at.items()): costs for costs in map(costs_with, limits)}
    return list(candidates.values())


# {the first of the bands whose nodes all have the same shapes and paddings: number of these
# bands}.
def _band_kinds(schedule):
    firsts, counts = {}, {}
    for band in range(1, schedule.bands + 1):
        first = firsts.setdefault(tuple(_kind(schedule, band)), band)
        counts[first] = counts.get(first, 0) + 1
    return counts


# What the shapes and paddings of a band's nodes depend on.
def _kind(schedule, band):
    region = schedule.region
    for key, access in zip(region.outputs, region.accesses, strict=True):
        first, end = schedule.span(key, band)
        yield end - first
        if first < end:
            rows = access.rows
            first_input, end_input = rows.first(first), rows.end(end - 1)
            yield end_input - first_input
            if first_input == 0 or end_input == rows.input_rows:
                yield first
            elif isinstance(rows, UpsampledRows):
                yield first - first_input * rows.stride
        if region.feature_maps[key].is_internal:
            yield schedule.copied_rows(key, band), schedule.restored_rows(key, band)
