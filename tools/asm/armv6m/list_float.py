# Generator of the multiply-accumulate of a list of float32 for Cortex-M0+, a part of functions
# MIT license; Copyright (c) 2026 the tflm authors

from ..common.thumb import R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10, R11, R12

# The product of two float32 is rounded, then the sum, both to nearest even, as C does. Inputs that
# several sums share are unpacked once, to a list without the inputs that are 0. An entry has three
# words: the mantissa, sign and exponent as in the float32, and the offset of the weight in bytes.
# The mantissa of the last entry is 0.
#
# 1. The sum is in R2: 24 bits with a sign, times 2 ** 7. R8 is (-119 less its biased exponent)
#    << 23. A sum of 0 has the exponent _ZERO_EXPONENT.
# 2. The second word of the entry + R8 + the weight has the sign of the product in bit 31. Bits 23
#    to 30 are the bits by which the product has to be shifted to the left, modulo 256. An overflow
#    or underflow of these bits inverts the sign bit.
# 3. The product of the mantissas has 47 or 48 bits. R6 becomes its upper 32 bits: the sum of three
#    products of halves. The lower half of the third one, in R7, only decides ties.
# 4. The product is rounded to 24 bits and shifted to the exponent of the sum. If the exponent of
#    the product is more than 7 lower, bit 0 collects the bits that the shift drops.
# 5. The sum is added, normalized and rounded.
#
# The exponents of inputs and sums are between LOW and HIGH, so they differ by at most
# _DIFFERENCE. Then a shift by 0 to 7 bits is always the true one. Other shifts are true if they
# are from _LEAST to _MOST; else a rare step adds up the exponents again, without an overflow.
# A weight that is 0 or subnormal is multiplied as if it were normal. This product is too small to
# change a sum other than 0. If the sum is 0, the rare step tests the weight. The product of an
# infinite or NaN weight has an exponent above HIGH, which ends the function.

LOW, HIGH = 64, 164
_DIFFERENCE = HIGH - LOW
_ZERO_EXPONENT = 103
_LEAST, _MOST = -18, 35
assert -119 - _DIFFERENCE > _MOST + 1 - 256 and 255 - 119 + _DIFFERENCE < _LEAST + 256

ENTRIES = 64  # of a list, besides the last entry
ENTRY = 12  # bytes
_FIELD = 512 - 119  # R8 >> 23 is _FIELD less the exponent of the sum
_ZERO_FIELD = (_FIELD - _ZERO_EXPONENT) // 2
assert (_FIELD - _ZERO_EXPONENT) % 2 == 0 and _ZERO_FIELD < 256


