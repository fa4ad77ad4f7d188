# The curves of float32 (exp, logistic, tanh) in machine code, for instruction sets with 32 bits
# MIT license; Copyright (c) 2026 the tflm authors

# Steps, names of variables and bits of the results agree with kernels/float32_math.py. A generator
# passes an assembler with the methods of XtensaCurves.

ABOUT = """
Curves of elements of the arena: `source` and `target` are addresses as offsets in the arena.
`count` holds a number of elements << 2 | a kind: 0 for exp, 1 for logistic, 2 for tanh. Returns
the number of elements that are left when a result is subnormal or infinite, which the portable
function computes.
"""
ARGUMENTS = "arena", "target", "source", "count"
EXP, LOGISTIC, TANH = range(3)
_C = (536870912, 268435459, 89478486, 22369444, 4473905, 748533, 106842)
_LOG2_E = 5909
_UPPER_MANTISSA, _LOWER_MANTISSA = 0x84F3CF, 0x900000
_ONE, _INFINITY, _LN2 = 127 << 23, 255 << 23, 0x58B90BFC
# Numbers that need several instructions wait in the frame.
NUMBERS = {
    **{f"c{i}": value for i, value in enumerate(_C)},
    "ln2": _LN2,
    "log2_e": _LOG2_E,
    "leading_bit": 1 << 23,
    "mantissa": (1 << 23) - 1,
    "upper": _UPPER_MANTISSA,
    "lower": _LOWER_MANTISSA,
    "one": _ONE,
    "infinity": _INFINITY,
    "half": 1 << 21,
    "quiet": 1 << 22,
}
SLOTS = (*NUMBERS, "kind", "left", "alone")


