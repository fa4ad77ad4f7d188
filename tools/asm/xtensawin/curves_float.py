# Generator of the curves of float32 for Xtensa
# MIT license; Copyright (c) 2026 the tflm authors

from ..common.curves_float import ABOUT, ARGUMENTS, SLOTS, Curves
from .function import Function

_REGISTERS = tuple(f"a{i}" for i in range(2, 16))


class XtensaCurves(Function):
    """A Function with the methods that Curves calls."""

    def li(self, to, value):
        """Load a number, byte by byte where no instruction contains it. Overwrites no register."""
        if -2048 <= value < 2048:
            return self.movi(to, value)
        digits, rest = [], value
        while not -2048 <= rest < 2048:
            digit = (rest + 128 & 0xFF) - 128
            digits.append(digit)
            rest = rest - digit >> 8
        self.movi(to, rest)
        for digit in reversed(digits):
            self.slli(to, to, 8)
            if digit:
                self.addi(to, to, digit)

    def lw(self, to, base):
        self.l32i(to, base)

    def sw(self, value, base):
        self.s32i(value, base)

    def mv(self, to, one):
        self.mov(to, one)

    def mul(self, to, one, other):
        self.mull(to, one, other)

    def divu(self, to, one, other):
        self.quou(to, one, other)

    def bits(self, to, one, low, count):
        """Extract `count` bits from bit `low` on."""
        self.extui(to, one, low, count)

    def srlv(self, to, one, amount):
        self.ssr(amount)
        self.srl(to, one)

    def sllv(self, to, one, amount):
        # SSL sets SAR to 32 - amount, and SLL shifts left by 32 - SAR.
        self._rrr(4, 0, 1, int(amount[1:]), 0, f"ssl {amount}")
        self._rrr(10, 1, int(to[1:]), int(one[1:]), 0, f"sll {to}, {one}")

    def jump(self, label):
        self.j(label)

    def branch(self, name, one, other, label):
        self.far(name, one, other, label)

    def branch_zero(self, name, register, label):
        getattr(self, name)(register, label)


def curve():
    t = XtensaCurves("curve", ABOUT, ARGUMENTS, SLOTS)
    source, target = _REGISTERS[:2]
    t.add("a3", "a3", "a2")
    t.add("a2", "a4", "a2")
    assert (source, target) == ("a2", "a3")
    t.extui("a4", "a5", 0, 2)
    t.store("a4", "kind")
    t.srli("a5", "a5", 2)
    t.store("a5", "left")
    Curves(t, _REGISTERS).write()
    return t.text("left")
