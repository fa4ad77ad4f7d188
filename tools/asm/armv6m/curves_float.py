# Generator of the curves of float32 (exp, logistic, tanh and ELU) for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

# Steps, names of variables and bits of the results agree with kernels/float32_math.py:
#
# 1. Sign, exponent and mantissa; arguments that need no exponential.
# 2. k and r: the argument is k * ln(2) + r.
# 3. The polynomial q, and exp(r).
# 4. The exponential alone, or a numerator and a denominator.
# 5. Three divisions by the upper 16 bits of the denominator, as products with its reciprocal.
# 6. The result, rounded to nearest even.

from ..common.thumb import R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10, R11, R12, Thumb

_ABOUT = """
Curves of elements of the arena, at `r0`: `r1` and `r2` are the offsets of the target and of the
source in bytes. `r3` holds a number of elements << 2 | a kind: 0 for exp, 1 for logistic, 2 for
tanh, 3 for ELU. Returns the number of elements that are left when a result is subnormal or
infinite, which the portable function computes.
"""
_EXP, _LOGISTIC, _TANH, _ELU = range(4)
_C = (536870912, 268435459, 89478486, 22369444, 4473905, 748533, 106842)
_LOG2_E = 5909
_UPPER_MANTISSA, _LOWER_MANTISSA = 0x84F3CF, 0x900000
_LN2 = 0x58B90BFC
# 2 ** 15 / d of d from 0.5 to 1 is about _RECIPROCAL - d * 2 ** 16. After three steps of Newton's
# method it is less than 2 too large.
_RECIPROCAL = 95490
_RECIPROCAL_ERROR = 2
# Numbers that need several instructions wait in the frame.
_NUMBERS = {
    **{f"c{i}": value for i, value in enumerate(_C)},
    "ln2": _LN2,
    "log2_e": _LOG2_E,
    "upper": _UPPER_MANTISSA,
    "reciprocal": _RECIPROCAL,
}
_SLOTS = (*_NUMBERS, "kind", "mantissa", "k")