class Curves:
    """Writes the function. t: the assembler. registers: fourteen names."""

    def __init__(self, t, registers):
        self.t = t
        (self.source, self.target, self.x, self.sign, self.e, self.m, self.k, self.r, self.h,
         self.q, self.y, self.t0, self.t1, self.t2) = registers  # fmt: skip

    def write(self):
        """Write the code after the arguments are in `target`, `source`, and the slots."""
        t, labels = self.t, ("element", "store", "exponential", "round", "end")
        self.labels = {name: t.new_label(name) for name in labels}
        for name, value in NUMBERS.items():
            t.li(self.t0, value)
            t.store(self.t0, name)
        t.load(self.t0, "left")
        t.branch_zero("beqz", self.t0, self.labels["end"])
        t.label(self.labels["element"])
        self._unpack()
        self._plain()
        t.label(self.labels["exponential"])
        self._reduce()
        self._polynomial()
        self._quotient()
        t.label(self.labels["round"])
        self._round()
        t.label(self.labels["store"])
        t.sw(self.y, self.target)
        t.addi(self.target, self.target, 4)
        t.addi(self.source, self.source, 4)
        t.load(self.t0, "left")
        t.addi(self.t0, self.t0, -1)
        t.store(self.t0, "left")
        t.branch_zero("bnez", self.t0, self.labels["element"])
        t.label(self.labels["end"])

    # Branch if a register is beyond a small number.
    def _if(self, name, register, number, label):
        self.t.li(self.t1, number)
        self.t.branch(name, register, self.t1, label)

    def _answer(self, slot):
        self.t.load(self.y, slot)
        self.t.jump(self.labels["store"])

    # 1. Sign, exponent and mantissa. A NaN is quiet.
    def _unpack(self):
        t, number = self.t, self.t.new_label("number")
        t.lw(self.x, self.source)
        t.srli(self.sign, self.x, 31)
        t.bits(self.e, self.x, 23, 8)
        t.load(self.t0, "mantissa")
        t.and_(self.m, self.x, self.t0)
        self._if("bne", self.e, 255, number)
        t.branch_zero("beqz", self.m, number)
        t.load(self.t0, "quiet")
        t.or_(self.y, self.x, self.t0)
        t.jump(self.labels["store"])
        t.label(number)
        t.load(self.t0, "leading_bit")
        t.or_(self.m, self.m, self.t0)
        t.li(self.t0, 0)
        t.store(self.t0, "alone")

    # Answers that need no exponential, and whether the exponential is the answer.
    def _plain(self):
        t = self.t
        names = ("tanh", "tanh_large", "one", "large", "exponent", "alone", "negative", "same")
        label = {name: t.new_label(name) for name in names}
        t.load(self.t0, "kind")
        t.addi(self.t1, self.t0, -TANH)
        t.branch_zero("beqz", self.t1, label["tanh"])
        self._if("bge", self.e, 102, label["exponent"])
        # Close to zero: 1.0 or 0.5
        t.load(self.y, "one")
        t.slli(self.t0, self.t0, 23)
        t.sub(self.y, self.y, self.t0)
        t.jump(self.labels["store"])
        t.label(label["exponent"])
        self._if("bge", self.e, 134, label["large"])
        t.branch_zero("beqz", self.t0, label["alone"])
        t.branch_zero("bnez", self.sign, label["negative"])
        # From 16.619047 on, logistic is 1.
        self._if("blt", self.e, 131, self.labels["exponential"])
        self._if("bne", self.e, 131, label["one"])
        t.load(self.t1, "upper")
        t.branch("bge", self.t1, self.m, self.labels["exponential"])
        t.label(label["one"])
        self._answer("one")
        t.label(label["negative"])
        # Below -9 it is exp(x).
        self._if("blt", self.e, 130, self.labels["exponential"])
        self._if("bne", self.e, 130, label["alone"])
        t.load(self.t1, "lower")
        t.branch("bge", self.t1, self.m, self.labels["exponential"])
        t.label(label["alone"])
        t.li(self.t1, 1)
        t.store(self.t1, "alone")
        t.jump(self.labels["exponential"])
        t.label(label["large"])
        t.li(self.y, 0)
        t.branch_zero("bnez", self.sign, self.labels["store"])
        t.branch_zero("bnez", self.t0, label["one"])
        self._answer("infinity")
        t.label(label["tanh"])
        self._if("blt", self.e, 114, label["same"])
        self._if("bge", self.e, 132, label["tanh_large"])
        t.addi(self.e, self.e, 1)
        t.jump(self.labels["exponential"])
        t.label(label["same"])
        t.mv(self.y, self.x)
        t.jump(self.labels["store"])
        t.label(label["tanh_large"])
        t.load(self.y, "one")
        t.slli(self.t0, self.sign, 31)
        t.or_(self.y, self.y, self.t0)
        t.jump(self.labels["store"])

    # 2. k and r; the lower 15 bits of r stay in r, the upper ones become h.
    def _reduce(self):
        t, small, known, positive = self.t, *map(self.t.new_label, ("small", "r", "positive"))
        t.li(self.k, 0)
        self._if("blt", self.e, 119, small)
        t.li(self.t1, 140)
        t.sub(self.t1, self.t1, self.e)
        t.srlv(self.k, self.m, self.t1)
        t.load(self.t1, "log2_e")
        t.mul(self.k, self.k, self.t1)
        t.load(self.t1, "half")
        t.add(self.k, self.k, self.t1)
        t.srli(self.k, self.k, 22)
        t.addi(self.t1, self.e, -119)
        t.sllv(self.r, self.m, self.t1)
        t.load(self.t1, "ln2")
        t.mul(self.t1, self.t1, self.k)
        t.sub(self.r, self.r, self.t1)
        t.jump(known)
        t.label(small)
        t.li(self.t1, 118)
        t.sub(self.t1, self.t1, self.e)
        t.srlv(self.r, self.m, self.t1)
        t.addi(self.r, self.r, 1)
        t.srli(self.r, self.r, 1)
        t.label(known)
        t.load(self.t0, "kind")
        t.or_(self.t0, self.t0, self.sign)
        t.branch_zero("beqz", self.t0, positive)
        t.neg(self.r, self.r)
        t.neg(self.k, self.k)
        t.label(positive)
        t.srai(self.h, self.r, 15)
        t.bits(self.r, self.r, 0, 15)

    # to = number + (h * (q >> 15) + (h * (q & 0x7fff) + r * (q >> 15) >> 15) >> 1).
    def _horner(self, to, slot):
        t = self.t
        t.srai(self.t0, self.q, 15)
        t.bits(self.t1, self.q, 0, 15)
        t.mul(self.t1, self.t1, self.h)
        t.mul(self.t2, self.t0, self.r)
        t.add(self.t1, self.t1, self.t2)
        t.srai(self.t1, self.t1, 15)
        t.mul(self.t0, self.t0, self.h)
        t.add(self.t0, self.t0, self.t1)
        t.srai(self.t0, self.t0, 1)
        t.load(self.t1, slot)
        t.add(to, self.t0, self.t1)

    def _polynomial(self):
        self.t.load(self.q, "c6")
        for i in (5, 4, 3, 2, 1, 0):
            self._horner(self.q, f"c{i}")
        self._horner(self.y, "c0")

    # 3. The exponential alone, or a numerator x and a denominator r, and three divisions.
    def _quotient(self):
        t = self.t
        names = ("divided", "tanh", "whole", "divide", "double", "normal", "limited")
        label = {name: t.new_label(name) for name in names}
        t.load(self.t0, "alone")
        t.branch_zero("beqz", self.t0, label["divided"])
        t.addi(self.e, self.k, 127)
        t.srli(self.t0, self.y, 29)
        t.branch_zero("bnez", self.t0, self.labels["round"])
        t.slli(self.y, self.y, 1)
        t.addi(self.e, self.e, -1)
        t.jump(self.labels["round"])
        t.label(label["divided"])
        t.neg(self.r, self.k)
        self._if("blt", self.r, 30, label["limited"])
        t.li(self.r, 30)
        t.label(label["limited"])
        t.srlv(self.r, self.y, self.r)
        t.load(self.x, "c0")
        t.load(self.t0, "kind")
        t.addi(self.t0, self.t0, -TANH)
        t.branch_zero("beqz", self.t0, label["tanh"])
        t.li(self.e, 127)
        t.branch_zero("beqz", self.sign, label["divide"])
        t.mv(self.x, self.y)
        t.add(self.e, self.e, self.k)
        t.jump(label["divide"])
        t.label(label["tanh"])
        t.branch_zero("beqz", self.k, label["whole"])
        t.sub(self.x, self.x, self.r)
        t.li(self.e, 127)
        t.jump(label["divide"])
        t.label(label["whole"])
        t.srli(self.h, self.m, 9)
        t.bits(self.m, self.m, 0, 9)
        t.srai(self.t0, self.q, 15)
        t.bits(self.t1, self.q, 0, 15)
        t.mul(self.t1, self.t1, self.h)
        t.mul(self.t2, self.t0, self.m)
        t.slli(self.t2, self.t2, 6)
        t.add(self.t1, self.t1, self.t2)
        t.srai(self.t1, self.t1, 15)
        t.mul(self.t0, self.t0, self.h)
        t.add(self.x, self.t0, self.t1)
        t.addi(self.e, self.e, 1)
        t.label(label["divide"])
        t.load(self.t0, "c0")
        t.add(self.r, self.r, self.t0)
        t.label(label["double"])
        t.branch("bge", self.x, self.r, label["normal"])
        t.slli(self.x, self.x, 1)
        t.addi(self.e, self.e, -1)
        t.jump(label["double"])
        t.label(label["normal"])
        t.srli(self.m, self.r, 14)
        t.addi(self.m, self.m, 1)
        for i in range(3):
            t.srli(self.q, self.x, 2)
            t.divu(self.q, self.q, self.m)
            if i == 2:
                break
            t.slli(self.x, self.x, 12)
            t.mul(self.t0, self.q, self.r)
            t.sub(self.x, self.x, self.t0)
            if i == 0:
                t.slli(self.y, self.q, 12)
            else:
                t.add(self.y, self.y, self.q)
        t.slli(self.y, self.y, 5)
        t.srli(self.q, self.q, 7)
        t.add(self.y, self.y, self.q)
        t.li(self.t0, 1)
        t.or_(self.y, self.y, self.t0)

    # Round to nearest even and pack; other exponents end the function.
    def _round(self):
        t, plain = self.t, self.t.new_label("plain")
        t.addi(self.t0, self.e, -1)
        t.li(self.t1, 253)
        t.branch("bgeu", self.t0, self.t1, self.labels["end"])
        t.bits(self.t1, self.y, 6, 1)
        t.add(self.y, self.y, self.t1)
        t.addi(self.y, self.y, 31)
        t.srli(self.y, self.y, 6)
        t.slli(self.t0, self.t0, 23)
        t.add(self.y, self.y, self.t0)
        t.load(self.t0, "kind")
        t.addi(self.t0, self.t0, -TANH)
        t.branch_zero("bnez", self.t0, plain)
        t.slli(self.t0, self.sign, 31)
        t.or_(self.y, self.y, self.t0)
        t.label(plain)
