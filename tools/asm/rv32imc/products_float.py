# Generator of the multiply-accumulate of float32 for RV32, a part of several functions
# MIT license; Copyright (c) 2026 the tflm authors

# The product of two float32 is rounded, then the sum, both to nearest even, as C does.
#
# 1. The sum is in SUM: 24 bits with a sign, times 2 ** 6. EXPONENT is -121 less its biased
#    exponent. If the sum is 0, EXPONENT is 880. After a round up, SUM may be 2 ** 30.
# 2. MULHU gives the upper 32 bits of the product, which has 47 or 48 bits; the other 16 bits only
#    decide ties.
# 3. The product is rounded to 24 bits and shifted to the exponent of the sum. If the exponent of
#    the product is more than 6 lower, bit 0 collects the bits that the shift drops.
# 4. The sum is added, normalized and rounded.
#
# Subnormal, infinite and NaN operands need no test in each step because of these bounds:
#
# * Inputs that are not 0 have exponents from INPUT_LOW to INPUT_HIGH. The caller checks this.
# * Sums that are not 0 have exponents from SUM_LOW to SUM_HIGH; others end the function.
# * A weight that is 0 or subnormal is multiplied as if it were normal. This product is too small
#   to change a sum other than 0. If the sum is 0, the function tests the weight.
# * The product of an infinite or NaN weight has an exponent above SUM_HIGH. If the input is 0,
#   there is no product, so the function tests the weight.

INPUT_LOW, INPUT_HIGH = 37, 163
SUM_LOW, SUM_HIGH = 64, 164
_ZERO_SUM = 880

BIAS = 121
assert INPUT_LOW + 255 - 127 > SUM_HIGH
assert INPUT_HIGH - 127 + 1 <= SUM_LOW - 27

INPUTS, WEIGHTS, END = "a0", "a1", "a2"  # pointers; the loop ends at END of the inputs
SUM, EXPONENT = "a3", "a4"
INPUT, WEIGHT = "a5", "a6"  # float32
_K = "a7"  # bits by which a product is shifted to the left
_T, _U, _V = "t0", "t1", "t2"
_X, _W = "t3", "t4"  # mantissas * 256
_SIX, _NORMAL = "t5", "s0"  # 6; see _leading_bit
LEADING_BIT, _INFINITY = "s1", "s2"  # 2 ** 31, and the bits of an infinite number * 2


