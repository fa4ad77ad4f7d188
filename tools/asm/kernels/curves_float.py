# The curves of float32 (exp, logistic, tanh and ELU), in the kernel language
# MIT license; Copyright (c) 2026 the tflm authors

# Names of variables and bits of the results agree with modules/tflm/kernels/float32_math.py:
#
# 1. Sign, exponent and mantissa; arguments that need no exponential.
# 2. k and r: the magnitude of the argument is k * ln(2) + r.
# 3. The polynomial q, and exp(r).
# 4. The exponential alone, or a numerator and a denominator.
# 5. Three divisions by the upper 16 bits of the denominator, each for 12 bits of the quotient.
# 6. The result, rounded to nearest even.

from ..language.floats import IMPLICIT_BIT
from ..language.kernel import Kernel

_ABOUT = """
Curves of elements of the arena: target and source are offsets in bytes. count: number of elements
<< 2 | a kind: 0 for exp, 1 for logistic, 2 for tanh, 3 for ELU. Returns the number of elements
that are left when a result is subnormal or infinite, which the portable function computes.
"""
_EXP, _LOGISTIC, _TANH, _ELU = range(4)
_C = (536870912, 268435459, 89478486, 22369444, 4473905, 748533, 106842)
_LOG2_E = 5909
_UPPER_MANTISSA, _LOWER_MANTISSA = 0x84F3CF, 0x900000
_LN2 = 0x58B90BFC
_ONE, _INFINITY, _QUIET = 127 << 23, 255 << 23, 1 << 22
# 2 ** 15 / d of d from 0.5 to 1 is about _RECIPROCAL - d * 2 ** 16. After three steps of Newton's
# method it is less than 2 too large.
_RECIPROCAL = 95490
_RECIPROCAL_ERROR = 2


def _add_long_products(t, low, high, *factors):
    t.smull(low, high, *factors[:2])
    t.smlal(low, high, *factors[2:])


def _run_long_products(a, b, c, d):
    return 0, a * b + c * d >> 32