class ListProducts:
    """Writes the loop over the products of one sum into the function `t`.

    The loop begins at the label `next` with the address of the list in R0 and of the weights in
    R1. `first` is a faster entry if the sum is 0, which it sets, for a list that is not empty.
    The loop continues at the label `end`, or at `bail` if the sum is not between the bounds.

    r2: sum; r3: mantissa of the input; r4: shift; r5: weight; r6: product; r7: temporary; r8:
    exponent of the sum. R1 and R9 to R12 keep their values.
    """

    def __init__(self, t, end, bail):
        self._t = t
        self._end = end
        self._bail = bail
        self._rare = []
        self.next = t.new_label("next")
        self.first = t.new_label("first")
        self._signs = {sign: self._labels(sign) for sign in ("plus", "minus")}
        self._slow = {is_long: t.new_label("slow") for is_long in (True, False)}

    def _labels(self, sign):
        names = ("top", "short", "above", "added")
        return {name: self._t.new_label(f"{sign}_{name}") for name in names}

    def begin_sum(self):
        """Set the sum to 0. Uses R7."""
        self._t.mov(R2, 0)
        self._set_zero()

    def _set_zero(self):
        t = self._t
        t.mov(R7, _ZERO_FIELD)
        t.lsl(R7, R7, 24)
        t.mov(R8, R7)

    def loop(self):
        """Write the loop: both signs of long products, then of short products, then rare steps."""
        t, plus, minus = self._t, self._signs["plus"], self._signs["minus"]
        t.label(self.next)
        self._head()
        t.branch("mi", minus["top"])
        self._product("plus")
        jumps = [self._sum("plus", True)]
        self._head()
        t.branch("pl", plus["top"])
        self._product("minus")
        jumps.append(self._sum("minus", True))
        self._head()
        t.branch("mi", minus["top"])
        t.b(plus["top"])
        self._write_jumps(*jumps)
        for sign, labels in self._signs.items():
            t.label(labels["short"])
            jumps = self._sum(sign, False)
            t.b(self.next)
            self._write_jumps(jumps)
        for write in self._rare:
            write()
        for sign in self._signs:
            self._write_above(sign)
        for is_long in self._slow:
            self._write_slow(is_long)
        self._write_first()

    # The first product becomes the sum, without a shift. The loop computes rare products: ties,
    # products by 0, and exponents that are not between the bounds.
    def _write_first(self):
        t = self._t
        names = ("rare", "short", "shifted", "plus")
        rare, short, shifted, plus = map(t.new_label, names)
        t.label(self.first)
        t.ldm(R0, R3, R4, R7)
        t.ldr_at(R5, R1, R7)
        t.mov(R2, R4)
        t.two("eor", R2, R5)
        t.lsl(R4, R4, 1)
        t.lsr(R4, R4, 24)
        t.lsl(R7, R5, 1)
        t.lsr(R7, R7, 24)
        t.add(R4, R4, R7)
        t.sub(R4, 127 + LOW)
        t.cmp(R4, _DIFFERENCE - 1)
        t.branch("hi", rare)
        self._multiply()
        t.branch("pl", short)
        t.add(R6, 128)
        t.lsl(R3, R6, 24)
        t.branch("eq", rare)
        t.lsr(R6, R6, 8)
        t.add(R4, 1)
        t.b(shifted)
        t.label(short)
        t.add(R6, 64)
        t.lsl(R3, R6, 1)
        t.branch("pl", rare)
        t.lsl(R3, R6, 25)
        t.branch("eq", rare)
        t.lsr(R6, R6, 7)
        t.label(shifted)
        t.lsl(R6, R6, 7)
        t.cmp(R2, 0)
        t.branch("ge", plus)
        t.two("neg", R6, R6)
        t.label(plus)
        t.mov(R2, R6)
        t.mov(R7, 255)
        t.add(R7, _FIELD - LOW - 255)
        t.sub(R7, R7, R4)
        t.lsl(R7, R7, 23)
        t.mov(R8, R7)
        t.b(self.next)
        t.label(rare)
        t.sub(R0, ENTRY)
        self.begin_sum()
        t.b(self.next)

    # Conditional branches reach only 256 bytes, so they go to jumps to the rare steps.
    def _write_jumps(self, *jumps):
        for each in jumps:
            for label, target in each:
                self._t.label(label)
                self._t.b(target)

    # Load an entry and its weight, and find the sign and the shift.
    def _head(self):
        t = self._t
        t.ldm(R0, R3, R4, R7)
        t.ldr_at(R5, R1, R7)
        t.add(R4, R8)
        t.add(R4, R4, R5)

    def _product(self, sign):
        t = self._t
        t.label(self._signs[sign]["top"])
        if sign == "minus":
            t.lsl(R4, R4, 1)
            t.lsr(R4, R4, 24)
        else:
            t.lsr(R4, R4, 23)
        self._multiply()
        t.branch("pl", self._signs[sign]["short"])

    # r6: the upper 32 bits of the product, with their sign in the flag N.
    def _multiply(self):
        t = self._t
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

    # Round the product, which has 8 bits more than 24 if it is long, else 7 bits, and add it.
    # Return [(label of a branch, rare step)].
    def _sum(self, sign, is_long):
        t = self._t
        shift = 8 if is_long else 7
        names = ["tie", "far", "over", "normal", "up"]
        if not is_long:
            names.append("special")
        jump = {name: t.new_label(name) for name in names}
        rare = {name: t.new_label(name) for name in (*names, "aligned", "round", "added")}
        if is_long:
            rare["added"] = self._signs[sign]["added"]
        t.add(R6, 1 << shift - 1)
        if not is_long:
            t.sub(R4, 1)
            t.lsl(R3, R6, 1)
            t.branch("pl", jump["special"])
        t.lsl(R3, R6, 32 - shift)
        t.branch("eq", jump["tie"])
        t.lsr(R6, R6, shift)
        t.label(rare["aligned"])
        t.cmp(R4, 7)
        t.branch("hi", jump["far"])
        t.lsl(R6, R6, R4)
        t.label(rare["added"])
        (t.add if sign == "plus" else t.sub)(R2, R2, R6)
        t.branch("vs", jump["over"])
        t.add(R7, R2, R2)
        t.branch("vc", jump["normal"])
        t.label(rare["round"])
        t.lsr(R7, R2, 8)
        t.mov(R7, 63)
        t.adc(R2, R7)
        t.branch("vs", jump["up"])
        t.mov(R7, 127)
        t.two("bic", R2, R7)
        self._rare.append(lambda: self._write_rare(sign, is_long, rare))
        return [(jump[name], rare[name]) for name in names]

    # The steps that few products need.
    def _write_rare(self, sign, is_long, rare):
        t = self._t
        shift = 8 if is_long else 7
        odd = t.new_label("odd")
        t.label(rare["tie"])
        t.lsl(R7, R7, 16)
        t.branch("ne", odd)
        t.lsr(R6, R6, shift + 1)
        t.lsl(R6, R6, shift + 1)
        t.label(odd)
        t.lsr(R6, R6, shift)
        t.b(rare["aligned"])
        if not is_long:
            # The product was rounded up to 2 ** 24, or the input is 0.
            power = t.new_label("power")
            t.label(rare["special"])
            t.cmp(R6, 64)
            t.branch("ne", power)
            t.b(self._end)
            t.label(power)
            t.lsr(R6, R6, 8)
            t.add(R4, 1)
            t.b(rare["aligned"])
        self._write_far(sign, is_long, rare)
        # The sum has 33 bits; its sign is the opposite of bit 31.
        minus = t.new_label("minus")
        t.label(rare["over"])
        t.mov(R7, 1)
        t.two("and_", R7, R2)
        t.lsr(R2, R2, 1)
        t.two("orr", R2, R7)
        t.lsl(R5, R2, 1)
        t.branch("mi", minus)
        t.mov(R5, 1)
        t.lsl(R5, R5, 31)
        t.two("orr", R2, R5)
        t.label(minus)
        t.mov(R4, 1)
        self._add_to_exponent()
        t.b(rare["round"])
        # Fewer than 24 bits are left of a difference, which is then exact.
        some, left = t.new_label("some"), t.new_label("left")
        t.label(rare["normal"])
        t.cmp(R2, 0)
        t.branch("ne", some)
        self._set_zero()
        t.b(self.next)
        t.label(some)
        t.mov(R4, 0)
        t.label(left)
        t.lsl(R2, R2, 1)
        t.sub(R4, 1)
        t.add(R7, R2, R2)
        t.branch("vc", left)
        self._add_to_exponent()
        t.b(rare["round"])
        # The sum was rounded up to 2 ** 24.
        t.label(rare["up"])
        t.mov(R2, 1)
        t.lsl(R2, R2, 30)
        t.mov(R4, 1)
        self._add_to_exponent()
        t.b(self.next)

    # Add R4 to the exponent of the sum; end the function if it is not between the bounds. Uses R5
    # and R7.
    def _add_to_exponent(self):
        t, good = self._t, self._t.new_label("good")
        t.lsl(R5, R4, 23)
        t.mov(R7, R8)
        t.sub(R7, R5)
        t.mov(R8, R7)
        t.lsr(R5, R7, 23)
        t.sub(R5, _FIELD - HIGH)
        t.cmp(R5, _DIFFERENCE)
        t.branch("ls", good)
        t.b(self._bail)
        t.label(good)

    # The product is shifted to the right, or to the left by more than 7 bits.
    def _write_far(self, sign, is_long, rare):
        t = self._t
        other_sign = "minus" if sign == "plus" else "plus"
        opposite = self._signs[other_sign]
        below, other, no_sum, slow = map(t.new_label, ("below", "other", "no_sum", "slow"))
        t.label(rare["far"])
        if not is_long:
            t.cmp(R4, 0)
            t.branch("lt", below)
        t.mov(R5, 255)
        t.sub(R5, R5, R4)
        t.cmp(R5, -1 - _LEAST)
        t.branch("hi", other)
        t.cmp(R2, 0)
        t.branch("eq", no_sum)
        t.add(R5, 2)
        self._shift_right()
        t.b(opposite["added"])
        t.label(no_sum)
        t.sub(R4, 255)
        t.sub(R4, 1)
        t.b(opposite["above"])
        t.label(other)
        t.cmp(R4, _MOST)
        t.branch("hi", slow)
        t.b(self._signs[sign]["above"])
        t.label(slow)
        t.b(self._slow[is_long])
        if not is_long:
            alone = t.new_label("alone")
            t.label(below)
            t.cmp(R2, 0)
            t.branch("eq", alone)
            t.mov(R5, 2)
            self._shift_right()
            t.b(rare["added"])
            t.label(alone)
            t.b(self._signs[sign]["above"])

    # Shift the product by R5 - 1 bits to the right. Uses R7.
    def _shift_right(self):
        t = self._t
        t.mov(R7, R6)
        t.lsr(R6, R6, R5)
        t.two("ror", R7, R5)
        t.sub(R7, R6)
        t.sub(R7, 1)
        t.adc(R6, R6)

    # The product has a higher exponent than the sum, or the sum is 0. R4 is the shift.
    def _write_above(self, sign):
        t = self._t
        labels = self._signs[sign]
        alone, exact = t.new_label("alone"), t.new_label("exact")
        t.label(labels["above"])
        t.sub(R4, 7)
        self._add_to_exponent()
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
        t.b(labels["added"])
        t.label(alone)
        t.mov(R2, 0)
        t.b(labels["added"])

    # Add up the exponents again, from the entry and the weight.
    def _write_slow(self, is_long):
        t = self._t
        above, minus, small = map(t.new_label, ("above", "minus", "small"))
        t.label(self._slow[is_long])
        t.mov(R5, R0)
        t.sub(R5, 8)
        t.ldm(R5, R3, R7)
        t.ldr_at(R7, R1, R7)
        t.lsl(R5, R7, 1)
        t.branch("eq", small)
        t.lsr(R5, R5, 24)
        t.lsl(R4, R3, 1)
        t.lsr(R4, R4, 24)
        t.add(R4, R4, R5)
        t.mov(R5, R8)
        t.lsr(R5, R5, 23)
        t.add(R4, R4, R5)
        t.sub(R4, 255)
        t.sub(R4, 255)
        t.sub(R4, 2 if is_long else 3)
        t.branch("ge", above)
        t.cmp(R2, 0)
        t.branch("eq", above)
        t.label(small)
        t.b(self.next)
        t.label(above)
        t.two("eor", R3, R7)
        t.branch("mi", minus)
        t.b(self._signs["plus"]["above"])
        t.label(minus)
        t.b(self._signs["minus"]["above"])

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
        t.lsr(R4, R4, 23)
        t.mov(R3, 255)
        t.add(R3, _FIELD - 1 - 255)
        t.sub(R3, R3, R4)
        t.lsl(R3, R3, 23)
        t.add(R2, R3)
        t.add(R2, R5)
        t.label(zero)