class Products:
    """Writes the loop over the products of one sum into the function `t`.

    steps: registers with the bytes from one input to the next, and from one weight to the next;
    None: 4. checked: whether the caller has checked the inputs; otherwise the loop does. The loop
    ends where INPUTS is END, and continues at the label `run_end`; it continues at `bail` if a
    number is not between the bounds. limit: a spare register, with which these checks are faster.
    """

    def __init__(self, t, steps, checked, run_end, bail, limit=None):
        self._t, self._steps, self._checked, self._limit = t, steps, checked, limit
        self._run_end, self._bail = run_end, bail
        self.next, self.zero, self.multiply, self.plus, self._top = map(
            t.new_label, ("next", "zero", "multiply", "plus", "top")
        )
        names = (
            "check",
            "round",
            "fix",
            "far",
            "apply",
            "signed",
            "tie_7",
            "tie_8",
            "no_sum",
            "bail",
        )
        self._labels = {name: t.new_label(name) for name in names}

    def begin_function(self):
        """Set the constants."""
        t = self._t
        t.li(_SIX, 6)
        t.li(_NORMAL, 1 << 30)
        t.slli(LEADING_BIT, _NORMAL, 1)
        t.li(_INFINITY, 255)
        t.slli(_INFINITY, _INFINITY, 24)
        if self._limit:
            t.li(self._limit, INPUT_HIGH - INPUT_LOW + 1)

    def begin_sum(self):
        """Set the sum to 0."""
        self._t.li(SUM, 0)
        self._t.li(EXPONENT, _ZERO_SUM)

    def add_weight(self):
        """Go to the loop, which adds WEIGHT to the sum."""
        self._t.li(INPUT, 0)
        self._t.jump(self.plus)

    def double_input(self):
        """Set what `multiply` requires: the input without its sign."""
        self._t.slli(_K, INPUT, 1)

    def _advance(self, pointer, step):
        if step is None:
            self._t.addi(pointer, pointer, 4)
        else:
            self._t.add(pointer, pointer, step)

    # Go to the next product, or leave the loop.
    def _continue(self):
        self._t.branch("bne", INPUTS, END, self._top)
        self._t.jump(self._run_end)

    def loop(self):
        """Write the loop.

        Entries: `next`, `zero`, and `multiply` with INPUT, WEIGHT and double_input(). `plus` adds
        WEIGHT, or subtracts it if INPUT is negative.
        """
        t, (input_step, weight_step) = self._t, self._steps
        inside = t.new_label("inside")
        t.label(self.zero)
        # An infinite weight times 0 is NaN.
        t.lw(WEIGHT, WEIGHTS)
        self._advance(WEIGHTS, weight_step)
        t.slli(_U, WEIGHT, 1)
        t.branch("bgeu", _U, _INFINITY, self._labels["bail"])
        t.label(self.next)
        t.branch("bne", INPUTS, END, self._top)
        t.jump(self._run_end)
        t.label(self._top)
        t.lw(INPUT, INPUTS)
        self._advance(INPUTS, input_step)
        self.double_input()
        t.branch("beq", _K, "zero", self.zero)
        t.lw(WEIGHT, WEIGHTS)
        self._advance(WEIGHTS, weight_step)
        t.label(self.multiply)
        t.srli(_K, _K, 24)
        if not self._checked:
            t.addi(_U, _K, -INPUT_LOW)
            if not self._limit:
                t.li(_V, INPUT_HIGH - INPUT_LOW + 1)
            t.branch("bltu", _U, self._limit or _V, inside)
            t.jump(self._bail)
            t.label(inside)
        t.slli(_U, WEIGHT, 1)
        t.srli(_U, _U, 24)
        t.add(_K, _K, _U)
        t.add(_K, _K, EXPONENT)
        for mantissa, value in ((_X, INPUT), (_W, WEIGHT)):
            t.slli(mantissa, value, 8)
            t.or_(mantissa, mantissa, LEADING_BIT)
        t.xor(_U, INPUT, WEIGHT)
        t.mulhu(_T, _X, _W)
        minus = t.new_label("minus")
        t.branch("blt", _U, "zero", minus)
        self._product("add", is_first=True)
        t.label(minus)
        self._product("sub")
        self._write_rare()

    # Both lengths of a product.
    def _product(self, add, is_first=False):
        long = self._t.new_label("long")
        self._t.branch("blt", _T, "zero", long)
        self._sum(add, 7, is_first)
        self._t.label(long)
        self._sum(add, 8)

    # Round the product, which has `shift` bits more than 24, and add it.
    def _sum(self, add, shift, is_first=False):
        t, labels = self._t, self._labels
        if shift == 8:
            t.addi(_K, _K, 1)
        t.addi(_T, _T, 1 << shift - 1)
        t.andi(_U, _T, (1 << shift) - 1)
        t.branch("beq", _U, "zero", labels[f"tie_{shift}"])
        t.srli(_T, _T, shift)
        t.branch("bltu", _SIX, _K, labels["far"])
        t.sll(_T, _T, _K)
        getattr(t, add)(SUM, SUM, _T)
        if is_first:
            t.label(labels["check"])
        self._leading_bit()
        t.branch("blt", _U, _NORMAL, labels["fix"])
        if is_first:
            t.label(labels["round"])
        t.srli(_U, SUM, 6)
        t.andi(_U, _U, 1)
        t.add(SUM, SUM, _U)
        t.addi(SUM, SUM, 31)
        t.andi(SUM, SUM, -64)
        self._continue()

    # _U is at least _NORMAL if the leading bit of the sum is at its place: bits 30 and 31 are
    # equal, and bit 29 differs. It is negative if the leading bit is higher.
    def _leading_bit(self):
        t = self._t
        t.slli(_U, SUM, 1)
        t.xor(_U, _U, SUM)

    # The exponent of the sum, less SUM_LOW, is in _U.
    def _exponent_of_sum(self):
        self._t.sub(_U, "zero", EXPONENT)
        self._t.addi(_U, _U, -BIAS - SUM_LOW)

    # The steps that few products need.
    def _write_rare(self):
        t, labels = self._t, self._labels
        above, alone, bad, low, left = map(t.new_label, ("above", "alone", "bad", "low", "left"))
        for shift in (7, 8):
            # Halfway between two numbers if the lower bits are 0; a product of 47 bits may become
            # 2 ** 24.
            odd = t.new_label("odd")
            t.label(labels[f"tie_{shift}"])
            t.mul(_U, _X, _W)
            t.branch("bne", _U, "zero", odd)
            t.srli(_T, _T, shift + 1)
            t.slli(_T, _T, shift + 1)
            t.label(odd)
            t.srli(_T, _T, shift)
            if shift == 7:
                t.srli(_U, _T, 24)
                t.branch("beq", _U, "zero", labels["apply"])
                t.srli(_T, _T, 1)
                t.addi(_K, _K, 1)
            t.jump(labels["apply"])
        # A weight is added as its product by 1.0 would be.
        t.label(self.plus)
        t.slli(_K, WEIGHT, 1)
        t.srli(_K, _K, 24)
        t.addi(_K, _K, 127)
        t.add(_K, _K, EXPONENT)
        t.slli(_T, WEIGHT, 8)
        t.or_(_T, _T, LEADING_BIT)
        t.srli(_T, _T, 8)
        t.label(labels["apply"])
        t.branch("bltu", _SIX, _K, labels["far"])
        t.sll(_T, _T, _K)
        t.label(labels["signed"])
        t.xor(_U, INPUT, WEIGHT)
        t.srai(_U, _U, 31)
        t.xor(_T, _T, _U)
        t.sub(_T, _T, _U)
        t.add(SUM, SUM, _T)
        t.jump(labels["check"])
        # The exponent of the product is much lower, or higher.
        t.label(labels["far"])
        t.branch("bge", _K, "zero", above)
        t.sub(_K, "zero", _K)
        t.li(_U, 19)
        t.branch("bltu", _U, _K, self.next)
        self._shift("srl", _T, _T)
        t.jump(labels["signed"])
        t.label(above)
        t.addi(_K, _K, -6)
        t.sub(EXPONENT, EXPONENT, _K)
        self._exponent_of_sum()
        t.li(_V, SUM_HIGH - SUM_LOW)
        t.branch("bltu", _V, _U, bad)
        t.slli(_T, _T, 6)
        t.li(_U, 26)
        t.branch("bgeu", _K, _U, alone)
        self._shift("sra", SUM, SUM)
        t.jump(labels["signed"])
        t.label(alone)
        t.li(SUM, 0)
        t.jump(labels["signed"])
        t.label(bad)
        t.slli(_U, WEIGHT, 1)
        t.branch("beq", _U, "zero", labels["no_sum"])
        t.label(labels["bail"])
        t.jump(self._bail)
        t.label(labels["fix"])
        t.branch("bge", _U, "zero", low)
        # The sum has a bit more.
        t.andi(_U, SUM, 1)
        t.srai(SUM, SUM, 1)
        t.or_(SUM, SUM, _U)
        t.addi(EXPONENT, EXPONENT, -1)
        self._exponent_of_sum()
        t.li(_V, SUM_HIGH - SUM_LOW)
        t.branch("bgeu", _V, _U, labels["round"])
        t.jump(self._bail)
        # Fewer than 24 bits are left of a difference, which is then exact.
        t.label(low)
        t.branch("beq", SUM, "zero", labels["no_sum"])
        t.label(left)
        t.slli(SUM, SUM, 1)
        t.addi(EXPONENT, EXPONENT, 1)
        self._leading_bit()
        t.branch("blt", _U, _NORMAL, left)
        self._exponent_of_sum()
        t.branch("bge", _U, "zero", labels["round"])
        t.jump(self._bail)
        t.label(labels["no_sum"])
        self.begin_sum()
        self._continue()

    # Shift `value` by _K bits to the right; bit 0 collects the bits that it loses.
    def _shift(self, name, to, value):
        t = self._t
        getattr(t, name)(_V, value, _K)
        t.sll(_U, _V, _K)
        t.sub(_U, value, _U)
        t.sltu(_U, "zero", _U)
        t.or_(to, _V, _U)

    def sum_of(self, bail):
        """Make the float32 in SUM the sum; leave to `bail` if it is not between the bounds."""
        t = self._t
        nonzero, good, done = map(t.new_label, ("nonzero", "good", "done"))
        t.branch("bne", SUM, "zero", nonzero)
        t.li(EXPONENT, _ZERO_SUM)
        t.jump(done)
        t.label(nonzero)
        t.slli(EXPONENT, SUM, 1)
        t.srli(EXPONENT, EXPONENT, 24)
        t.addi(_U, EXPONENT, -SUM_LOW)
        t.li(_V, SUM_HIGH - SUM_LOW + 1)
        t.branch("bltu", _U, _V, good)
        t.jump(bail)
        t.label(good)
        t.sub(EXPONENT, "zero", EXPONENT)
        t.addi(EXPONENT, EXPONENT, -BIAS)
        t.srai(_U, SUM, 31)
        t.slli(SUM, SUM, 8)
        t.or_(SUM, SUM, LEADING_BIT)
        t.srli(SUM, SUM, 2)
        t.xor(SUM, SUM, _U)
        t.sub(SUM, SUM, _U)
        t.label(done)

    def result(self):
        """Make SUM a float32."""
        t, done = self._t, self._t.new_label("done")
        t.srai(SUM, SUM, 6)
        t.branch("beq", SUM, "zero", done)
        t.srai(_U, SUM, 31)
        t.xor(SUM, SUM, _U)
        t.sub(SUM, SUM, _U)
        t.slli(_U, _U, 31)
        t.sub(_V, "zero", EXPONENT)
        t.addi(_V, _V, -BIAS - 1)
        t.slli(_V, _V, 23)
        t.add(SUM, SUM, _V)
        t.add(SUM, SUM, _U)
        t.label(done)
