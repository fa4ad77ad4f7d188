# Kernel language: sums of products of float32, for machines without an FPU
# MIT license; Copyright (c) 2026 the tflm authors

# The product of two float32 is rounded, then the sum, both to nearest even, as C does.
#
# 1. `total` is the sum: 24 bits with a sign, times 2 ** spare. `field` is (_FIELD + spare less its
#    biased exponent) << 23, modulo 2 ** 32. A sum of 0 has the exponent _ZERO_EXPONENT.
# 2. Sign and exponent of the input + `field` + the weight has the sign of the product in bit 31.
#    Bits 23 to 30 are the bits by which the product has to be shifted to the left, modulo 256. An
#    overflow or underflow of these bits inverts the sign bit.
# 3. The product of the mantissas has 47 or 48 bits; `product` is its upper 32 bits. The other 16
#    bits only decide ties.
# 4. The product is rounded to 24 bits and shifted to the exponent of the sum. If the exponent of
#    the product is more than `spare` lower, bit 0 collects the bits that the shift drops.
# 5. The sum is added, normalized and rounded.
#
# The exponents of inputs and sums are between LOW and HIGH, so they differ by at most DIFFERENCE.
# Then a shift by 0 to `spare` bits is always the true one. Other shifts are true if they are from
# spare - _DOWN to spare + _UP; else a rare step adds up the exponents again, without an overflow.
# A product that is shifted by more bits to the right changes nothing.
#
# A weight that is 0 or subnormal is multiplied as if it were normal. This product is too small to
# change a sum other than 0. If the sum is 0, the rare step tests the weight. The product of an
# infinite or NaN weight has an exponent above HIGH, which ends the function.

from .floats import IMPLICIT_BIT
from .macros import number

LOW, HIGH = 64, 164  # biased exponents
DIFFERENCE = HIGH - LOW
_ZERO_EXPONENT = 115
_FIELD = 512 - 126  # so that a product of 48 bits has its shift in bits 23 to 30
_DOWN, _UP = 25, 28
_RARE = 1 / 8  # an estimate of how often a rare step runs
assert -126 - DIFFERENCE > _UP + 1 - 256 and 255 - 126 + DIFFERENCE < 256 - _DOWN


# Cortex-M0+: the sum's leading bit is bit 30, and flags say whether it is.


def _add(t, total, product):
    t.add(total, total, product)


def _subtract(t, total, product):
    t.sub(total, total, product)


def _double(t, double, total):
    t.add(double, total, total)


# total + 63 + bit 7 of total, then without the lowest bits: the shift leaves bit 7 in the carry.
def _round(t, spare, total):
    t.lsr(spare, total, 8)
    t.mov(spare, 63)
    t.adc(total, spare)


def _clear_low_bits(t, spare, total):
    t.mov(spare, 127)
    t.two("bic", total, spare)


# Bit 0 of value >> bits - 1 collects the bits that the shift drops: the decrement of what it drops
# leaves the carry.
def _shift_with_carry(t, lost, value, bits):
    t.mov(lost, value)
    t.lsr(value, value, bits)
    t.two("ror", lost, bits)
    t.sub(lost, value)
    t.sub(lost, 1)
    t.adc(value, value)


def _wrapped(value):
    return (value + (1 << 31) & 0xFFFFFFFF) - (1 << 31)


def _run_add(total, product):
    return _wrapped(total + product), _wrapped(total + product) != total + product


def _run_subtract(total, product):
    return _wrapped(total - product), _wrapped(total - product) != total - product


def _run_double(total):
    return _wrapped(2 * total), _wrapped(2 * total) == 2 * total


def _run_round(total):
    total += 63 + (total >> 7 & 1)
    return 0, _wrapped(total), _wrapped(total) != total


def _run_shift_with_carry(value, bits):
    value %= 1 << 32
    dropped = value & (1 << bits - 1) - 1
    return 0, value >> bits - 1 | (dropped != 0)