# Functions keep two lists in the spare bytes of their frame, after `offset` other bytes: one that
# multiplies a weight by 1.0, then one with the inputs.


def list_bytes(offset, entries=ENTRIES):
    """Return the bytes of the lists and of `offset` bytes before them."""
    return offset + ENTRY * (2 + entries + 1)


def bias_list(t, offset, count=1):
    """Write the list with `count` inputs of 1.0, at `offset`. Uses R0 and R4 to R6."""
    t.address(R0, offset)
    t.mov(R4, 1)
    t.lsl(R4, R4, 23)
    t.mov(R5, 127)
    t.lsl(R5, R5, 23)
    t.mov(R6, 0)
    for i in range(count):
        if i:
            t.add(R6, 4)
        t.stm(R0, R4, R5, R6)
    t.mov(R4, 0)
    t.mov(R5, 0)
    t.stm(R0, R4, R5, R6)


def begin_entries(t):
    """Set the constant of add_entry() in R11. Uses R3."""
    t.mov(R3, 1)
    t.lsl(R3, R3, 23)
    t.mov(R11, R3)


def add_entry(t, zero, bad):
    """Add the input at R0 to the list at R1; R6 is the offset of its weight. All three advance.

    Go to `zero` instead, with R0 advanced, if the input is 0, and to `bad` if it is not between
    the bounds. Uses R3 to R5.
    """
    good = t.new_label("good")
    t.ldm(R0, R3)
    t.lsl(R4, R3, 1)
    t.branch("eq", zero)
    t.lsr(R5, R4, 24)
    t.sub(R5, LOW)
    t.cmp(R5, _DIFFERENCE)
    t.branch("ls", good)
    t.b(bad)
    t.label(good)
    t.lsl(R4, R4, 8)
    t.lsr(R4, R4, 9)
    t.add(R4, R11)
    t.lsr(R5, R3, 23)
    t.lsl(R5, R5, 23)
    t.stm(R1, R4, R5, R6)
    t.add(R6, 4)