class _Curves:
    def __init__(self, machine):
        names = ("arena", "target", "source", "count")
        self.k = k = Kernel("curve", _ABOUT, names, machine)
        arena, target, source, count = k.arguments
        self.target, self.source = k.var("to", target + arena), k.var("from", source + arena)
        self.kind, self.left = k.var("kind", count.field(0, 2)), k.var("left", count.lsr(2))
        self.c = [k.var(f"c{i}", value) for i, value in enumerate(_C)]
        self.ln2, self.y = k.var("ln2", _LN2), k.reg("y")
        names = ("store", "exponential", "double", "round", "end")
        self.store, self.exponential, self.double, self.round, self.end = map(k.new_label, names)

    def kernel(self):
        k = self.k
        k.branch(self.left == 0, self.end)
        with k.loop("element", 64) as element:
            self._unpack()
            self._special()
            k.label(self.exponential)
            self._reduce()
            self._polynomial()
            self._exponential_alone()
            self._fraction()
            k.label(self.double)
            self._divide()
            k.label(self.round)
            self._round()
            k.label(self.store)
            self.target.put_next(self.y)
            self.left -= 1
            element.repeat_if(self.left != 0)
        k.label(self.end)
        return k.finish(self.left)

    # Step 1. `mode` is the kind, or _EXP where the result is an exponential alone.
    def _unpack(self):
        k = self.k
        self.x = x = k.reg("x")
        self.source.next(x)
        self.sign, self.e = k.var("sign", x.lsr(31)), k.var("e", x.field(23, 8))
        self.m, self.mode = k.var("m", x.field(0, 23)), k.var("mode", self.kind)
        with k.If(self.e == 255, rare=True), k.If(self.m != 0):
            self._answer(x | _QUIET)
        self.m += IMPLICIT_BIT

    def _answer(self, bits):
        self.y.set(bits)
        self.k.goto(self.store)

    # Results that need no exponential.
    def _special(self):
        k, sign, e, kind = self.k, self.sign, self.e, self.kind
        with k.If(kind < _TANH):
            with k.If(e < 102, rare=True):
                self._answer((127 - kind) << 23)  # 1.0 or 0.5
            with k.If(e >= 134, rare=True):
                self.y.set(0)
                k.branch(sign != 0, self.store)
                self.y.set(_ONE)
                with k.If(kind == _EXP):
                    self.y.set(_INFINITY)
                k.goto(self.store)
            k.branch(kind == _EXP, self.exponential)
            with k.If(sign != 0):  # below -9, logistic is exp(x)
                k.branch(e < 130, self.exponential)
                with k.If(e == 130):
                    k.branch(self.m <= _LOWER_MANTISSA, self.exponential)
                self.mode.set(_EXP)
                k.goto(self.exponential)
            k.branch(e < 131, self.exponential)  # from 16.619047 on, logistic is 1
            with k.If(e == 131):
                k.branch(self.m <= _UPPER_MANTISSA, self.exponential)
            self._answer(_ONE)
        self.y.set(self.x)
        with k.If(kind == _TANH):
            k.branch(e < 114, self.store)
            e += 1
            k.branch(e < 133, self.exponential)
            self._answer(sign << 31 | _ONE)
        k.branch(sign == 0, self.store)
        k.branch(e < 102, self.store)
        k.branch(e < 132, self.exponential)
        self._answer(sign << 31 | _ONE)

    # Step 2. The lower 15 bits of r stay in r; h is the others.
    def _reduce(self):
        k, e, m = self.k, self.e, self.m
        self.number, r = k.var("k", 0), k.reg("r")
        with k.If(e < 119):
            r.set((m.lsr(118 - e) + 1).lsr(1))
        with k.Else():
            self.number.set((m.lsr(140 - e) * _LOG2_E + (1 << 21)).lsr(22))
            r.set((m << e - 119) - self.ln2 * self.number)
        with k.If(self.kind | self.sign != 0):  # all but exp of a positive number
            r.set(-r)
        self.h, self.r = k.var("h", r >> 15), k.var("r_low", r.field(0, 15))
        if k.machine.name.startswith("armv7em"):
            self.h <<= 16
            self.r <<= 16

    # c + (h * (q >> 15) + (h * (q & 0x7fff) + r * (q >> 15) >> 15) >> 1). The machine with long
    # products has h and r times 2 ** 16, so that this is the upper word of their sum.
    def _horner(self, q, c):
        k, upper = self.k, q >> 15
        if k.machine.name.startswith("armv7em"):
            factors, high = [self.h, q, self.r, upper], k.reg()
            k.tile(_add_long_products, [k.reg(), high], factors, [], 8, (), _run_long_products)
            return high + c
        lower = (q.field(0, 15) * self.h + upper * self.r) >> 15
        upper *= self.h
        return (upper + lower >> 1) + c

    # Step 3.
    def _polynomial(self):
        self.q = self.k.var("q", self.c[6])
        for c in self.c[5::-1]:
            self.q.set(self._horner(self.q, c))
        self.y.set(self._horner(self.q, self.c[0]))

    # Step 4.
    def _exponential_alone(self):
        k, y, e = self.k, self.y, self.e
        with k.If(self.mode == _EXP):
            e.set(self.number)
            with k.If(self.sign != 0):
                e.set(-e)
            e += 127
            with k.If(y.lsr(29) == 0):
                y <<= 1
                e -= 1
            k.goto(self.round)

    # Numerator x and denominator r.
    def _fraction(self):
        k, e, one = self.k, self.e, self.c[0]
        numerator, r = (
            k.var("numerator", one),
            k.var("denominator", self.y.lsr(self.number.min(30))),
        )
        with k.If(self.mode == _LOGISTIC):
            e.set(127)
            with k.If(self.sign != 0):
                numerator.set(self.y)
                e -= self.number
            r += one
            k.goto(self.double)
        with k.If(self.number != 0):
            numerator -= r
            e.set(127)
        with k.Else():
            self._small(numerator)
        with k.If(self.mode == _ELU):
            with k.While(lambda: numerator < one, "scale", 2):
                numerator <<= 1
                e -= 1
            self.y.set(numerator)
            k.goto(self.round)
        r += one
        self.numerator, self.denominator = numerator, r

    # 1 - exp of an argument so small that k is 0: the argument times q.
    def _small(self, numerator):
        high, low = self.m.lsr(9), self.m.field(0, 9)
        q_high, q_low = self.q.lsr(15), self.q.field(0, 15)
        numerator.set(high * q_high + ((high * q_low + (low * q_high << 6)) >> 15))
        self.e += 1

    # Step 5.
    def _divide(self):
        k, x, r, y = self.k, self.numerator, self.denominator, self.y
        with k.While(lambda: x < r, "shift", 2):
            x <<= 1
            self.e -= 1
        divisor = k.var("divisor", r.lsr(14) + 1)
        quotient = self._quotient_of(divisor)
        q = quotient(x)
        y.set(q << 12)
        x.set((x << 12) - q * r)
        q = quotient(x)
        y += q
        x.set((x << 12) - q * r)
        y.set((y << 5) + quotient(x).lsr(7) | 1)

    # Return a function of x that returns (x >> 2) // divisor.
    def _quotient_of(self, divisor):
        k = self.k

        def divide(x):
            q = k.reg("quotient")
            k.emit("divu", [q], [x.lsr(2), divisor])
            return q

        if k.machine.has_divide:
            return divide
        reciprocal = k.var("reciprocal", _RECIPROCAL - divisor)
        for _ in range(3):
            reciprocal.set((reciprocal * (0x10000 - (reciprocal * divisor).lsr(16))).lsr(15))
        reciprocal -= _RECIPROCAL_ERROR

        # The reciprocal is at most a little too small.
        def multiply(x):
            q = k.var("quotient", (x.lsr(15) * reciprocal).lsr(18))
            rest = k.var("rest", x.lsr(2) - q * divisor)
            with k.While(lambda: rest.not_below(divisor), "more", 1 / 4):
                rest -= divisor
                q += 1
            return q

        return multiply

    # Step 6. Other exponents end the function.
    def _round(self):
        k, y, e = self.k, self.y, self.e
        e -= 1
        k.branch(e.not_below(253), self.end)
        y += y.field(6, 1) + 31
        y.set(y.lsr(6) + (e << 23))
        with k.If(self.kind >= _TANH):
            y |= self.sign << 31


def curve_kernel(machine):
    """Return the Kernel of curve() for a Machine."""
    return _Curves(machine).kernel()