class FloatSum:
    """A sum; the loop of a subclass adds products to it.

    bail: label for sums that are not between the bounds. has_lists: the last input has the
    mantissa 0; the loop continues at the label `end` then. spare: 7 where flags show an overflow,
    else 6: the sum has a bit for it.

    total, field, mantissa, shift, weight, product: registers of the steps above.
    """

    def __init__(self, k, bail, has_lists=False):
        self.k, self.bail, self.has_lists = k, bail, has_lists
        self._has_flags = k.machine.name == "armv6m"
        self.spare = 7 if self._has_flags else 6
        self._field = _FIELD + self.spare
        self.total, self.field, self.mantissa = k.vars("total field mantissa")
        self.shift, self.weight, self.product = k.vars("shift weight product")
        self._low = k.reg("low")  # the lower half decides ties
        self.field.is_total = True
        self.next, self.end = k.new_label("next"), k.new_label("end")
        self._rare, self._jumps, self._signs = [], [], {}
        for sign in ("plus", "minus"):
            names = ("top", "short", "added", "far", "above")
            self._signs[sign] = {name: k.new_label(f"{sign}_{name}") for name in names}
        names = ("round", "over", "normal", "up", "slow")
        self._shared = {name: k.new_label(name) for name in names}
        self._limit = number(k, self.spare)
        if k.machine.has_mulh:
            self.leading_bit = k.var("leading_bit", -1 << 31)
            self._normal = k.var("normal", 1 << 30)
        else:
            self.implicit_bit = k.var("implicit_bit", IMPLICIT_BIT)
            self.implicit_bit.is_total = True

    # Values of a sum.

    def clear(self):
        """Set the sum to 0."""
        self.total.set(0)
        self.field.set(_wrapped(self._field - _ZERO_EXPONENT << 23))

    def set(self, bits):
        """Make a float32 the sum; leave to `bail` if it is not between the bounds."""
        k, done = self.k, self.k.new_label("set")
        with k.If(bits == 0, rare=True):
            self.clear()
            k.goto(done)
        exponent = bits.field(23, 8)
        k.branch((exponent - LOW).above(DIFFERENCE), self.bail)
        self.field.set((self._field - exponent) << 23)
        self.total.set((bits << 9).lsr(9 - self.spare) + k.const(1 << 23 + self.spare))
        with k.If(bits < 0):
            self.total.set(-self.total)
        k.label(done)

    def set_exponent(self, exponent):
        """Set the exponent of the sum, which is a register with the exponent less LOW."""
        self.field.set((self._field - LOW - exponent) << 23)

    def result(self):
        """Return the sum as a register with a float32."""
        k, done = self.k, self.k.new_label("result")
        bits = k.var("bits", self.total >> self.spare)
        k.branch(bits == 0, done)
        sign = k.var("sign", bits >> 31)
        bits ^= sign
        bits -= sign
        bits += (self._field - 1 - self.field.lsr(23)) << 23
        bits += sign << 31
        k.label(done)
        return bits

    def factor(self, bits, to):
        """Set a register to the mantissa of a float32 as a factor of the product."""
        if self.k.machine.has_mulh:
            to.set(bits << 8 | self.leading_bit)
        else:
            to.set(bits.field(0, 23))
            to += self.implicit_bit

    # The loop.

    def write(self, head, again, repeats_head):
        """Write the loop over products, from the label `next` on.

        head(): loads the mantissa, the weight, and sign and exponent of the input in `shift`; for
        operands that are not multiplied it leaves the loop or goes to `next`. again: functions
        that load the input and the weight of the last product again, into the register that is
        their argument. repeats_head: write the head after the steps of each sign, which saves a
        jump.
        """
        k, signs = self.k, self._signs
        self._again = again

        def begin():
            head()
            self.shift += self.field
            self.shift += self.weight

        plus, minus = signs["plus"]["top"], signs["minus"]["top"]
        with k.weighted(64):
            k.label(self.next)
            begin()
            k.branch(self.shift < 0, minus)
            self._long("plus")
            if repeats_head:
                begin()
                k.branch(self.shift >= 0, plus)
            else:
                k.goto(self.next)
                self._write_jumps()
            self._long("minus")
            if repeats_head:
                begin()
                k.branch(self.shift < 0, minus)
                k.goto(plus)
            else:
                k.goto(self.next)
            self._write_jumps()
            for sign, labels in signs.items():
                k.label(labels["short"])
                self._sum(sign, False)
                k.goto(self.next)
                self._write_jumps()
        with k.weighted(_RARE * 64):
            for write in self._rare:
                write()
            for sign in signs:
                self._write_far(sign)
                self._write_above(sign)
            self._write_slow()
            self._write_normalize()

    # A label for a conditional branch to a rare step. Branches of the Cortex-M0+ reach 256 bytes,
    # so they go to a jump that _write_jumps() places.
    def _near(self, target):
        if not self._has_flags:
            return target
        label = self.k.new_label("jump")
        self._jumps.append((label, target))
        return label

    def _write_jumps(self):
        for label, target in self._jumps:
            self.k.label(label)
            self.k.goto(target)
        self._jumps = []

    # Find the shift and the product, which is long if it has 48 bits.
    def _long(self, sign):
        k, labels = self.k, self._signs[sign]
        k.label(labels["top"])
        k.emit("field", [self.shift], [self.shift], info=(23, 8 if sign == "minus" else 9))
        self.multiply_mantissas()
        k.branch(self.product >= 0, labels["short"])
        self._sum(sign, True)

    def add(self, bits):
        """Add a float32 to the sum, then go to `next`."""
        k, shift, product, plus = self.k, self.shift, self.product, self._signs["plus"]
        up, down, signed = map(k.new_label, ("up", "down", "signed"))
        k.branch(bits << 1 == 0, self.next)
        product.set(bits.field(0, 23) + IMPLICIT_BIT)
        field = k.var("sum_field", self.field)
        shift.set(bits.field(23, 8) + field.lsr(23) - _FIELD)
        k.branch(shift < 0, down)
        k.branch(shift > self._limit, up)
        product <<= shift
        k.label(signed)
        with k.If(bits < 0):
            product.set(-product)
        k.goto(plus["added"])
        k.label(down)
        k.branch(self.total == 0, up)
        right = k.var("right", -shift)
        k.branch(right > _DOWN - self.spare, self.next)
        self._shift_right(right)
        k.goto(signed)
        k.label(up)
        k.branch(bits < 0, self._signs["minus"]["above"])
        k.goto(plus["above"])

    def multiply_mantissas(self):
        """Set `product` to the upper 32 bits of the product of the mantissas."""
        k, m, w, product = self.k, self.mantissa, self.weight, self.product
        if k.machine.has_mulh:
            w <<= 8
            w |= self.leading_bit
            k.emit("mulhu", [product], [m, w])
            return
        k.emit("field", [product], [w], info=(16, 7))
        product += 128  # the upper 8 bits of the weight's mantissa
        product *= m
        k.emit("field", [w], [w], info=(0, 16))
        low = self._low
        k.emit("field", [low], [m], info=(0, 16))
        low *= w
        k.emit("lsr", [m], [m, 16])
        w *= m
        product += w
        product += low.lsr(16)

    # Round the product, and add it.
    def _sum(self, sign, is_long):
        k, product, shift = self.k, self.product, self.shift
        bits = 8 if is_long else 7
        tie, aligned, special = map(k.new_label, ("tie", "aligned", "special"))
        if not is_long:
            shift -= 1
        product += 1 << bits - 1
        if not is_long:  # a long product is never rounded up to 2 ** 24
            condition = product << 1 >= 0 if self.has_lists else product < 0
            k.branch(condition, self._near(special))
        k.branch(product << 32 - bits == 0, self._near(tie))
        k.emit("lsr", [product], [product, bits])
        k.label(aligned)
        k.branch(shift.above(self._limit), self._near(self._signs[sign]["far"]))
        product <<= shift
        if is_long:
            k.label(self._signs[sign]["added"])
        self._accumulate(sign)
        if is_long and sign == "plus":
            k.label(self._shared["round"])
        self._round_total()

        def write_rare():
            self._write_tie(tie, aligned, bits)
            if not is_long:
                self._write_special(special, aligned)

        self._rare.append(write_rare)

    def _accumulate(self, sign):
        k, total, product, shared = self.k, self.total, self.product, self._shared
        if self._has_flags:
            over, normal = ("vs", self._near(shared["over"])), ("vc", self._near(shared["normal"]))
            add = (_add, _run_add) if sign == "plus" else (_subtract, _run_subtract)
            k.tile(add[0], [], [product], [total], 2, (), add[1], over)
            k.tile(_double, [k.reg()], [total], [], 2, (), _run_double, normal)
            return
        if sign == "plus":
            total += product
        else:
            total -= product
        k.branch((total << 1 ^ total) < self._normal, shared["normal"])

    def _round_total(self):
        k, total = self.k, self.total
        if self._has_flags:
            up = "vs", self._near(self._shared["up"])
            k.tile(_round, [k.reg()], [], [total], 6, (), _run_round, up)
            k.tile(_clear_low_bits, [k.reg()], [], [total], 4, (), lambda x: (0, x & -128))
            return
        total += total.field(6, 1)
        total += 31
        total &= -64

    # The steps that few products need.

    def _write_tie(self, tie, aligned, bits):
        k, product = self.k, self.product
        k.label(tie)
        low = self.mantissa * self.weight if k.machine.has_mulh else self._low << 16
        with k.If(low == 0):
            k.emit("lsr", [product], [product, bits + 1])
            product <<= bits + 1
        k.emit("lsr", [product], [product, bits])
        k.goto(aligned)

    # The product was rounded up to 2 ** 24, or the mantissa is 0.
    def _write_special(self, special, aligned):
        k = self.k
        k.label(special)
        if self.has_lists:
            k.branch(self.product == 64, self.end)
        k.emit("lsr", [self.product], [self.product, 8])
        self.shift += 1
        k.goto(aligned)

    # The product is shifted to the right, or to the left by more than `spare` bits.
    def _write_far(self, sign):
        k, shift, total = self.k, self.shift, self.total
        own, opposite = self._signs[sign], self._signs["minus" if sign == "plus" else "plus"]
        other, no_sum = k.new_label("other"), k.new_label("no_sum")
        k.label(own["far"])
        k.branch(shift.not_above(_UP + self.spare), own["above"])
        bits = k.var("bits", 255 - shift)
        k.branch(bits.above(_DOWN - self.spare - 1), other)
        k.branch(total == 0, no_sum)
        self._shift_right(bits, 1)
        k.goto(opposite["added"])
        k.label(no_sum)
        shift -= 255
        shift -= 1
        k.goto(opposite["above"])
        k.label(other)
        k.branch(shift >= 0, self._shared["slow"])
        # A short product is shifted by 1 bit.
        k.branch(total == 0, own["above"])
        self._shift_right(k.const(0), 1)
        k.goto(own["added"])

    # Shift the product by bits + more to the right; bit 0 collects what is dropped.
    def _shift_right(self, bits, more=0):
        k, product = self.k, self.product
        if self._has_flags:
            bits += more + 1
            run = _run_shift_with_carry
            k.tile(_shift_with_carry, [k.reg()], [bits], [product], 12, (), run)
            return
        if more:
            bits += more
        before, sticky = k.var("before", product), k.reg()
        k.emit("lsr", [product], [product, bits])
        k.emit("ult", [sticky], [0, before - (product << bits)])
        product |= sticky

    # The product has a higher exponent than the sum, or the sum is 0.
    def _write_above(self, sign):
        k, labels, shift, total = self.k, self._signs[sign], self.shift, self.total
        k.label(labels["above"])
        shift -= self.spare
        self._add_to_exponent(shift)
        self.product <<= self.spare
        with k.If(shift.below(26)):
            before = k.var("before", total)
            total >>= shift
            with k.If(total << shift != before):
                total |= 1
            k.goto(labels["added"])
        total.set(0)
        k.goto(labels["added"])

    # Add up the exponents again, without overflow: the sum differs from `shift` by a multiple of
    # 256, plus or minus a few bits.
    def _write_slow(self):
        k, shift, small = self.k, self.shift, self.next
        k.label(self._shared["slow"])
        sign, weight, (load, load_weight) = k.reg("sign"), self.weight, self._again
        load_weight(weight)
        k.branch(weight << 1 == 0, small)
        true = k.var("true", self.field)
        k.emit("lsr", [true], [true, 23])
        true -= 512
        load(sign)
        true += sign.field(23, 8)
        load_weight(weight)
        sign ^= weight
        weight <<= 1
        k.emit("lsr", [weight], [weight, 24])
        true += weight
        shift -= true
        shift <<= 24
        shift >>= 24
        shift += true
        positive = k.new_label("positive")
        k.branch(shift >= 0, positive)
        k.branch(self.total != 0, small)
        k.label(positive)
        k.branch(sign < 0, self._signs["minus"]["above"])
        k.goto(self._signs["plus"]["above"])

    # The leading bit of the sum is not at its place.
    def _write_normalize(self):
        k, total, shared = self.k, self.total, self._shared
        k.label(shared["over"])
        if self._has_flags:  # the sign is the opposite of bit 31
            self._halve_total()
            total ^= k.const(-1 << 31)
            k.goto(shared["round"])
        k.label(shared["normal"])
        left = k.reg("left")
        if not self._has_flags:
            with k.If((total << 1 ^ total) < 0):
                self._halve_total()
                k.goto(shared["round"])
        # Fewer than 24 bits are left of a difference, which is then exact.
        some = k.new_label("some")
        k.branch(total != 0, some)
        self.clear()
        k.goto(self.next)
        k.label(some)
        left.set(0)
        with k.loop("left", 4) as loop:
            total <<= 1
            left -= 1
            if self._has_flags:
                k.tile(_double, [k.reg()], [total], [], 2, (), _run_double, ("vc", loop.top))
            else:
                loop.repeat_if((total << 1 ^ total) < self._normal)
        self._add_to_exponent(left)
        k.goto(shared["round"])
        if self._has_flags:
            k.label(shared["up"])
            total.set(1 << 30)
            self._add_to_exponent(k.const(1))
            k.goto(self.next)

    # Halve a sum that has a bit more; bit 0 collects the bit that is dropped.
    def _halve_total(self):
        lost = self.total.field(0, 1)
        self.total >>= 1
        self.total |= lost
        self._add_to_exponent(self.k.const(1))

    # Add to the exponent of the sum; leave to `bail` if it is not between the bounds.
    def _add_to_exponent(self, bits):
        k = self.k
        field = k.var("new_field", self.field)
        field -= bits << 23
        self.field.set(field)
        k.branch((field.lsr(23) - (self._field - HIGH)).above(DIFFERENCE), self.bail)