def add_last_entry(t):
    """Add the entry that multiplies 0 by the weight of the entry before it. Uses R3 to R6."""
    t.sub(R3, R1, 4)
    t.ldr(R6, R3)
    t.mov(R4, 0)
    t.mov(R5, 0)
    t.stm(R1, R4, R5, R6)


class Builder:
    """Writes the steps that unpack a window to a list. The window has `rows` rows of `run` bytes.

    The function has SLOTS and the slots `run`, `input_gap` and `weights_gap`: bytes from the end
    of a row to the next one. offset: of the lists, see list_bytes(); self.offset: of the list
    with the inputs.
    """

    SLOTS = (
        "rows_left",
        "cursor",  # address of the next input
        "run_end",
        "weight",  # offset of its weight
        "first_weight",  # offset of the first weight of the list
        "has_more",  # 1: the list is full, and the window has more inputs
        "is_empty",  # 1: the list has no entries
    )

    def __init__(self, t, offset):
        self._t = t
        self.offset = offset + 2 * ENTRY

    def begin(self):
        """Begin a window. r4: address of its first input, r5: bytes of a row, r6: rows."""
        t = self._t
        t.store(R4, "cursor")
        t.add(R4, R4, R5)
        t.store(R4, "run_end")
        t.store(R6, "rows_left")
        t.mov(R4, 0)
        t.store(R4, "weight")

    # r0: next input; r1: next entry; r6: offset of the weight; r9: end of the run; r10: not 0 if
    # an input was 0; r11: 2 ** 23; r12: end of the list.
    def build(self, bad):
        """Unpack inputs until the list is full; go to `bad` for an input beyond the bounds."""
        t = self._t
        names = ("value", "zero", "run_end", "last", "full", "empty", "some")
        value, zero, run_end, last, full, empty, some = map(t.new_label, names)
        t.mov(R3, 0)
        t.mov(R10, R3)
        t.store(R3, "has_more")
        t.store(R3, "is_empty")
        begin_entries(t)
        t.load(R3, "run_end")
        t.mov(R9, R3)
        t.address(R1, self.offset)
        t.mov(R3, ENTRY * ENTRIES // 4)
        t.lsl(R3, R3, 2)
        t.add(R3, R3, R1)
        t.mov(R12, R3)
        t.load(R0, "cursor")
        t.load(R6, "weight")
        t.store(R6, "first_weight")
        t.cmp(R0, R9)
        t.branch("eq", run_end)
        t.label(value)
        add_entry(t, zero, bad)
        t.cmp(R1, R12)
        t.branch("eq", full)
        t.cmp(R0, R9)
        t.branch("ne", value)
        t.label(run_end)
        t.load(R7, "rows_left")
        t.sub(R7, 1)
        t.store(R7, "rows_left")
        t.branch("eq", last)
        t.load(R7, "weights_gap")
        t.add(R6, R6, R7)
        t.load(R7, "input_gap")
        t.add(R0, R0, R7)
        t.load(R7, "run")
        t.add(R7, R7, R0)
        t.mov(R9, R7)
        t.b(value)
        t.label(zero)
        t.mov(R10, R0)
        t.add(R6, 4)
        t.cmp(R0, R9)
        t.branch("ne", value)
        t.b(run_end)
        t.label(full)
        t.mov(R3, 1)
        t.store(R3, "has_more")
        t.store(R0, "cursor")
        t.mov(R3, R9)
        t.store(R3, "run_end")
        t.label(last)
        t.store(R6, "weight")
        t.address(R3, self.offset)
        t.cmp(R1, R3)
        t.branch("eq", empty)
        add_last_entry(t)
        t.b(some)
        t.label(empty)
        t.mov(R3, 1)
        t.store(R3, "is_empty")
        t.label(some)

    def if_no_zeros(self, label):
        """Go to `label` if no input of the list was 0. Uses R3."""
        self._t.mov(R3, R10)
        self._t.cmp(R3, 0)
        self._t.branch_far("eq", label)


def find_infinite(t, found):
    """Go to `found` if a float32 from the address R0 up to R1 is not finite. Uses R2 to R7."""
    four, one, done, bad = map(t.new_label, ("four", "one", "done", "bad"))
    last, good = t.new_label("last"), t.new_label("good")
    t.mov(R7, 0xFF)
    t.lsl(R7, R7, 24)
    t.sub(R2, R1, R0)
    t.lsr(R2, R2, 4)
    t.branch("eq", last)
    t.label(four)
    t.ldm(R0, R3, R4, R5, R6)
    for register in (R3, R4, R5, R6):
        t.lsl(register, register, 1)
        t.cmp(register, R7)
        t.branch("cs", bad)
    t.sub(R2, 1)
    t.branch("ne", four)
    t.label(last)
    t.cmp(R0, R1)
    t.branch("eq", done)
    t.label(one)
    t.ldm(R0, R3)
    t.lsl(R3, R3, 1)
    t.cmp(R3, R7)
    t.branch("cs", bad)
    t.cmp(R0, R1)
    t.branch("ne", one)
    t.label(done)
    t.b(good)
    t.label(bad)
    t.b(found)
    t.label(good)
