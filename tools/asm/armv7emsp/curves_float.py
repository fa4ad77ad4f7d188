# Generator of the curves of float32 for Cortex-M4, M7 and M33
# MIT license; Copyright (c) 2026 the tflm authors

from ..armv7em.thumb_dsp import ThumbDsp
from ..common.curves_float import ABOUT, ARGUMENTS, SLOTS, Curves
from ..common.thumb import LR, R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10, R11, R12

# LR is saved by MicroPython.
_REGISTERS = R1, R2, R0, R3, R4, R5, R6, R7, R8, R9, R10, R11, R12, LR
_CONDITIONS = {"beq": "eq", "bne": "ne", "blt": "lt", "bge": "ge", "bltu": "cc", "bgeu": "cs",
               "beqz": "eq", "bnez": "ne"}  # fmt: skip


class ThumbCurves(ThumbDsp):
    """A ThumbDsp with the methods that Curves calls; they take any register."""

    def li(self, to, value):
        for high, name, half in ((0xF240, "movw", value), (0xF2C0, "movt", value >> 16)):
            half &= 0xFFFF
            if name == "movt" and not half:
                return
            high |= (half >> 11 & 1) << 10 | half >> 12
            low = (half >> 8 & 7) << 12 | to.number << 8 | half & 0xFF
            self._wide(high, low, f"{name} {to}, #{half}")

    def lw(self, to, base):
        self.ldr_wide(to, base)

    def sw(self, value, base):
        self.str_wide(value, base)

    def mv(self, to, one):
        self._data(0x4600 | (to.number & 8) << 4 | one.number << 3 | to.number & 7,
                   f"mov {to}, {one}")  # fmt: skip

    def addi(self, to, one, number):
        if number >= 0:
            return self.add_number(to, one, number)
        low = (-number >> 8 & 7) << 12 | to.number << 8 | -number & 0xFF
        self._wide(0xF2A0 | one.number, low, f"subw {to}, {one}, #{-number}")

    # Three registers.

    def add(self, to, one, other):
        self.add_wide(to, one, other)

    def sub(self, to, one, other):
        self.sub_wide(to, one, other)

    def and_(self, to, one, other):
        self._three(0xEA00, "and", to, one, other, "lsl", 0, False)

    def or_(self, to, one, other):
        self._three(0xEA40, "orr", to, one, other, "lsl", 0, False)

    def _registers(self, high, low, name, to, one, other):
        low |= to.number << 8 | other.number
        self._wide(high | one.number, low, f"{name} {to}, {one}, {other}")

    def mul(self, to, one, other):
        self._registers(0xFB00, 0xF000, "mul", to, one, other)

    def smlal(self, low, high, one, other):
        """high:low += one * other, signed."""
        words = low.number << 12 | high.number << 8 | other.number
        self._wide(0xFBC0 | one.number, words, f"smlal {low}, {high}, {one}, {other}")

    def divu(self, to, one, other):
        self._registers(0xFBB0, 0xF0F0, "udiv", to, one, other)

    def sllv(self, to, one, amount):
        self._registers(0xFA00, 0xF000, "lsl", to, one, amount)

    def srlv(self, to, one, amount):
        self._registers(0xFA20, 0xF000, "lsr", to, one, amount)

    # A register and a number.

    def _shifted(self, name, kind, to, one, by):
        low = (by >> 2) << 12 | to.number << 8 | (by & 3) << 6 | kind << 4 | one.number
        self._wide(0xEA4F, low, f"{name} {to}, {one}, #{by}")

    def slli(self, to, one, by):
        self._shifted("lsl", 0, to, one, by)

    def srli(self, to, one, by):
        self._shifted("lsr", 1, to, one, by)

    def srai(self, to, one, by):
        self._shifted("asr", 2, to, one, by)

    def bits(self, to, one, low, count):
        """Extract `count` bits from bit `low` on."""
        code = (low >> 2) << 12 | to.number << 8 | (low & 3) << 6 | count - 1
        self._wide(0xF3C0 | one.number, code, f"ubfx {to}, {one}, #{low}, #{count}")

    def neg(self, to, one):
        self._wide(0xF1C0 | one.number, to.number << 8, f"rsb {to}, {one}, #0")

    # Branches.

    def jump(self, label):
        self.b(label)

    def branch(self, name, one, other, label):
        self._wide(0xEBB0 | one.number, 0x0F00 | other.number, f"cmp {one}, {other}")
        self.branch_far(_CONDITIONS[name], label)

    def branch_zero(self, name, register, label):
        self._wide(0xF1B0 | register.number, 0x0F00, f"cmp {register}, #0")
        self.branch_far(_CONDITIONS[name], label)


class _LongCurves(Curves):
    """Curves whose Horner steps add up 64 bits: h and r have 16 bits more, so that the upper word
    of the sum is what Curves computes with four products.
    """

    def _polynomial(self):
        self.t.slli(self.h, self.h, 16)
        self.t.slli(self.r, self.r, 16)
        super()._polynomial()

    def _horner(self, to, slot):
        t = self.t
        t.srai(self.t0, self.q, 15)
        t.smull(self.t1, self.t2, self.h, self.q)
        t.load(self.y, slot)
        t.smlal(self.t1, self.t2, self.r, self.t0)
        t.add(to, self.t2, self.y)


def curve():
    t = ThumbCurves("curve", ABOUT, len(ARGUMENTS), SLOTS)
    source, target, *_ = _REGISTERS
    assert (source, target) == (R1, R2)
    t.add(R1, R1, R0)
    t.add(R2, R2, R0)
    t.mv(R4, R1)
    t.mv(R1, R2)
    t.mv(R2, R4)
    t.bits(R4, R3, 0, 2)
    t.store(R4, "kind")
    t.srli(R3, R3, 2)
    t.store(R3, "left")
    _LongCurves(t, _REGISTERS).write()
    t.load(R0, "left")
    return t.text(returns=True)
