# Kernel language: colours an interference graph
# MIT license; Copyright (c) 2026 the tflm authors

# Briggs, Cooper, Torczon: Improvements to graph coloring register allocation (1994): conservative
# coalescing, then optimistic colouring.

from heapq import heapify, heappop, heappush
from itertools import combinations

from .ir import numbers

_LOW_REGISTERS = 8  # registers that LDM and STM of the Cortex-M0+ take


class Colouring:
    """Assigns a physical register to each virtual register of a Graph, which it changes.

    spillable: bits of the registers that may be chosen to have no register.
    colours: {number: physical register}, for find(n); failed: numbers without one.
    """

    def __init__(self, graph, spillable):
        self.graph, self.machine = graph, graph.machine
        self.alias = list(range(len(graph.regs)))
        self.members = {}
        self._coalesce()
        for n in range(len(graph.regs)):
            self.members.setdefault(self.find(n), []).append(n)
        self.spillable = {
            n for n, members in self.members.items() if any(spillable >> m & 1 for m in members)
        }
        self.colours, self.failed = {}, []
        self._holders = {}  # {colour: bits of the registers that have it}
        self._colour()

    def find(self, n):
        """Return the register that stands for register n and all that share its colour."""
        while self.alias[n] != n:
            n = self.alias[n]
        return n

    # Make the ends of moves one register where that cannot make the graph harder to colour.
    def _coalesce(self):
        graph = self.graph
        self._many = 0  # bits of registers with more neighbours than colours
        for n in numbers(graph.used):
            self._count(n)
        for _, one, other in sorted(graph.moves, reverse=True):
            one, other = self.find(one), self.find(other)
            allowed = graph.allowed[one] & graph.allowed[other]
            if one == other or graph.near[one] >> other & 1 or not allowed:
                continue
            near = (graph.near[one] | graph.near[other]) & self._many
            crowded = sum(1 for m in numbers(near) if graph.allowed[m] & allowed)
            is_fixed = 1 in (graph.allowed[one].bit_count(), graph.allowed[other].bit_count())
            if crowded >= allowed.bit_count() - is_fixed:
                continue
            self._merge(one, other, allowed)

    def _count(self, n):
        if self.graph.near[n].bit_count() >= self.graph.allowed[n].bit_count():
            self._many |= 1 << n
        else:
            self._many &= ~(1 << n)

    def _merge(self, one, other, allowed):
        graph = self.graph
        self.alias[other] = one
        graph.allowed[one] = allowed
        graph.weight[one] += graph.weight[other]
        for m in numbers(graph.near[other]):
            graph.near[m] = graph.near[m] & ~(1 << other) | 1 << one
            self._count(m)
        graph.near[one] = (graph.near[one] | graph.near[other]) & ~(1 << one | 1 << other)
        graph.near[other] = 0
        self._count(one)

    def _colour(self):
        nodes = [n for n in numbers(self.graph.used) if self.alias[n] == n]
        for n in nodes:
            allowed = self.graph.allowed[n]
            if allowed.bit_count() == 1:
                self._set(n, allowed.bit_length() - 1)
        if self.machine.has_ascending_ldm:
            self._colour_groups()
        stack = self._order([n for n in nodes if n not in self.colours])
        partners = {}
        for weight, one, other in self.graph.moves:
            one, other = self.find(one), self.find(other)
            partners.setdefault(one, []).append((weight, other))
            partners.setdefault(other, []).append((weight, one))
        for n in reversed(stack):
            free = self._free(n)
            if not free:
                self.failed.append(n)
                continue
            self._set(n, self._best(free, partners.get(n, ())))

    # The registers in the order in which they leave the graph: those with few neighbours first,
    # the least used one of them; if there are none, the cheapest one that may be spilled.
    def _order(self, nodes):
        graph = self.graph
        left = sum(1 << n for n in nodes)
        degree = {n: (graph.near[n] & left).bit_count() for n in nodes}
        most = {n: graph.allowed[n].bit_count() for n in nodes}
        easy = [(graph.weight[n], n) for n in nodes if degree[n] < most[n]]
        heapify(easy)
        stack = []
        while left:
            if easy:
                _, chosen = heappop(easy)
            else:
                chosen = min(numbers(left), key=lambda n: self._cost(n) / (1 + degree[n]))
            stack.append(chosen)
            left &= ~(1 << chosen)
            for m in numbers(graph.near[chosen] & left):
                degree[m] -= 1
                if degree[m] == most[m] - 1:
                    heappush(easy, (graph.weight[m], m))
        return stack

    def _cost(self, n):
        return self.graph.weight[n] if n in self.spillable else 1e12

    # Prefer registers at the other end of moves, then those that need no save, then the machine's
    # order.
    def _best(self, free, partners):
        gain = {}
        for weight, other in partners:
            if other in self.colours:
                colour = self.colours[other]
                gain[colour] = gain.get(colour, 0) + weight
        order, saved = self.machine.order, self.machine.saved
        return min(
            (colour for colour in order if free >> colour & 1),
            key=lambda colour: (
                -gain.get(colour, 0),
                saved >> colour & 1 and colour not in self._holders,
                order.index(colour),
            ),
        )

    def _free(self, n):
        free, near = self.graph.allowed[n], self.graph.near[n]
        for colour, holders in self._holders.items():
            if near & holders:
                free &= ~(1 << colour)
        return free

    def _set(self, n, colour):
        self.colours[n] = colour
        self._holders[colour] = self._holders.get(colour, 0) | 1 << n

    # Registers of LDM and STM are ascending: try all ascending choices, the most frequent group
    # first.
    def _colour_groups(self):
        groups = []
        for op in self.graph.code:
            if op.name in ("ldm", "stm"):
                members = op.dst[:-1] if op.name == "ldm" else op.src[1:]
                if len(members) > 1:
                    groups.append((-op.weight, [self.find(r.n) for r in members]))
        for _, group in sorted(groups, key=lambda weighted: weighted[0]):
            todo = [n for n in group if n not in self.colours]
            chosen = next(
                filter(None, (self._trial(group, todo, c) for c in _choices(group))), None
            )
            if chosen:
                for n, colour in chosen.items():
                    self._set(n, colour)
            else:
                self.failed += todo or group

    # {register: colour} of a group with these colours, or None if it cannot have them.
    def _trial(self, group, todo, chosen):
        trial = {}
        for n, colour in zip(group, chosen, strict=True):
            if self.colours.get(n, trial.get(n, colour)) != colour:
                return None
            if n in todo and not self._free(n) >> colour & 1:
                return None
            if any(c == colour and self.graph.near[n] >> m & 1 for m, c in trial.items()):
                return None
            trial[n] = colour
        return trial


def _choices(group):
    return combinations(range(_LOW_REGISTERS), len(group))