# Set a register to a number of 32 bits.
def _number(t, register, value):
    trailing = 0
    if value:
        while not value >> trailing & 1:
            trailing += 1
    value >>= trailing
    size = max(8, -(-value.bit_length() // 8) * 8)
    t.mov(register, value >> size - 8)
    for low in range(size - 16, -8, -8):
        t.lsl(register, register, 8)
        if value >> low & 0xFF:
            t.add(register, value >> low & 0xFF)
    if trailing:
        t.lsl(register, register, trailing)


class _Curve:
    """Writes the function. r8: next source; r9: next target; r10: elements left; r11: the kind,
    or _EXP where the result is an exponential alone; r12: sign."""

    def __init__(self, t):
        self.t = t
        names = ("element", "store", "exponential", "round", "end")
        self.labels = {name: t.new_label(name) for name in names}

    def _branch(self, condition, name):
        self.t.branch_far(condition, self.labels[name])

    def write(self):
        """Write the code, from the arguments on."""
        t, labels = self.t, self.labels
        t.add(R1, R0)
        t.mov(R9, R1)
        t.add(R2, R0)
        t.mov(R8, R2)
        t.mov(R0, 3)
        t.two("and_", R0, R3)
        t.store(R0, "kind")
        t.lsr(R3, R3, 2)
        t.mov(R10, R3)
        for name, value in _NUMBERS.items():
            _number(t, R0, value)
            t.store(R0, name)
        t.mov(R0, R10)
        t.cmp(R0, 0)
        self._branch("eq", "end")
        t.label(labels["element"])
        self._unpack()
        self._special()
        t.label(labels["exponential"])
        self._reduce()
        self._polynomial()
        self._quotient()
        t.label(labels["round"])
        self._round()
        t.label(labels["store"])
        t.mov(R1, R9)
        t.stm(R1, R0)
        t.mov(R9, R1)
        t.mov(R1, R10)
        t.sub(R1, 1)
        t.mov(R10, R1)
        self._branch("ne", "element")
        t.label(labels["end"])
        t.mov(R0, R10)

    # Step 1. r0: x; r1: sign; r2: exponent; r3: mantissa; r7: the kind.
    def _unpack(self):
        t, number, infinite = self.t, *map(self.t.new_label, ("number", "infinite"))
        t.mov(R1, R8)
        t.ldm(R1, R0)
        t.mov(R8, R1)
        t.lsr(R1, R0, 31)
        t.mov(R12, R1)
        t.lsl(R2, R0, 1)
        t.lsr(R2, R2, 24)
        t.lsl(R3, R0, 9)
        t.lsr(R3, R3, 9)
        t.load(R7, "kind")
        t.cmp(R2, 255)
        t.branch("ne", number)
        t.cmp(R3, 0)
        t.branch("eq", infinite)
        t.mov(R1, 1)  # a NaN becomes quiet
        t.lsl(R1, R1, 22)
        t.two("orr", R0, R1)
        t.b(self.labels["store"])
        t.label(infinite)
        t.label(number)
        t.mov(R4, 1)
        t.lsl(R4, R4, 23)
        t.add(R3, R4)

    # Set r0 to 1.0 with the sign in R1 (all functions), and store it.
    def _store_one(self):
        t = self.t
        t.mov(R0, 127)
        t.lsl(R0, R0, 23)
        t.lsl(R1, R1, 31)
        t.two("orr", R0, R1)
        t.b(self.labels["store"])

    # Results that need no exponential, and whether the exponential is the result.
    def _special(self):
        t, store, go_on = self.t, self.labels["store"], self.labels["exponential"]
        names = ("symmetric", "elu", "large", "alone", "negative", "positive_one")
        label = {name: t.new_label(name) for name in names}
        t.cmp(R7, _TANH)
        t.branch_far("cs", label["symmetric"])
        near = t.new_label("near")
        t.cmp(R2, 102)
        t.branch("cs", near)
        t.mov(R0, 127)  # 1.0 or 0.5
        t.sub(R0, R7)
        t.lsl(R0, R0, 23)
        t.b(store)
        t.label(near)
        t.cmp(R2, 134)
        t.branch_far("cs", label["large"])
        t.cmp(R7, _EXP)
        t.branch_far("eq", go_on)
        t.cmp(R1, 0)
        t.branch_far("ne", label["negative"])
        # From 16.619047 on, logistic is 1.
        t.cmp(R2, 131)
        t.branch_far("lt", go_on)
        t.branch("gt", label["positive_one"])
        t.load(R4, "upper")
        t.cmp(R3, R4)
        t.branch_far("ls", go_on)
        t.label(label["positive_one"])
        self._store_one()
        t.label(label["negative"])
        # Below -9 it is exp(x).
        t.cmp(R2, 130)
        t.branch_far("lt", go_on)
        t.branch("gt", label["alone"])
        t.mov(R4, _LOWER_MANTISSA >> 16)
        t.lsl(R4, R4, 16)
        t.cmp(R3, R4)
        t.branch_far("ls", go_on)
        t.label(label["alone"])
        t.mov(R7, _EXP)
        t.b(go_on)
        t.label(label["large"])
        self._store_large()
        t.label(label["symmetric"])
        same = t.new_label("same")
        t.branch("ne", label["elu"])  # the flags compare the kind with _TANH
        t.cmp(R2, 114)
        t.branch("cc", same)
        t.add(R2, 1)
        t.cmp(R2, 133)
        t.branch("cc", go_on)
        self._store_one()
        t.label(label["elu"])
        t.cmp(R1, 0)
        t.branch("eq", same)
        t.cmp(R2, 102)
        t.branch("cc", same)
        t.cmp(R2, 132)
        t.branch("cc", go_on)
        self._store_one()
        t.label(same)
        t.b(store)

    # exp or logistic of large magnitudes: 0 if negative, else infinite or 1.0.
    def _store_large(self):
        t, positive, infinite = self.t, *map(self.t.new_label, ("positive", "infinite"))
        t.mov(R0, 0)
        t.cmp(R1, 0)
        t.branch("eq", positive)
        t.b(self.labels["store"])
        t.label(positive)
        t.cmp(R7, _EXP)
        t.branch("eq", infinite)
        self._store_one()
        t.label(infinite)
        t.mov(R0, 255)
        t.lsl(R0, R0, 23)
        t.b(self.labels["store"])

    # Step 2. The lower 15 bits of r stay in r1, the upper ones are in r0. r2 becomes e - 119. The
    # slot k holds its magnitude.
    def _reduce(self):
        t, small, known, negate, done = (
            self.t,
            *map(self.t.new_label, ("small", "known", "negate", "done")),
        )
        t.mov(R11, R7)
        t.store(R3, "mantissa")
        t.cmp(R2, 119)
        t.branch("cc", small)
        t.mov(R4, 140)
        t.sub(R4, R4, R2)
        t.mov(R5, R3)
        t.lsr(R5, R5, R4)
        t.load(R4, "log2_e")
        t.mul(R5, R4)
        t.mov(R4, 1)
        t.lsl(R4, R4, 21)
        t.add(R5, R4)
        t.lsr(R5, R5, 22)
        t.sub(R2, 119)
        t.lsl(R3, R3, R2)
        t.load(R4, "ln2")
        t.mul(R4, R5)
        t.sub(R3, R4)
        t.b(known)
        t.label(small)
        t.mov(R4, 118)
        t.sub(R4, R4, R2)
        t.lsr(R3, R3, R4)
        t.add(R3, 1)
        t.lsr(R3, R3, 1)
        t.mov(R5, 0)
        t.sub(R2, 119)
        t.label(known)
        t.store(R5, "k")
        # exp of a positive number; all others have a negative exponent
        t.two("orr", R7, R1)
        t.branch("ne", negate)
        t.b(done)
        t.label(negate)
        t.two("neg", R3, R3)
        t.label(done)
        t.asr(R0, R3, 15)
        t.lsl(R1, R3, 17)
        t.lsr(R1, R1, 17)

    # to = number + (h * (q >> 15) + (h * (q & 0x7fff) + r * (q >> 15) >> 15) >> 1). Uses R3 to R5.
    def _horner(self, to, q, slot):
        t = self.t
        t.asr(R3, q, 15)
        t.lsl(R4, q, 17)
        t.lsr(R4, R4, 17)
        t.mul(R4, R0)
        t.mov(R5, R3)
        t.mul(R5, R1)
        t.add(R4, R5)
        t.asr(R4, R4, 15)
        t.mul(R3, R0)
        t.add(R3, R4)
        t.asr(R3, R3, 1)
        t.load(R4, slot)
        t.add(to, R3, R4)

    # Step 3: q in r7, exp(r) in r6.
    def _polynomial(self):
        self.t.load(R7, "c6")
        for i in (5, 4, 3, 2, 1, 0):
            self._horner(R7, R7, f"c{i}")
        self._horner(R6, R7, "c0")

    # Steps 4 and 5. r6: exp(r), then the result; r2: its exponent; r0: numerator; r3: denominator.
    def _quotient(self):
        t = self.t
        names = ("divided", "symmetric", "whole", "ratio", "double", "normal", "limited", "scale",
                 "shifted", "positive", "big")  # fmt: skip
        label = {name: t.new_label(name) for name in names}
        t.load(R5, "k")
        t.mov(R4, R11)
        t.cmp(R4, _EXP)
        t.branch_far("ne", label["divided"])
        t.mov(R2, R12)
        t.cmp(R2, 0)
        t.branch("eq", label["positive"])
        t.two("neg", R5, R5)
        t.label(label["positive"])
        t.mov(R2, 127)
        t.add(R2, R5)
        t.lsr(R4, R6, 29)
        t.branch("ne", label["big"])
        t.lsl(R6, R6, 1)
        t.sub(R2, 1)
        t.label(label["big"])
        t.b(self.labels["round"])
        t.label(label["divided"])
        t.mov(R3, R5)
        t.cmp(R3, 30)
        t.branch("cc", label["limited"])
        t.mov(R3, 30)
        t.label(label["limited"])
        t.mov(R0, R6)
        t.lsr(R0, R0, R3)
        t.mov(R3, R0)
        t.load(R0, "c0")
        t.cmp(R4, _LOGISTIC)
        t.branch("ne", label["symmetric"])
        t.add(R3, R0)
        t.mov(R2, 127)
        t.mov(R4, R12)
        t.cmp(R4, 0)
        t.branch("eq", label["double"])
        t.mov(R0, R6)
        t.sub(R2, R2, R5)
        t.b(label["double"])
        t.label(label["symmetric"])
        t.cmp(R5, 0)
        t.branch("eq", label["whole"])
        t.sub(R0, R0, R3)
        t.mov(R2, 127)
        t.b(label["ratio"])
        t.label(label["whole"])
        self._whole()
        t.label(label["ratio"])
        t.mov(R4, R11)
        t.load(R5, "c0")
        t.cmp(R4, _ELU)
        t.branch("eq", label["scale"])
        t.add(R3, R5)
        t.label(label["double"])
        t.cmp(R0, R3)
        t.branch("cs", label["normal"])
        t.lsl(R0, R0, 1)
        t.sub(R2, 1)
        t.b(label["double"])
        t.label(label["scale"])
        t.cmp(R0, R5)
        t.branch("cs", label["shifted"])
        t.lsl(R0, R0, 1)
        t.sub(R2, 1)
        t.b(label["scale"])
        t.label(label["shifted"])
        t.mov(R6, R0)
        t.b(self.labels["round"])
        t.label(label["normal"])
        self._divide()

    # 1 - exp of an argument so small that k is 0: the argument times q, in r0. r2 is its exponent.
    def _whole(self):
        t = self.t
        t.load(R4, "mantissa")
        t.lsr(R0, R4, 9)
        t.lsl(R4, R4, 23)
        t.lsr(R4, R4, 23)
        t.lsr(R5, R7, 15)
        t.mul(R4, R5)
        t.lsl(R4, R4, 6)
        t.lsl(R7, R7, 17)
        t.lsr(R7, R7, 17)
        t.mul(R7, R0)
        t.add(R4, R7)
        t.asr(R4, R4, 15)
        t.mul(R0, R5)
        t.add(R0, R4)
        t.add(R2, 119 + 1)

    # r4: the upper 16 bits of the denominator, rounded up; r5: its reciprocal; r1: quotients.
    def _divide(self):
        t = self.t
        t.store(R2, "k")
        t.lsr(R4, R3, 14)
        t.add(R4, 1)
        t.load(R5, "reciprocal")
        t.sub(R5, R5, R4)
        for _ in range(3):
            t.mov(R1, R5)
            t.mul(R1, R4)
            t.lsr(R1, R1, 16)
            t.mov(R7, 1)
            t.lsl(R7, R7, 16)
            t.sub(R7, R7, R1)
            t.mul(R5, R7)
            t.lsr(R5, R5, 15)
        t.sub(R5, _RECIPROCAL_ERROR)
        for i in range(3):
            self._quotient_of_12_bits()
            if i == 0:
                t.lsl(R6, R1, 12)
            elif i == 1:
                t.add(R6, R1)
            else:
                break
            t.lsl(R0, R0, 12)
            t.mul(R1, R3)
            t.sub(R0, R0, R1)
        t.lsl(R6, R6, 5)
        t.lsr(R1, R1, 7)
        t.add(R6, R1)
        t.mov(R1, 1)
        t.two("orr", R6, R1)
        t.load(R2, "k")

    # r1 = (r0 >> 2) // r4. The reciprocal is at most a little too small. Uses R2 and R7.
    def _quotient_of_12_bits(self):
        t, more, enough = self.t, *map(self.t.new_label, ("more", "enough"))
        t.lsr(R1, R0, 15)
        t.mul(R1, R5)
        t.lsr(R1, R1, 18)
        t.mov(R7, R1)
        t.mul(R7, R4)
        t.lsr(R2, R0, 2)
        t.sub(R2, R2, R7)
        t.label(more)
        t.cmp(R2, R4)
        t.branch("cc", enough)
        t.sub(R2, R2, R4)
        t.add(R1, 1)
        t.b(more)
        t.label(enough)

    # Step 6: other exponents end the function.
    def _round(self):
        t, plain, good = self.t, *map(self.t.new_label, ("plain", "good"))
        t.sub(R2, 1)
        t.cmp(R2, 253)
        t.branch("cc", good)
        t.b(self.labels["end"])
        t.label(good)
        t.lsl(R1, R6, 31 - 6)
        t.lsr(R1, R1, 31)
        t.add(R6, R1)
        t.add(R6, 31)
        t.lsr(R0, R6, 6)
        t.lsl(R2, R2, 23)
        t.add(R0, R2)
        t.mov(R4, R11)
        t.cmp(R4, _TANH)
        t.branch("cc", plain)
        t.mov(R1, R12)
        t.lsl(R1, R1, 31)
        t.two("orr", R0, R1)
        t.label(plain)


def curve():
    t = Thumb("curve", _ABOUT, arguments=4, slots=_SLOTS)
    _Curve(t).write()
    return t.text(returns=True)
