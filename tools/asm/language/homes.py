# Kernel language: keeps registers in high registers and on the stack, with copies where needed
# MIT license; Copyright (c) 2026 the tflm authors

# A virtual register that finds no low register is demoted: it gets a home, which is a high
# register, a slot of the frame, or nothing if it is a constant. Operations use copies of it:
# 1. one copy for each region, which is the code from a label to the next one, or a
#    Kernel.repeated();
# 2. if that finds no registers, copies for parts of a region: uses at most _GAP operations apart;
# 3. if that finds none, a copy for each operation.

from dataclasses import dataclass, field

from .ir import Op, Reg, numbers
from .liveness import LABELS

_GAP = 10
_BOUNDS = (*LABELS, "copies_end")  # operations where regions begin
_FAR = 1 << 29
_NEVER = 1 << 30
CONSTANT = "constant"


@dataclass(frozen=True)
class Choice:
    """What is demoted: {n}; regions whose copies are in parts: {(n, region)}; parts in which each
    operation has its own copy: {(n, region, part)}.
    """

    demoted: frozenset = frozenset()
    parted: frozenset = frozenset()
    single: frozenset = frozenset()

    def plus(self, items):
        """Return this choice and more items, which are tuples of one to three numbers."""
        sets = [set(), set(), set()]
        for item in items:
            sets[len(item) - 1].add(item)
        return Choice(*(old | new for old, new in zip(self._all(), sets, strict=True)))

    def without(self, item):
        """Return this choice without an item and without those that depend on it."""
        size = len(item)
        return Choice(*(frozenset(i for i in old if i[:size] != item) for old in self._all()))

    def __contains__(self, item):
        return item in self._all()[len(item) - 1]

    def _all(self):
        return self.demoted, self.parted, self.single


class Source:
    """What is the same for all choices. code: before it is rewritten; live_after: liveness(code).

    near[n]: bits of the registers that are live at the same time as register n. forbidden[n]: bits
    of the physical registers that operations change while n is live. weight[n]: what a high
    register saves as a home of n. constants: {n: value} of registers that hold only a short one.
    next_use: {(operation, n): the next operation in its region that uses the value of n}.
    """

    def __init__(self, code, live_after, regs, machine):
        self.code, self.regs, self.machine = code, regs, machine
        count = len(regs)
        self.near, self.forbidden, self.weight = [0] * count, [0] * count, [0.0] * count
        definitions, short = [0] * count, {}
        for op, live in zip(code, live_after, strict=True):
            clobbers = machine.clobbers(op)
            if clobbers:
                for n in numbers(live):
                    self.forbidden[n] |= clobbers
            self._add(op, live)
            for r in op.dst:
                definitions[r.n] += 1
                if op.name == "li" and machine.is_short(op.src[0]):
                    short[r.n] = op.src[0]
        self.constants = {n: value for n, value in short.items() if definitions[n] == 1}
        self.next_use = _next_uses(code)

    def _add(self, op, live):
        written = op.writes
        for r in op.dst:
            others = (live | written) & ~(1 << r.n)
            if op.name == "mov":
                others &= ~op.reads
            new = others & ~self.near[r.n]
            self.near[r.n] |= new
            for m in numbers(new):
                self.near[m] |= 1 << r.n
        # A slot costs two cycles, a move one.
        low = {r.n for r in op.low or ()} if op.low is not True else None
        for r in [*op.dst, *op.uses()]:
            is_direct = low is not None and r.n not in low and op.name != "mov"
            self.weight[r.n] += op.weight * (2 if is_direct else 1)


class Homes:
    """The homes of the demoted registers: of[n] is CONSTANT, a Reg with `fixed`, or a slot.

    slots: the names of the slots.
    """

    def __init__(self, source, demoted):
        self.of, self.slots = {}, []
        for n in sorted(demoted, key=lambda n: (-source.weight[n], n)):
            self._settle(n, source)

    def _settle(self, n, source):
        if n in source.constants:
            self.of[n] = CONSTANT
            return
        free = source.machine.high & ~source.forbidden[n] if source.weight[n] > 0 else 0
        if free:
            for m, home in self.of.items():
                if isinstance(home, Reg) and source.near[n] >> m & 1:
                    free &= ~(1 << home.fixed)
        if free:
            register = next(c for c in source.machine.order if free >> c & 1)
            self.of[n] = Reg(None, -1, f"home_{source.regs[n]}", register)
        else:
            self.of[n] = len(self.slots)
            name = str(source.regs[n])
            self.slots.append(f"{name}_{n}" if name in self.slots else name)


