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
        found, more = _try(source, choice)
        if found:
            return _taken_back(source, found, choice, items)
        chosen = more()
        choice = choice.plus(chosen)
        items += chosen
    raise AllocationError(f"no allocation after {_MAX_ROUNDS} rounds; make the kernel simpler")


def _taken_back(source, found, choice, items):
    machine = source.machine
    cost = found.cost(machine)
    for item in items[:_MAX_TAKEN_BACK]:
        if item in choice:
            fewer = choice.without(item)
            better, _ = _try(source, fewer)
            if better and better.cost(machine) <= cost:
                found, choice, cost = better, fewer, better.cost(machine)
    return found


# Allocate with a choice: returns (Allocation, None), or (None, a function that returns items to
# add to the choice).
def _try(source, choice):
    machine, rewriter = source.machine, Rewriter(source, choice).run()
    ready, live = without_dead(rewriter.code, machine.pure)
    graph = Graph(ready, live, rewriter.regs, machine)
    homes, copies = rewriter.homes, rewriter.copies
    for n, item in copies.items():
        if isinstance(homes.of[item[0]], int):
            graph.weight[n] *= machine.slot_cycles
    spillable = _spillable(source.regs, copies, choice)
    items = _Items(copies, choice)
    crowds = graph.crowded()
    if crowds:
        return None, lambda: items.of(_relief(crowds, spillable, graph.weight))
    graph.join()
    near, weight = list(graph.near), list(graph.weight)
    colouring = Colouring(graph, spillable)
    if colouring.failed:
        all_crowds = graph.crowded(is_high=True)
        if all_crowds:
            return None, lambda: items.of(_relief(all_crowds, spillable, graph.weight))
        return None, lambda: items.of([_cheapest_near(colouring, near, weight, spillable)])
    registers = {n: colouring.colours.get(colouring.find(n)) for n in range(len(rewriter.regs))}
    return Allocation(_without_dead_spills(ready), registers, homes.slots, homes.of), None


# Bits of the registers that may be demoted, or be given shorter copies.
def _spillable(regs, copies, choice):
    bits = 0
    for r in regs:
        if r.fixed is None:
            bits |= 1 << r.n
    for n, item in copies.items():
        if item not in choice.single:
            bits |= 1 << n
    return bits


# The items of a choice that demote registers: (n,) for a register of the original code, otherwise
# the next step for its copy.
class _Items:
    def __init__(self, copies, choice):
        self._copies, self._choice = copies, choice

    def of(self, chosen):
        return list(dict.fromkeys(map(self._item, chosen)))

    def _item(self, n):
        item = self._copies.get(n)
        if item is None:
            return (n,)
        return item if item[:2] in self._choice.parted else item[:2]


# Registers that relieve all crowded operations: again and again the one with the least cost for
# what it relieves. Registers that the operation itself uses come last.
def _relief(crowds, spillable, cost):
    chosen = []
    while crowds:
        passing, used = {}, {}
        for live, here, _, weight in crowds:
            for n in numbers(live & spillable):
                relief = used if here >> n & 1 else passing
                relief[n] = relief.get(n, 0) + weight
        relief = passing or used
        if not relief:
            if chosen:
                break
            excess = max(excess for _, _, excess, _ in crowds)
            raise AllocationError(
                f"an operation uses {excess} more registers than the machine has"
            )
        best = min(sorted(relief), key=lambda n: cost[n] / relief[n])
        chosen.append(best)
        crowds = [
            (live & ~(1 << best), here, excess - (live >> best & 1), weight)
            for live, here, excess, weight in crowds
            if excess > (live >> best & 1)
        ]
    return chosen


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
