# Generator of the curves of float32 for RV32
# MIT license; Copyright (c) 2026 the tflm authors

from ..common.curves_float import ABOUT, ARGUMENTS, SLOTS, Curves
from .rv32 import Rv32

_REGISTERS = (*(f"a{i}" for i in range(2, 8)), *(f"t{i}" for i in range(7)), "s0")


class RvCurves(Rv32):
    """An Rv32 with the methods that Curves calls."""

    def bits(self, to, one, low, count):
        """Extract `count` bits from bit `low` on."""
        self.slli(to, one, 32 - low - count)
        self.srli(to, to, 32 - count)

    def neg(self, to, one):
        self.sub(to, "zero", one)

    def srlv(self, to, one, amount):
        self.srl(to, one, amount)

    def sllv(self, to, one, amount):
        self.sll(to, one, amount)

    def branch_zero(self, name, register, label):
        self.branch({"beqz": "beq", "bnez": "bne"}[name], register, "zero", label)


def curve():
    t = RvCurves("curve", ABOUT, len(ARGUMENTS), SLOTS)
    source, target, *_ = _REGISTERS
    t.add("t0", "a1", "a0")
    t.add("t1", "a2", "a0")
    t.andi("a0", "a3", 3)
    t.store("a0", "kind")
    t.srli("a3", "a3", 2)
    t.store("a3", "left")
    t.mv(source, "t1")
    t.mv(target, "t0")
    Curves(t, _REGISTERS).write()
    return t.text("left")
