# Kernel language: which registers may share a physical register
# MIT license; Copyright (c) 2026 the tflm authors

from .ir import Reg, bits_of, numbers

_TOTAL = 8  # a sum in a high register costs that much less than another register


class Graph:
    """Interference of the virtual registers of code that is ready to be coloured.

    live: of liveness(code). allowed[n]: bits of the physical registers that register n may be in.
    After weigh(), weight[n]: how often operations use it; moves: [(weight, one, other)] of
    registers that are better the same. After join(), near[n]: bits of the registers that are live
    at the same time.
    """

    def __init__(self, code, live, regs, machine):
        self.code, self.live, self.regs, self.machine = code, live, regs, machine
        self.allowed = [machine.low] * len(regs)
        self.used = 0
        for op, after in zip(code, live, strict=True):
            self.used |= op.writes | op.reads
            clobbers = machine.clobbers(op)
            if clobbers:
                for n in numbers(after & ~op.writes):
                    self.allowed[n] &= ~clobbers
        if machine.high:
            self._allow_high()
        for r in regs:
            if r.fixed is not None:
                self.allowed[r.n] = 1 << r.fixed

    def weigh(self):
        """Fill `weight` and `moves`."""
        self.weight, self.moves = [0.0] * len(self.regs), []
        for op in self.code:
            if op.name == "mov":
                self.moves.append((op.weight, op.dst[0].n, op.src[0].n))
            for r in op.dst:
                self.weight[r.n] += op.weight
            for x in op.src:
                if isinstance(x, Reg):
                    self.weight[x.n] += op.weight
        for r in self.regs:
            if r.is_total and self.machine.high:
                self.weight[r.n] /= _TOTAL

    def join(self):
        """Fill `near`."""
        self.near = [0] * len(self.regs)
        for op, live in zip(self.code, self.live, strict=True):
            written, read = op.writes, op.reads
            for i, r in enumerate(op.dst):
                others = live | written
                if op.name == "mov":
                    others &= ~read
                elif self.machine.writes_early(op, i):
                    others |= read
                self._join(r.n, others & ~(1 << r.n))
            if op.name in ("ldm", "stm"):  # all registers differ, even if they hold the same value
                for r in op.uses():
                    self._join(r.n, read & ~(1 << r.n))

    def _join(self, n, others):
        new = others & ~self.near[n]
        self.near[n] |= new
        for m in numbers(new):
            self.near[m] |= 1 << n

    # Registers that no operation requires to be low may be high.
    def _allow_high(self):
        lows = 0
        for op in self.code:
            if op.low is True:
                lows |= op.writes | op.reads
            elif op.low:
                lows |= bits_of(op.low)
        for n in numbers(self.used & ~lows):
            if self.allowed[n] == self.machine.low:
                self.allowed[n] |= self.machine.high

    def crowded(self, is_high=False):
        """Yield the operations where more low registers are live than exist.

        is_high: count all registers, not only low ones. Each result is (bits of these registers,
        bits of those that the operation uses, how many are too many, weight).
        """
        counted, machine = self.used, self.machine
        available = machine.low
        if is_high:
            available |= machine.high
        else:
            for n in numbers(self.used):
                if self.allowed[n] & ~machine.low:
                    counted &= ~(1 << n)
        count = available.bit_count()
        for op, live in zip(self.code, self.live, strict=True):
            written, read = op.writes, op.reads
            after, before = (live | written) & counted, (live & ~written | read) & counted
            most = after | before
            if most.bit_count() <= count:
                continue
            if not any(machine.writes_early(op, i) for i in range(len(op.dst))):
                most = max(after, before, key=int.bit_count)
            if most.bit_count() > count:
                yield most, written | read, most.bit_count() - count, op.weight
