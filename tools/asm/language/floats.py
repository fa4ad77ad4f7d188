# Kernel language: steps of kernels that compute float32 with integers
# MIT license; Copyright (c) 2026 the tflm authors

IMPLICIT_BIT = 1 << 23  # of a mantissa of 24 bits


def mantissa(k, bits):
    """Return the mantissa of 24 bits of a normal float32."""
    return bits.field(0, 23) + k.const(IMPLICIT_BIT)


# x + 127 + bit 8 of x: the shift leaves this bit in the carry.
def _add_half(t, spare, x):
    t.lsr(spare, x, 9)
    t.mov(spare, 127)
    t.adc(x, spare)


def round_to_even(k, x, exponent):
    """Round x, whose bit 31 is set, to a multiple of 256; its exponent may become 1 more."""
    if k.machine.name == "armv6m":
        k.tile(_add_half, [k.reg()], [], [x], 6, (), lambda x: (0, x + 127 + (x >> 8 & 1)))
    else:
        x += x.field(8, 1) + 127
    with k.If(x >= 0, rare=True):  # rounded up to 2 ** 32
        exponent += 1
        x.set(-1 << 31)


def normalize(k, x, exponent):
    """Shift x, which is not 0, left until bit 31 is set; count down its exponent."""
    with k.loop("normalize", 4) as loop:
        exponent -= 1
        x += x
        loop.repeat_if(x >= 0)


def integer_mantissa(k, x, exponent):
    """Round x, which is not 0, to 24 bits. Return the mantissa.

    The exponent becomes less by the bits of the shift to bit 31.
    """
    for bits in (16, 8, 4, 2, 1):
        with k.If(x.lsr(32 - bits) == 0):
            x <<= bits
            exponent -= bits
    with k.If(x << 24 != 0, rare=True):
        round_to_even(k, x, exponent)
    return k.var("mantissa", x.lsr(8))


def factor(k, mantissa):
    """Return a mantissa as product() takes its second operand."""
    return mantissa << 8 if k.machine.has_mulh else mantissa


def product(k, mantissa, by, exponent):
    """Return the product of a mantissa and a factor(), rounded to nearest even.

    The exponent becomes 1 less if the product has 47 bits.
    """
    if k.machine.has_mulh:
        return _product(k, mantissa, by, exponent)
    return _product_of_halves(k, mantissa, by, exponent)


def _product(k, one, by, exponent):
    one = one << 8
    high, low = one.mulhu(by), one * by
    sticky = k.reg()
    k.emit("ult", [sticky], [0, low])
    high |= sticky
    with k.If(high >= 0):
        high += high
        exponent -= 1
    round_to_even(k, high, exponent)
    return high.lsr(8)


# Like FloatSum.multiply_mantissas() of float_sums.py, with what decides ties.
def _product_of_halves(k, one, by, exponent):
    result, done = k.reg("mantissa"), k.new_label("product")
    high = by.lsr(16) * one
    low = k.var("low", by * one)
    high += (by.field(0, 16) * one.lsr(8)).lsr(8)
    high += (low.lsr(16) - high).field(0, 16)
    with k.If(high >= 0):
        high += high
        exponent -= 1
    high += 128
    with k.If(high.below(128), rare=True):  # rounded up to 2 ** 24
        exponent += 1
        result.set(IMPLICIT_BIT)
        k.goto(done)
    # Halfway between two numbers if the low bits are 0, too.
    with k.If(high << 24 == 0, rare=True), k.If(low << 16 == 0):
        high.set(high.lsr(9) << 9)
    result.set(high.lsr(8))
    k.label(done)
    return result


# Double x and set bit 0 if `lost` is not 0: its decrement leaves the carry.
def _double_with_carry(t, x, lost):
    t.sub(lost, 1)
    t.adc(x, x)


# Shift x right and double it; bit 0 collects the bits that are dropped.
def _align(k, x, bits):
    if k.machine.name == "armv6m":
        # The machine shifts by 32 and more bits, too.
        lost = x << 32 - bits
        x >>= bits
        k.tile(_double_with_carry, [], [], [x, lost], 4)
        return
    bits = bits.min(31)
    shifted = x >> bits
    lost, sticky = x ^ shifted << bits, k.reg()
    k.emit("ult", [sticky], [0, lost])
    x.set(shifted << 1 | sticky)


def add_aligned(k, mantissa, addend, distance, exponent):
    """Return twice the sum of two numbers with sign, whose lowest bits are 0.

    distance: the exponent of `mantissa` less `exponent`, which is the addend's. It becomes the
    exponent of the sum.
    """
    other = k.var("other", addend)
    with k.If(distance >= 0):
        _align(k, other, distance)
        mantissa <<= 1
        distance += exponent
    with k.Else():
        _align(k, mantissa, -distance)
        other <<= 1
        distance.set(exponent)
    return mantissa + other


def key(k, bits):
    """Return an integer for a float32: they are ordered as the numbers are; 0.0 is -0.0."""
    sign = bits >> 31
    return k.var("key", (sign.lsr(1) ^ bits) - sign)


class Limits:
    """The limits of the activation of a record, `activation_min` and `activation_max`."""

    def __init__(self, k, record):
        self._k = k
        self._low, self._high = k.var("low", record.activation_min), record.activation_max
        self._low_key, self._high_key = key(k, self._low), key(k, self._high)

    def apply(self, bits):
        """Clamp a float32."""
        value = key(self._k, bits)
        with self._k.If(value < self._low_key):
            bits.set(self._low)
        with self._k.If(value > self._high_key):
            bits.set(self._high)
