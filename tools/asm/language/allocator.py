# Kernel language: assigns physical registers and slots of the frame
# MIT license; Copyright (c) 2026 the tflm authors

# Steps of allocate():
# 1. Remove operations whose results nobody reads.
# 2. Rewrite the code for what has been demoted so far (homes.py), and colour it (colouring.py).
# 3. If registers are missing, demote the registers with the least cost for what they relieve, and
#    repeat from step 2, always with the original code.
# 4. Take back decisions that later ones have made superfluous.

from dataclasses import dataclass

from .colouring import Colouring
from .homes import Choice, Rewriter, Source
from .interference import Graph
from .ir import Reg, numbers
from .liveness import LABELS, without_dead

_MAX_ROUNDS = 600
_MAX_TAKEN_BACK = 150  # decisions that step 4 tries to take back


class AllocationError(Exception):
    """A kernel needs more registers at once than the machine has."""


@dataclass
class Allocation:
    """Code whose registers are physical ones: registers[n] is a physical register.

    slots: names of the words of the frame. homes: {n: Reg, index of a slot, or CONSTANT} of
    demoted registers.
    """

    code: list
    registers: dict
    slots: list
    homes: dict

    def cost(self, machine):
        """Return the cycles of the moves, loads and stores that the allocator has added."""
        total = 0.0
        for op in self.code:
            if op.name == "mov":
                is_real = self.registers[op.dst[0].n] != self.registers[op.src[0].n]
                total += op.weight * is_real
            elif op.name == "li":
                total += op.weight
            elif op.name in ("reload", "spill"):
                total += machine.slot_cycles * op.weight
        return total

    def location(self, register):
        """Return where a register of the original code is: a number, a slot's name or None."""
        home = self.homes.get(register.n)
        if isinstance(home, Reg):
            return home.fixed
        return self.slots[home] if isinstance(home, int) else self.registers.get(register.n)


def allocate(code, regs, machine):
    """Return the Allocation of a kernel's lowered code. Raises AllocationError."""
    source = Source(*without_dead(code, machine.pure), regs, machine)
    choice, items = Choice(), []
    for _ in range(_MAX_ROUNDS):
        attempt = _Attempt(source, choice)
        if attempt.allocation:
            return _taken_back(source, attempt.allocation, choice, items)
        more = attempt.more()
        choice = choice.plus(more)
        items += more
    raise AllocationError(f"no allocation after {_MAX_ROUNDS} rounds; make the kernel simpler")


def _taken_back(source, found, choice, items):
    cost = found.cost(source.machine)
    for item in items[:_MAX_TAKEN_BACK]:
        if item in choice:
            fewer = choice.without(item)
            better = _Attempt(source, fewer).allocation
            if better and better.cost(source.machine) <= cost:
                found, choice, cost = better, fewer, better.cost(source.machine)
    return found


# An attempt to allocate with a Choice. allocation: None if registers are missing.
class _Attempt:
    def __init__(self, source, choice):
        self._source, self._choice = source, choice
        self._rewriter = rewriter = Rewriter(source, choice).run()
        code, live = without_dead(rewriter.code, source.machine.pure)
        self._graph = graph = Graph(code, live, rewriter.regs, source.machine)
        self._colouring = self.allocation = None
        self._crowds = graph.crowded()
        self._crowd = next(self._crowds, None)
        if self._crowd:
            return
        self._weigh()
        graph.join()
        self._near, self._weight = list(graph.near), list(graph.weight)
        self._colouring = colouring = Colouring(graph, self._spillable())
        if not colouring.failed:
            registers = {
                n: colouring.colours.get(colouring.find(n)) for n in range(len(graph.regs))
            }
            homes = rewriter.homes
            self.allocation = Allocation(
                _without_dead_spills(code), registers, homes.slots, homes.of
            )

    def _weigh(self):
        self._graph.weigh()
        for n, item in self._rewriter.copies.items():
            if isinstance(self._rewriter.homes.of[item[0]], int):
                self._graph.weight[n] *= self._source.machine.slot_cycles

    def more(self):
        """Return the items to add to the choice for the next attempt."""
        graph, spillable = self._graph, self._spillable()
        if self._crowd:
            self._weigh()
            crowds = [self._crowd, *self._crowds]
        else:
            crowds = list(graph.crowded(is_high=True))
        if crowds:
            chosen = _relief(crowds, spillable, graph.weight)
        else:
            chosen = [_cheapest_near(self._colouring, self._near, self._weight, spillable)]
        return list(dict.fromkeys(map(self._item, chosen)))

    # The item that demotes a register: (n,) for one of the original code, otherwise the next step
    # for its copy.
    def _item(self, n):
        item = self._rewriter.copies.get(n)
        if item is None:
            return (n,)
        return item if item[:2] in self._choice.parted else item[:2]

    # Bits of the registers that may be demoted, or be given shorter copies.
    def _spillable(self):
        bits = 0
        for r in self._source.regs:
            if r.fixed is None:
                bits |= 1 << r.n
        for n, item in self._rewriter.copies.items():
            if item not in self._choice.single:
                bits |= 1 << n
        return bits


# Registers that relieve all crowded operations: again and again the one with the least cost for
# what it relieves. Registers that the operation itself uses come last.
def _relief(crowds, spillable, cost):
    excess = [most for _, _, most, _ in crowds]
    passing, used = {}, {}  # {register: {index of a crowd that it relieves: the weight}}
    for i, (live, here, _, weight) in enumerate(crowds):
        for n in numbers(live & spillable):
            (used if here >> n & 1 else passing).setdefault(n, {})[i] = weight
    chosen = []
    for some in (passing, used):
        total = {}  # {register: sum of the weights}
        while some:
            total.update((n, sum(some[n].values())) for n in some.keys() - total.keys())
            chosen.append(min(some, key=lambda n: (cost[n] / total[n], n)))
            for i in [*passing.pop(chosen[-1], ()), *used.pop(chosen[-1], ())]:
                excess[i] -= 1
                if not excess[i]:
                    for n in _forget(i, crowds[i][0] & spillable, passing, used):
                        total.pop(n, None)
    if not chosen:
        raise AllocationError(
            f"an operation uses {max(excess)} more registers than the machine has"
        )
    return chosen


# Remove crowd i, which needs no more relief, from the tables of _relief(); yield its registers.
def _forget(i, registers, passing, used):
    for n in numbers(registers):
        for table in (passing, used):
            if n in table and table[n].pop(i, None) is not None:
                yield n
                if not table[n]:
                    del table[n]


# The cheapest register among the ones that found no colour and those that are live with them.
def _cheapest_near(colouring, near, weight, spillable):
    beside = set(colouring.members[colouring.find(colouring.failed[0])])
    for n in list(beside):
        beside.update(numbers(near[n]))
    candidates = sorted(n for n in beside if spillable >> n & 1)
    if not candidates:
        raise AllocationError(f"no register for {colouring.graph.regs[colouring.failed[0]]}")
    return min(candidates, key=lambda n: weight[n] / (1 + near[n].bit_count()))


# Remove stores to slots that nobody loads, and those that the next store to the slot replaces.
def _without_dead_spills(code):
    loaded = {op.info for op in code if op.name == "reload"}
    kept, replaced = [], set()
    for op in reversed(code):
        if op.name in LABELS or op.to or op.name == "ret":
            replaced = set()
        elif op.name == "reload":
            replaced.discard(op.info)
        elif op.name == "spill":
            if op.info in replaced or op.info not in loaded:
                continue
            replaced.add(op.info)
        kept.append(op)
    return kept[::-1]
