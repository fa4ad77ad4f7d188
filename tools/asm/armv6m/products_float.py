# Generator of the multiply-accumulate of float32 for Cortex-M0+, a part of several functions
# MIT license; Copyright (c) 2026 the tflm authors

from ..common.thumb import R0, R2, R3, R4, R5, R6, R7, R8, R9, R11, R12

# The product of two float32 is rounded, then the sum, both to nearest even, as C does.
#
# 1. The sum is in R2: 24 bits with a sign, times 2 ** 7. R8 is -120 less its biased exponent. If
#    the sum is 0, R8 is 880.
# 2. The product of the mantissas has 47 or 48 bits. R6 becomes its upper 32 bits: the sum of three
#    products of halves. The lower half of the third one, in R7, only decides ties.
# 3. The product is rounded to 24 bits and shifted to the exponent of the sum. If the exponent of
#    the product is more than 7 lower, bit 0 collects the bits that the shift drops.
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

BIAS = 120
assert INPUT_LOW + 255 - 127 > SUM_HIGH
assert INPUT_HIGH - 127 + 1 <= SUM_LOW - 27


class Products:
    """Writes the loop over the products of one sum into the function `t`.

    load_weight(t) loads the next weight into R5 and advances R1. reload_weight(t) loads it again.
    load_input(t) loads the next input into R3 and advances R0. checked: whether the caller has
    checked the inputs; otherwise the loop does. The loop ends where R0 is R9, and continues at the
    label `run_end`; it continues at `bail` if a number is not between the bounds.

    r0: inputs; r1: weights; r2: sum; r3: input; r4: exponents; r5: weight; r6: product;
    r7: temporary; r8: exponent of the sum; r9: end of the inputs; r11: 2 ** 23;
    r12: 0xFF000000.
    """

    def __init__(self, t, load_input, load_weight, reload_weight, checked, run_end, bail):
        self._t = t
        self._load_input = load_input
        self._load_weight = load_weight
        self._reload_weight = reload_weight
        self._checked = checked
        self._run_end = run_end
        self._bail = bail
        self._rare = []
        names = ("next", "minus", "zero", "no_sum", "bad")
        labels = dict(zip(names, map(t.new_label, names), strict=True))
        self.next = labels["next"]
        self.zero = labels["zero"]
        self._labels = labels
        self.multiply = t.new_label("multiply")

    def begin_function(self):
        """Set the constants."""
        t = self._t
        t.mov(R7, 128)
        t.lsl(R7, R7, 16)
        t.mov(R11, R7)
        t.mov(R7, 0xFF)
        t.lsl(R7, R7, 24)
        t.mov(R12, R7)

    def begin_sum(self):
        """Set the sum to 0."""
        t = self._t
        t.mov(R2, 0)
        self._set_no_sum()

    def _set_no_sum(self):
        t = self._t
        t.mov(R7, _ZERO_SUM >> 2)
        t.lsl(R7, R7, 2)
        t.mov(R8, R7)

    def loop(self):
        """Write the loop. Entries: `next`, `zero`, `multiply` with R3, R4 = 2 * R3, R5."""
        t, labels = self._t, self._labels
        end, bad = t.new_label("end"), t.new_label("bad")
        t.label(end)
        t.b(self._run_end)
        t.label(bad)
        t.b(self._bail)
        t.label(labels["zero"])
        # An infinite weight times 0 is NaN.
        self._load_weight(t)
        t.lsl(R5, R5, 1)
        t.cmp(R5, R12)
        t.branch("cs", bad)
        t.label(self.next)
        t.cmp(R0, R9)
        t.branch("eq", end)
        self._load_input(t)
        t.lsl(R4, R3, 1)
        t.branch("eq", labels["zero"])
        self._load_weight(t)
        t.label(self.multiply)
        t.lsr(R4, R4, 24)
        if not self._checked:
            t.sub(R4, INPUT_LOW)
            t.cmp(R4, INPUT_HIGH - INPUT_LOW)
            t.branch("hi", bad)
            t.add(R4, INPUT_LOW)
        t.lsl(R7, R5, 1)
        t.lsr(R7, R7, 24)
        t.add(R4, R7)
        t.add(R4, R8)
        t.mov(R7, R3)
        t.two("eor", R7, R5)
        t.branch("mi", labels["minus"])
        self._product("add")
        t.label(labels["minus"])
        self._product("sub")
        for write in self._rare:
            write()
        t.label(labels["bad"])
        self._reload_weight(t)
        t.lsl(R5, R5, 1)
        t.branch("eq", labels["no_sum"])
        t.b(self._bail)
        t.label(labels["no_sum"])
        self._set_no_sum()
        t.b(self.next)

    def _product(self, add):
        t = self._t
        t.lsl(R3, R3, 9)
        t.lsr(R3, R3, 9)
        t.add(R3, R11)
        t.lsl(R6, R5, 9)
        t.lsr(R6, R6, 25)
        t.add(R6, 128)  # the upper 8 bits of the weight's mantissa
        t.mul(R6, R3)
        t.uxth(R5, R5)
        t.uxth(R7, R3)
        t.mul(R7, R5)
        t.lsr(R3, R3, 16)
        t.mul(R5, R3)
        t.add(R6, R5)
        t.lsr(R3, R7, 16)
        t.add(R6, R3)
        long = t.new_label("long")
        t.branch("mi", long)
        self._sum(add, 7)
        t.label(long)
        t.add(R4, 1)
        self._sum(add, 8)

    # Round the product, which has `shift` bits more than 24, and add it.
    def _sum(self, add, shift):
        t = self._t
        names = "tie", "aligned", "far", "added", "over", "normal", "round", "up", "above", "small"
        label = dict(zip((*names, "power"), map(t.new_label, (*names, "power")), strict=True))
        names = "tie", "power", "over", "normal", "up", "above"
        rare = {name: t.new_label(name) for name in names}
        t.add(R6, 1 << shift - 1)
        if shift == 7:  # products of 48 bits are not rounded up to 2 ** 24
            t.branch("mi", label["power"])
        t.lsl(R3, R6, 32 - shift)
        t.branch("eq", label["tie"])
        t.lsr(R6, R6, shift)
        t.label(label["aligned"])
        t.cmp(R4, 7)
        t.branch("hi", label["far"])
        t.lsl(R6, R6, R4)
        t.label(label["added"])
        (t.add if add == "add" else t.sub)(R2, R6)
        t.branch("vs", label["over"])
        t.add(R7, R2, R2)
        t.branch("vc", label["normal"])
        t.label(label["round"])
        t.lsr(R7, R2, 8)
        t.mov(R7, 63)
        t.adc(R2, R7)
        t.branch("vs", label["up"])
        t.mov(R7, 127)
        t.two("bic", R2, R7)
        t.b(self.next)
        t.label(label["far"])
        t.branch("gt", label["above"])
        t.mov(R5, 1)
        t.sub(R5, R5, R4)
        t.cmp(R5, 19)
        t.branch("hi", label["small"])
        t.mov(R7, R6)
        t.lsr(R6, R6, R5)
        t.two("ror", R7, R5)
        t.sub(R7, R6)
        t.sub(R7, 1)
        t.adc(R6, R6)
        t.b(label["added"])
        t.label(label["small"])
        t.b(self.next)
        for name, target in rare.items():
            t.label(label[name])
            t.b(target)
        self._rare.append(lambda: self._write_rare(label, rare, shift))

    # The steps that few products need.
    def _write_rare(self, label, rare, shift):
        t = self._t
        # The product is halfway between two numbers, or at `power` was rounded up to 2 ** 24.
        t.label(rare["tie"])
        odd, narrow = t.new_label("odd"), t.new_label("narrow")
        t.lsl(R7, R7, 16)
        t.branch("ne", odd)
        t.lsr(R6, R6, shift + 1)
        t.lsl(R6, R6, shift + 1)
        t.label(rare["power"])
        t.label(odd)
        t.lsr(R6, R6, shift)
        t.lsr(R7, R6, 24)
        t.branch("eq", narrow)
        t.lsr(R6, R6, 1)
        t.add(R4, 1)
        t.label(narrow)
        t.b(label["aligned"])
        # The product has a higher exponent than the sum.
        t.label(rare["above"])
        fits, alone, exact = map(t.new_label, ("fits", "alone", "exact"))
        t.sub(R4, 7)
        t.mov(R7, R8)
        t.sub(R7, R4)
        t.mov(R8, R7)
        t.two("neg", R5, R7)
        t.sub(R5, BIAS + SUM_LOW)
        t.cmp(R5, SUM_HIGH - SUM_LOW)
        t.branch("ls", fits)
        t.b(self._labels["bad"])
        t.label(fits)
        t.lsl(R6, R6, 7)
        t.cmp(R4, 26)
        t.branch("cs", alone)
        t.mov(R7, R2)
        t.asr(R2, R2, R4)
        t.mov(R5, R2)
        t.lsl(R5, R5, R4)
        t.cmp(R5, R7)
        t.branch("eq", exact)
        t.mov(R5, 1)
        t.two("orr", R2, R5)
        t.label(exact)
        t.b(label["added"])
        t.label(alone)
        t.mov(R2, 0)
        t.b(label["added"])
        # The sum has 33 bits; its sign is the opposite of bit 31.
        t.label(rare["over"])
        negative, low = t.new_label("negative"), t.new_label("low")
        t.mov(R7, 1)
        t.two("and_", R7, R2)
        t.lsr(R2, R2, 1)
        t.two("orr", R2, R7)
        t.lsl(R5, R2, 1)
        t.branch("mi", negative)
        t.mov(R5, 1)
        t.lsl(R5, R5, 31)
        t.two("orr", R2, R5)
        t.label(negative)
        t.mov(R7, R8)
        t.sub(R7, 1)
        t.mov(R8, R7)
        t.two("neg", R5, R7)
        t.sub(R5, BIAS)
        t.cmp(R5, SUM_HIGH)
        t.branch("ls", low)
        t.b(self._bail)
        t.label(low)
        t.b(label["round"])
        # Fewer than 24 bits are left of a difference, which is then exact.
        t.label(rare["normal"])
        some, left, high = map(t.new_label, ("some", "left", "high"))
        t.cmp(R2, 0)
        t.branch("ne", some)
        t.b(self._labels["no_sum"])
        t.label(some)
        t.mov(R4, R8)
        t.label(left)
        t.lsl(R2, R2, 1)
        t.add(R4, 1)
        t.add(R7, R2, R2)
        t.branch("vc", left)
        t.mov(R8, R4)
        t.two("neg", R5, R4)
        t.sub(R5, BIAS + SUM_LOW)
        t.branch("ge", high)
        t.b(self._bail)
        t.label(high)
        t.b(label["round"])
        # The sum was rounded up to 2 ** 24.
        t.label(rare["up"])
        t.mov(R2, 1)
        t.lsl(R2, R2, 30)
        t.mov(R7, R8)
        t.sub(R7, 1)
        t.mov(R8, R7)
        t.b(self.next)

    def result(self):
        """Write the sum as a float32 to R2. Uses R3 to R5."""
        t = self._t
        zero, positive = t.new_label("zero"), t.new_label("positive")
        t.mov(R5, 0)
        t.asr(R2, R2, 7)
        t.branch("eq", zero)
        t.branch("pl", positive)
        t.two("neg", R2, R2)
        t.mov(R5, 1)
        t.lsl(R5, R5, 31)
        t.label(positive)
        t.mov(R4, R8)
        t.two("neg", R4, R4)
        t.sub(R4, BIAS + 1)
        t.lsl(R4, R4, 23)
        t.add(R2, R4)
        t.add(R2, R5)
        t.label(zero)
