# tflm_tools: Storing: how the weights of operators are stored, so that a limit of memory holds
# MIT license; Copyright (c) 2026 the tflm authors

from collections import Counter
from operator import sub

from ...arena.lives import Lives
from ...image.connected_rows import CODE as CONNECTED
from ...image.rows import CODE as ROWS
from .flash_cache import kept, others
from .slots import Slot


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
        self._slots = {}  # id of Chain.slots: (these, a Slot of each)

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

    def slot(self, parts, times=None):
        """The Slot of what runs at one place of bands."""
        return Slot(parts, self._probe, times)

    def in_chain(self, slots, rooms):
        """How weights of all Slots of bands are stored, each of which may have a room of its own.

        rooms: bytes of scratch, or as few as can be where these will not do. What all of them
        leave in the cache, the next band finds there. Returns (stored, cycles, for each Slot
        (those that its weights take, for each way (its scratch, those cycles))).
        """
        tries = []
        for share in (0, 1) if self._probe.miss else (0,):
            pairs = zip(slots, rooms, strict=True)
            ways = [slot.fastest(room, share) for slot, room in pairs]
            tries.append((*self._together(slots, ways), ways))
        cycles, share, ways = min(tries, key=lambda each: each[0])
        told = [
            (way.beside(share), [(other.scratch, other.beside(share)) for other in slot.ways])
            for slot, way in zip(slots, ways, strict=True)
        ]
        return _stored(slots, ways), cycles, told

    # (cycles of Slots with an InSlot each, less what stays in the cache, the share that does).
    def _together(self, slots, ways):
        share = kept(sum(way.words for way in ways), len(ways))
        beside = self._beside([slot.first for slot in slots], slots[0].bands, share)
        return sum(way.beside(share) for way in ways) + beside, share

    # Cycles that bands wait for what is no weights.
    def _beside(self, nodes, bands, share):
        has_rows = any(node.builtin_code == ROWS for node in nodes)
        return round(self._probe.miss * bands * others(share, has_rows))

    def chain_cycles(self, parts, stored):
        """Cycles that the weights of Chain.slots take as a model stores them."""
        slots = self._slots_of(parts)
        return self._together(slots, [slot.now(stored) for slot in slots])[0]

    # The Slots of Chain.slots.
    def _slots_of(self, parts):
        if id(parts) not in self._slots:
            self._slots[id(parts)] = parts, list(map(self.slot, parts))
        return self._slots[id(parts)][1]

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
            records, slots = self._probe.block_bytes(chain.nodes), self._slots_of(chain.slots)
            rooms = [
                max(slot.now(now).scratch, limit - records - most(list(filter(None, parts))))
                for slot, parts in zip(slots, chain.slots, strict=True)
            ]
            stored, after, _ = self.in_chain(slots, rooms)
            found.update(stored)
            cycles += after - self.chain_cycles(chain.slots, now)
        for parts in several:
            slot = self.slot(parts)
            way = slot.fastest(limit - most(parts), 0)
            found.update(_stored([slot], [way]))
            cycles += way.beside(0) - sum(map(self.least, parts))
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


# {operator's number: how its weights are stored} of Slots with an InSlot each, where there is a
# choice: copies of rows have the number of what made these.
def _stored(slots, ways):
    pairs = zip(slots, ways, strict=True)
    return {slot.first.index: way.stored for slot, way in pairs if len(slot.ways) > 1}
