# tflm_tools: Storing: how the weights of operators are stored, so that a limit of memory holds
# MIT license; Copyright (c) 2026 the tflm authors

from collections import Counter

from ...plan.lives import Lives


class Storing:
    """Chooses ways to store weights among those that weights.py knows; the fastest that fit.

    probe: what is known of nodes. arena(place, stored): the bytes that the operator at a place
    among `nodes` needs, and what is in use meanwhile, its weights stored so. `stored` is a dict:
    {operator's number: Choice.stored}.
    """

    def __init__(self, probe, nodes, arena):
        self._probe = probe
        self._nodes = nodes
        self._arena = arena
        self._ways = {}

    def choices(self, node):
        """Ways to store the weights of a node; the first one is the fastest."""
        return self._probe.made(node).choices

    # [(bytes that are in use while a node runs, Choice)], from the cheapest to what needs least.
    def _ways_of(self, node, fine):
        key = id(node), fine
        if key not in self._ways:
            made = self._probe.made(node)
            place = next(i for i, other in enumerate(self._nodes) if other is node)
            self._ways[key] = [
                (self._arena(place, {node.index: choice.stored}), choice)
                for choice in (made.fine if fine else made.choices)
            ]
        return self._ways[key]

    def within(self, nodes, limit, fine=False):
        """How to store the weights of nodes that have a choice.

        Each may need `limit` bytes of arena, or as much scratch as Prepare gives it by itself.
        fine: with what saves little for its bytes, too. Returns (stored, cycles more than without
        a limit).
        """
        found, cycles = {}, 0
        for node in nodes:
            ways = self._ways_of(node, fine)
            if ways:
                usual = self._probe.made(node).scratch[0]
                fit = (way for arena, way in ways if arena <= limit or way.scratch <= usual)
                choice = next(fit, ways[-1][1])
                found[node.index] = choice.stored
                cycles += choice.cycles - ways[0][1].cycles
        return found, cycles

    def in_slot(self, slot, stored, room=0):
        """Note in `stored` how weights of a slot of bands are stored; the cycles they take then.

        They may take `room` bytes of scratch, or as much as is usual.
        """
        parts = [node for node in slot if node is not None]
        made = Counter(map(self._probe.made, parts))
        largest = self._probe.made(max(parts, key=lambda node: node.outputs[0].nbytes()))
        room = max(room, *largest.scratch, 0)
        found = [(sum(each.fetching * count for each, count in made.items()), 0, None)]
        for number, choice in enumerate(largest.choices if all(m.cost for m in made) else (), 1):
            costs = [(*each.cost(choice.stored), count) for each, count in made.items()]
            if all(scratch <= room for scratch, _, _ in costs):
                cycles = sum(each * count for _, each, count in costs)
                found.append((cycles, number, choice.stored))
        cycles, _, way = min(found)
        if way is not None:
            stored[parts[0].index] = way
        return cycles

    def in_bands(self, model, limit):
        """within() for the chains of a model with such, of which no scratch should pass `limit`.

        Returns (stored, cycles more than as it is stored now).
        """
        subgraph, found, cycles = model.running()[0], {}, 0
        steps = {id(node): step for step, node in enumerate(subgraph.nodes)}
        ends = subgraph.input_tensors(), subgraph.output_tensors()
        used = Lives(*ends, subgraph.nodes, [], {}).used(len(subgraph.nodes))
        for chain in model.chains:
            records = self._probe.block_bytes(chain.nodes)
            for slot in chain.slots:
                most = max(used[steps[id(node)]] for node in slot if node is not None)
                cycles -= self.in_slot(slot, {})
                cycles += self.in_slot(slot, found, limit - records - most)
        return found, cycles

    def as_made(self, nodes):
        """The cycles that within() would count for nodes that stay as Prepare makes them."""
        made = [self._probe.made(node) for node in nodes]
        return sum(m.fetching - m.choices[0].cycles for m in made if m.choices)