class Products(FloatSum):
    """A sum of products of two arrays.

    inputs, weights: addresses. steps: (bytes from one input to the next, from one weight to the
    next), numbers or registers. run_end: label where the loop continues when `inputs` becomes
    `inputs_end`.
    """

    def __init__(self, k, bail, steps, run_end):
        super().__init__(k, bail)
        self.inputs, self.weights, self.inputs_end = k.vars("inputs weights inputs_end")
        self.steps, self._run_end = steps, run_end
        self.zero, self.multiply = k.new_label("zero"), k.new_label("multiply")
        self.input = k.reg("input_bits")
        self._infinity = k.var("infinity", -1 << 24)
        self.inputs_end.is_total = self._infinity.is_total = True
        self._range = number(k, DIFFERENCE)

    def loop(self):
        """Write the loop. Entries: `next`; `multiply` with `input`, its double and `weight`."""
        k = self.k
        with k.weighted(64):
            self._run_end, bad = self._near(self._run_end), self._near(self.bail)
            self._write_jumps()
            k.label(self.zero)  # an infinite weight times 0 is NaN
            self._load_weight()
            k.branch((self.weight << 1).not_below(self._infinity), bad)
        self._bad = bad
        self.write(self._head, (self._load_input_again, self._load_weight_again), False)

    def double_input(self):
        """Set what `multiply` requires: the input without its sign."""
        self.product.set(self.input << 1)

    def _load_weight(self):
        _load(self.weights, self.weight, self.steps[1])

    def _head(self):
        k, value = self.k, self.input
        k.branch(self.inputs == self.inputs_end, self._run_end)
        _load(self.inputs, value, self.steps[0])
        self.double_input()
        k.branch(self.product == 0, self.zero)
        self._load_weight()
        k.label(self.multiply)
        k.emit("lsr", [self.product], [self.product, 24])
        k.branch((self.product - LOW).above(self._range), self._bad)
        self.factor(value, self.mantissa)
        self.shift.set(value.lsr(23) << 23)

    def _load_input_again(self, to):
        (self.inputs - self.steps[0]).get("w", 0, to)

    def _load_weight_again(self, to):
        (self.weights - self.steps[1]).get("w", 0, to)


# Load a word and advance the address.
def _load(address, to, step):
    if isinstance(step, int):
        address.next(to)
    else:
        address.get("w", 0, to)
        address += step
