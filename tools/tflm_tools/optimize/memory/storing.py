# tflm_tools: Storing: how the weights of operators are stored, so that a limit of memory holds
# MIT license; Copyright (c) 2026 the tflm authors

from collections import Counter
from dataclasses import dataclass
from itertools import repeat
from operator import sub

from ...image.connected_rows import CODE as CONNECTED
from ...image.rows import CODE as ROWS
from ...plan.lives import Lives
from .flash_cache import kept, others


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


class Storing:
    """Chooses ways to store weights among those that weights.py knows; the fastest that fit.

    probe: what is known of nodes. arena(place, stored): the bytes that the operator at a place
    among `nodes` needs, and what is in use meanwhile, its weights stored so. `stored` is a dict:
    {operator's number: Choice.stored, or None where they are as Prepare stores them}.
    """

    def __init__(self, probe, nodes, arena):
        self._probe = probe
        self._nodes = nodes
        self._arena = arena
        self._ways = {}
        self._kept = {}  # first and last of a Region: what _may_stay() tells

    def choices(self, node):
        """Ways to store the weights of a node; the first one is the fastest."""
        return self._probe.made(node).choices

    def least(self, node):
        """What weights of a node that is in no bands take at least, in cycles."""
        made = self._probe.made(node)
        return made.choices[0].cycles if made.choices else made.fetching

    def least_of(self, region):
        """The same of all nodes of a region, as far as its bands count them anew.

        A FULLY_CONNECTED by rows fetches each weight once, too, and takes longer for each.
        """
        return sum(
            -self._probe.more_by_rows(node) if node.builtin_code == CONNECTED else self.least(node)
            for node in region.nodes
        )

    def in_bands(self, progress):
        """Cycles that the weights of a region, run by a Progress, take more at least."""
        region, share = progress.region, self._may_stay(progress.region)
        cycles = self._beside(region.nodes, progress.bands, share) - self.least_of(region)
        for place, (node, way) in enumerate(zip(region.nodes, region.ways, strict=True)):
            made = self._probe.made(node)
            if made.part is None or way.gathers or progress.groups(place) > 1:  # few may stay
                continue
            counts = Counter(last - first for first, last in progress.spans(region.outputs[place]))
            rows, is_down = way.rows.output_rows, way.axis == 1
            cycles += share * self._probe.miss * made.fewest + sum(
                times * made.part(count, rows, is_down, share)
                for count, times in counts.items()
                if count
            )
        return max(0, round(cycles))

    # The share of the weights of a region that the next band may find in the cache, at most.
    def _may_stay(self, region):
        key = region.first, region.last
        if key not in self._kept:
            pairs = zip(region.nodes, region.ways, strict=True)
            fewest = sum(self._probe.made(node).fewest for node, way in pairs if not way.gathers)
            self._kept[key] = kept(fewest, len(region.nodes)) if self._probe.miss else 0
        return self._kept[key]

    # [(bytes that are in use while a node runs, Choice)], from the cheapest to what needs least.
    def _ways_of(self, node, choices):
        key = id(node), choices
        if key not in self._ways:
            place = next(i for i, other in enumerate(self._nodes) if other is node)
            self._ways[key] = [
                (self._arena(place, {node.index: choice.stored}), choice) for choice in choices
            ]
        return self._ways[key]

    def more(self, place, limit):
        """Cycles more than at least that weights of the operator at a place take in `limit` bytes.

        It runs by itself, and takes no more than as Prepare makes it.
        """
        node = self._nodes[place]
        made = self._probe.made(node)
        if len(made.choices) < 2:
            return 0
        ways = self._ways_of(node, made.choices)
        fit = (choice.cycles for arena, choice in ways if arena <= limit)
        return min(next(fit, made.fetching), made.fetching) - ways[0][1].cycles

    def narrow(self, place):
        """Ways of the operator at a place with less scratch than Prepare gives it by itself.

        [(bytes that are in use while it runs, cycles more than at least, those of them that
        within() counts, too, stored)].
        """
        node = self._nodes[place]
        made = self._probe.made(node)
        found = []
        for arena, choice in self._ways_of(node, made.choices or made.blocks):
            least = made.choices[0].cycles if made.choices else made.fetching
            more, stored = choice.cycles - least, {node.index: choice.stored}
            if choice.scratch < made.scratch[0]:
                found.append((arena, more, more if made.choices else 0, stored))
        return found

    def within(self, nodes, limit, most, fine=False):
        """How to store the weights of nodes that have a choice.

        Each may need `limit` bytes of arena, or `most` with no more scratch than Prepare gives it
        by itself. fine: with what saves little for its bytes, too. Returns (stored, cycles more
        than without a limit).
        """
        found, cycles = {}, 0
        for node in nodes:
            made = self._probe.made(node)
            ways = self._ways_of(node, made.fine if fine else made.choices)
            if ways:
                usual = made.scratch[0]
                low = [(arena, way) for arena, way in ways if arena <= most]
                fit = (way for arena, way in low if arena <= limit or way.scratch <= usual)
                choice = next(fit, None)
                if choice is None and ways[-1][1].scratch > usual:  # it stays as Prepare makes it
                    cycles += made.fetching - ways[0][1].cycles
                    continue
                choice = choice or ways[-1][1]
                found[node.index] = choice.stored
                cycles += choice.cycles - ways[0][1].cycles
        return found, cycles

    def in_chain(self, slots, rooms, times=None):
        """How weights of all slots of bands are stored, each of which may have a room of its own.

        rooms: bytes of scratch, or as few as can be where these will not do. times: how many
        bands each in a slot stands for; None for one. What all of them leave in the cache, the
        next band finds there. Returns (stored, cycles, for each slot (those that its weights take,
        for each way (its scratch, those cycles))).
        """
        tries = []
        for share in (0, 1) if self._probe.miss else (0,):
            found, made = {}, []
            for slot, room in zip(slots, rooms, strict=True):
                made.append(self.in_slot(slot, found, room, times, share))
            tries.append((found, *self._together(slots, made, times)))
        return min(tries, key=lambda each: each[1])

    # (cycles, [(cycles, ways)] of slots that in_slot() tells of), less what stays in the cache.
    def _together(self, slots, made, times=None):
        share = kept(sum(way.words for way, _ in made), len(made))
        each = [
            (way.beside(share), [(other.scratch, other.beside(share)) for other in ways])
            for way, ways in made
        ]
        nodes = [next(filter(None, slot)) for slot in slots]
        bands = sum(times) if times else len(slots[0])
        return sum(cycles for cycles, _ in each) + self._beside(nodes, bands, share), each

    # Cycles that bands wait for what is no weights.
    def _beside(self, nodes, bands, share):
        has_rows = any(node.builtin_code == ROWS for node in nodes)
        return round(self._probe.miss * bands * others(share, has_rows))

    def in_slot(self, slot, stored, room, times=None, share=0):
        """Note in `stored` how weights of a slot of bands are stored.

        They may take `room` bytes of scratch, or as few as can be. times: how many bands each in
        the slot stands for; None for one. share: of the weights that are taken to be in the cache
        from the second one on. Returns its InSlot, and those of all ways.
        """
        parts = [node for node in slot if node is not None]
        made = Counter()
        for node, count in zip(slot, times or repeat(1), strict=False):
            if node is not None:
                made[self._probe.made(node)] += count
        largest = self._probe.made(max(parts, key=lambda node: node.outputs[0].nbytes()))
        ways = largest.choices or largest.blocks
        ways = [None, *(choice.stored for choice in ways if all(m.cost for m in made))]
        found = [self._way(made, self.usual(slot), stored) for stored in ways]
        fit = [each for each in found if each.scratch <= room]
        fit = fit or [min(found, key=lambda each: (each.scratch, each.cycles))]
        way = min(fit, key=lambda each: each.beside(share))
        if len(found) > 1:  # copies of rows have the number of what made these
            stored[parts[0].index] = way.stored
        return way, found

    # The InSlot of weights stored in a way, or with `usual` scratch as Prepare makes them.
    # made: {Made of parts: how many of them}.
    def _way(self, made, usual, stored):
        words = max((each.words(stored) for each in made if each.words), default=0)
        again = self._probe.miss * words * (made.total() - 1)
        if stored is None:
            cycles = sum(each.fetching * count for each, count in made.items())
            return InSlot(stored, usual, cycles, words, again)
        costs = [(*each.cost(stored), count) for each, count in made.items()]
        cycles = sum(each * count for _, each, count in costs)
        return InSlot(stored, max(scratch for scratch, *_ in costs), cycles, words, again)

    def usual(self, slot):
        """Bytes of scratch that Prepare gives the parts of a slot of bands by itself."""
        made = [self._probe.made(node) for node in slot if node is not None]
        return max((size for each in made for size in each.scratch), default=0)

    # The InSlot of a slot as its weights are stored in a model.
    def _now(self, slot, stored):
        parts = [node for node in slot if node is not None]
        made = Counter(self._probe.made(node) for node in parts)
        way = stored.get(parts[0].index) if all(each.cost for each in made) else None
        return self._way(made, self.usual(slot), way)

    def chain_cycles(self, slots, stored):
        """Cycles that the weights of a chain's slots take as a model stores them."""
        return self._together(slots, [(self._now(slot, stored), ()) for slot in slots])[0]

    def used(self, model):
        """{id of a node: bytes in use while it runs, without scratch} of a model."""
        subgraph = model.running()[0]
        ends = subgraph.input_tensors(), subgraph.output_tensors()
        used = Lives(*ends, subgraph.nodes, [], {}).used(len(subgraph.nodes))
        over = map(self._over, subgraph.nodes)
        return dict(zip(map(id, subgraph.nodes), map(sub, used, over), strict=True))

    def in_slots(self, model, several, limit, used):
        """within() for what is in the chains of a model, of which no scratch should pass `limit`.

        several: the same for the nodes of each of these lists, which store their weights alike.
        used: what used() tells. Returns (stored, cycles more than as it is stored now, for
        `several` than at least).
        """
        now, found, cycles = getattr(model, "stored", {}), {}, 0

        def most(nodes):
            return max(used[id(node)] for node in nodes)

        for chain in model.chains:
            records = self._probe.block_bytes(chain.nodes)
            rooms = [
                max(self._now(slot, now).scratch, limit - records - most(list(filter(None, slot))))
                for slot in chain.slots
            ]
            stored, after, _ = self.in_chain(chain.slots, rooms)
            found.update(stored)
            cycles += after - self.chain_cycles(chain.slots, now)
        for parts in several:
            least = sum(map(self.least, parts))
            cycles += self.in_slot(parts, found, limit - most(parts))[0].cycles - least
        return found, cycles

    # Bytes of an operator's input that its output may lie over.
    def _over(self, node):
        found = self._probe.distances(node)
        return max((min(d.source.nbytes(), d.target.nbytes() - d.least) for d in found), default=0)

    def as_stored(self, nodes, stored):
        """The cycles that within() would count for nodes that stay as they are stored."""
        cycles = 0
        for node in nodes:
            made, way = self._probe.made(node), stored.get(node.index)
            if made.choices:
                now = made.fetching if way is None else made.cost(way)[1]
                cycles += now - made.choices[0].cycles
        return cycles
