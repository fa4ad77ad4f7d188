# tflm_tools: Needs: what a region in bands needs beside its rows, told by one band of each kind
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass, field
from math import inf

from ...arena.windows import Spread
from .bands import in_bands

_SMALL = 512  # bytes of scratch that blocks may take, to take least


@dataclass
class Needs:
    """What runs in bands with the values, and how its weights are stored, as Storing gives it.

    scratch: for each slot of the Chain, bytes of its scratch buffers; at: {place in the region:
    all of them}. records: bytes. cycles: what the weights take; ways: for each slot of an
    operator, (its place, those cycles, [(scratch, cycles)]). used: bytes that are in use while the
    operator at each place runs, without its scratch. is_wide: weights have more room than they
    need.
    """

    records: int
    scratch: list = field(default_factory=list)
    stored: dict = field(default_factory=dict)
    cycles: int = 0
    ways: list = field(default_factory=list)
    at: dict = field(default_factory=dict)
    used: list = field(default_factory=list)
    is_wide: bool = False
    _spare: dict = field(default_factory=dict)

    def spare(self, arena):
        """Those of the cycles that weights would not take in so many bytes, about."""
        if arena not in self._spare:
            cycles = 0
            for place, now, ways in self.ways:
                room = arena - self.used[place]
                cycles += now - min((each for size, each in ways if size <= room), default=now)
            self._spare[arena] = max(0, cycles)
        return self._spare[arena]


def needs_of(progress, probe, storing, make, rooms_of=None):
    """[the Needs of a Progress]: with as much scratch as Prepare gives, and where that is less,
    with little. Empty where it cannot be written as bands, as far as these tell.

    make(name, dtype, shape, like): a new tensor. rooms_of(progress, needs): bytes of scratch that
    weights may have at each place, for Needs that are wide, if these are faster. Raises TflmError
    for what Prepare does not take.
    """
    kinds = _kinds_of(progress)
    chain = in_bands(progress, make, list(kinds))
    if chain is None:
        return []
    slots = [[node for node in slot if node is not None] for slot in chain.slots]
    if any(len({probe.made(node).form for node in parts}) > 1 for parts in slots):
        return []  # what runs at a place shares its records
    told = [storing.slot(slot, kinds.values()) for slot in chain.slots]
    usual = [slot.usual for slot in told]

    def made_with(rooms):
        needs = Needs(probe.block_bytes(chain.nodes))
        stored, needs.cycles, made = storing.in_chain(told, rooms)
        needs.stored = {number: way for number, way in stored.items() if way is not None}
        slots_at = zip(chain.places, made, strict=True)
        needs.ways = [(place, *each) for place, each in slots_at if place is not None]
        for parts, place in zip(slots, chain.places, strict=True):
            needs.scratch.append(scratch_of(parts, probe, needs.stored))
            if place is not None:
                needs.at[place] = sum(needs.scratch[-1])
        return needs

    few = [min(size, _SMALL) for size in usual]
    found = [made_with(few)]
    if not progress.apart and not progress.anew:
        most = made_with(usual)
        found = [most, *found] if most.at != found[0].at else [most]
    if rooms_of is not None:
        rooms = rooms_of(progress, found[0])
        wide = made_with([inf if place is None else rooms[place] for place in chain.places])
        wide.is_wide = True
        found += [wide] if wide.cycles < found[0].cycles else []
    return found


def scratch_of(nodes, probe, stored):
    """Bytes of each scratch buffer of nodes that do the same; stored: as Storing gives it."""
    made = [probe.made(node) for node in nodes]
    way = stored.get(nodes[0].index) if made[0].cost else None
    count = max(len(m.scratch) for m in made)
    if way is not None:
        return [max(m.cost(way)[0] for m in made)] * count
    return [max(m.scratch[k] for m in made if k < len(m.scratch)) for k in range(count)]


# {the first of bands whose parts all have the same shapes: how many these are}, ascending.
def _kinds_of(progress):
    firsts, counts = {}, {}
    for band in range(1, progress.bands + 1):
        first = firsts.setdefault(tuple(_shapes(progress, band)), band)
        counts[first] = counts.get(first, 0) + 1
    return counts


# What shapes and padding of the parts in a band come from.
def _shapes(progress, band):
    region = progress.region
    for key, way in zip(region.outputs, region.ways, strict=True):
        first, last = progress.span(key, band)
        yield last - first
        if first < last:
            low, high = way.rows.first(first), way.rows.behind(last - 1)
            yield high - low
            if low == 0 or high == way.rows.input_rows:
                yield first
            elif isinstance(way.rows, Spread):
                yield first - low * way.rows.stride
        if region.values[key].inside:
            yield progress.copied_rows(key, band), progress.brought_rows(key, band)