@dataclass
class Rewriter:
    """Replaces demoted registers by copies of their homes; see the top of this file.

    After run(), `code` and `regs` are the new ones, and copies: {number of a copy: the item of a
    Choice (n, region, part) that it is}.
    """

    source: Source
    choice: Choice
    code: list = field(default_factory=list)
    copies: dict = field(default_factory=dict)

    def run(self):
        self.demoted = {n for (n,) in self.choice.demoted}
        mask = sum(1 << n for n in self.demoted)
        self.homes = Homes(self.source, self.demoted)
        self.regs = list(self.source.regs)
        self._physical = {}  # {number of a high register: the Reg that stands for it}
        self._region, self._valid, self._section = 0, {}, {}  # {n: copy}, {n: part of the region}
        for i, op in enumerate(self.source.code):
            if op.name in _BOUNDS:
                self._region, self._valid, self._section = self._region + 1, {}, {}
                self.code.append(op)
            elif not (op.writes | op.reads) & mask:
                self.code.append(op)
            elif op.name == "mov":
                self._move(i, op)
            elif op.name != "li" or self.homes.of.get(op.dst[0].n) is not CONSTANT:
                self._operation(i, op)
        return self

    def _home_register(self, home):
        if home.fixed not in self._physical:
            self.regs.append(Reg(None, len(self.regs), f"home{home.fixed}", home.fixed))
            self._physical[home.fixed] = self.regs[-1]
        return self._physical[home.fixed]

    def _reload(self, to, n, weight):
        home = self.homes.of[n]
        if home is CONSTANT:
            self.code.append(Op("li", [to], [self.source.constants[n]], weight=weight))
        elif isinstance(home, Reg):
            self.code.append(
                Op("mov", [to], [self._home_register(home)], weight=weight, low=False)
            )
        else:
            self.code.append(Op("reload", [to], [], info=self.homes.slots[home], weight=weight))

    def _spill(self, value, n, weight):
        home = self.homes.of[n]
        if isinstance(home, Reg):
            move = Op("mov", [self._home_register(home)], [value], weight=weight, low=False)
            self.code.append(move)
        elif home is not CONSTANT:
            self.code.append(Op("spill", [], [value], info=self.homes.slots[home], weight=weight))

    def _key(self, n):
        return n, self._region, self._section.get(n, 0)

    # A copy of a register from here on, unless each operation has its own.
    def _copy(self, n):
        self.regs.append(Reg(None, len(self.regs), self.regs[n].name))
        copy = self.regs[-1]
        self.copies[copy.n] = self._key(n)
        if self._key(n) not in self.choice.single:
            self._valid[n] = copy
        return copy

    # Whether the next use of a register in its region is too far away to keep its copy.
    def _is_far(self, n, i):
        limit = _GAP if (n, self._region) in self.choice.parted else _FAR
        return self.source.next_use.get((i, n), _NEVER) - i > limit

    def _forget_if_far(self, n, i):
        if self._is_far(n, i) and self._valid.pop(n, None) is not None:
            self._section[n] = self._section.get(n, 0) + 1

    # Moves from and to homes need no copy.
    def _move(self, i, op):
        to, value = op.dst[0], op.src[0]
        if value.n in self.demoted and to.n not in self.demoted:
            if value.n in self._valid:
                copy = self._valid[value.n]
                self.code.append(Op("mov", op.dst, [copy], weight=op.weight, low=False))
                self._forget_if_far(value.n, i)
            else:
                self._reload(to, value.n, op.weight)
        elif to.n in self.demoted and value.n not in self.demoted:
            n = to.n
            self._valid.pop(n, None)
            is_kept = self._key(n) not in self.choice.single and not self._is_far(n, i)
            if is_kept and not isinstance(self.homes.of[n], Reg):
                value = self._copy(n)
                self.code.append(Op("mov", [value], op.src, weight=op.weight, low=False))
            self._spill(value, n, op.weight)
        else:
            self._operation(i, op)

    def _operation(self, i, op):
        here = dict.fromkeys(r.n for r in [*op.dst, *op.uses()] if r.n in self.demoted)
        low = here if op.low is True else {r.n for r in op.low or ()}
        written, read = {r.n for r in op.dst}, {r.n for r in op.uses()}
        names, stores = {}, []
        for n in here:
            home = self.homes.of[n]
            is_fresh = n not in self._valid or n in written
            if n not in low and isinstance(home, Reg) and is_fresh:
                names[n] = self._home_register(home)  # the operation can use a high register
                if n in written:
                    self._valid.pop(n, None)
                continue
            if n in self._valid:
                names[n] = self._valid[n]
            else:
                names[n] = self._copy(n)
                if n in read:
                    self._reload(names[n], n, op.weight)
            if n in written:
                stores.append(n)
        new = Op(
            op.name,
            [names.get(r.n, r) for r in op.dst],
            [names.get(x.n, x) if isinstance(x, Reg) else x for x in op.src],
            op.to,
            op.info,
            op.weight,
            op.low,
        )
        if op.low is not True and op.low:
            new.low = [names.get(r.n, r) for r in op.low]
        self.code.append(new)
        for n in stores:
            self._spill(names[n], n, op.weight)
        for n in here:
            self._forget_if_far(n, i)


def _next_uses(code):
    following, known = {}, {}
    for i in range(len(code) - 1, -1, -1):
        op = code[i]
        if op.name in _BOUNDS:
            known = {}
        for r in [*op.dst, *op.uses()]:
            if r.n in known:
                following[i, r.n] = known[r.n]
        for r in op.dst:
            known.pop(r.n, None)
        for r in op.uses():
            known[r.n] = i
    return following
