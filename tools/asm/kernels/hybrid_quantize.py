# Functions that quantize inputs of hybrid operators, in the kernel language
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.hybrid import QUANTIZE

from ..language.floats import IMPLICIT_BIT, mantissa, round_to_even
from ..language.fpu import Fpu
from ..language.kernel import Kernel
from ..language.macros import Record, number

_ARGUMENTS = "op", "arena", "rom", "batch"
_FIND_SCALE = """
Finds the largest input of a batch, or 0, and its smallest input, or 0; then stores the scale, the
zero point and the factor of the inputs, as set_scale() in kernels/hybrid_scale.py
does it. Returns 1, or 0 with both inputs stored for set_scale() to follow, if all inputs are 0 or
one is very small or infinite. op: QUANTIZE of prepare/hybrid.py.
"""
_QUANTIZE = """
Inputs of a batch to int8, as quantize_products() in kernels/hybrid_scale.py does it, after
find_scale() has returned 1. op: QUANTIZE of prepare/hybrid.py.
"""
_INFINITY = 0xFF << 23
_SIGN = -1 << 31
_MIN_EXPONENT = 40  # of the larger magnitude: scale and reciprocal are normal numbers
_MAX_NORMAL = 254  # biased exponent of a finite number
_HALF = 0x3F000000
_SHIFT = 282  # of bits 17 to 47 of a product whose factors have biased exponents of 0
_SATURATED = 19  # bits of integers before the zero point is added


# Return the address of the first input of the batch, and the address after the last one.
def _inputs(k, record, arena, rom, batch):
    depth = record.depth
    source = record.operand("input", arena, rom) + (depth * batch << 2)
    return k.var("source", source), k.var("end", source + (depth << 2)), depth * batch


# 1. Find the extremes. Bits of numbers with sign are in the order of their magnitudes.
# 2. Asymmetric: add their magnitudes. `x` has the bits from bit 31 on of a number whose biased
#    exponent is `exponent`.
# 3. Divide by the number of steps. Each result is rounded to nearest even.
# 4. Divide 1 by the scale (asymmetric), or the number of steps by the larger magnitude.
# 5. Asymmetric: find the zero point.
def find_scale_kernel(machine):
    k = Kernel("find_scale", _FIND_SCALE, _ARGUMENTS, machine)
    op, arena, rom, batch = k.arguments
    record, unusual = Record(k, op, QUANTIZE), k.new_label("unusual")
    high, low = _extremes(k, record, arena, rom, batch)
    extremes = record.operand("extremes", arena, rom)
    extremes[0] = high
    extremes[4] = low
    low &= ~_SIGN
    large, small = k.var("large", high.max(low)), high.min(low)
    exponent = k.var("exponent", large.lsr(23))
    k.branch((exponent - _MIN_EXPONENT).above(_MAX_NORMAL - 1 - _MIN_EXPONENT), unusual)
    x, asymmetric = k.var("x", mantissa(k, large) << 8), record.asymmetric
    with k.If(asymmetric != 0):
        _add_smaller(k, x, exponent, small)
    size = k.var("size", x.lsr(8))
    steps = k.var("steps", 127)
    with k.If(asymmetric != 0):
        steps.set(255)
    scale_exponent = k.var("scale_exponent", exponent - 6)
    _divide(k, x, scale_exponent, steps)
    x.set(x.lsr(8))
    scale = x + (scale_exponent - 1 << 23)
    record.operand("scales", arena, rom).put("w", scale, batch, scale=2)
    dividend, factor_exponent = k.var("dividend", IMPLICIT_BIT), k.var("factor_exponent", 253)
    with k.If(asymmetric == 0):
        dividend.set(127 << 17)
        factor_exponent.set(259)
        x.set(size)
        scale_exponent.set(exponent)
    extremes[0] = _quotient(k, dividend, factor_exponent - scale_exponent, x)
    zero_point = k.var("zero_point", 0)
    with k.If(asymmetric != 0):
        zero_point.set(_zero_point(k, high, low, size, exponent))
    record.operand("offsets", arena, rom).put("w", zero_point, batch, scale=2)
    k.emit("ret", src=[k.const(1)])
    k.label(unusual)
    return k.finish(k.const(0))


# Return the bits of the largest input, or 0, and of the smallest one, or 0.
def _extremes(k, record, arena, rom, batch):
    source, end, _ = _inputs(k, record, arena, rom, batch)
    high, low = k.var("high", 0), k.var("low", _SIGN)
    infinity = k.var("infinity", _INFINITY)
    minus_infinity = k.var("minus_infinity", infinity | low)
    with k.loop("value", 64) as loop:
        loop.leave_if(source == end)
        value = source.next(k.reg("value"))
        with k.If(value < 0, rare=True):
            k.branch(value.not_above(low), loop.top)
            k.branch(value.above(minus_infinity), loop.top)  # a NaN
            low.set(value)
            loop.repeat()
        k.branch(value <= high, loop.top)
        k.branch(value > infinity, loop.top)
        high.set(value)
        loop.repeat()
    with k.If(low << 1 == 0):
        low.set(0)
    return high, low


# Add the magnitude `small`, which is not larger, and round the sum.
def _add_smaller(k, x, exponent, small):
    other, distance = small.field(0, 23) + IMPLICIT_BIT, exponent - small.lsr(23)
    with k.If(small.lsr(23) == 0):
        # A subnormal number is too small to count; only whether it is 0 may.
        other.set(small)
    other <<= 7
    distance.set(distance.min(31))
    shifted, sticky = k.var("shifted", other >> distance), k.reg()
    k.emit("ult", [sticky], [0, other ^ shifted << distance])
    x.set(x.lsr(1) + (shifted | sticky))
    exponent += 1
    with k.If(x >= 0):
        x += x
        exponent -= 1
    round_to_even(k, x, exponent)


# Divide the 24 bits from bit 31 on by a number of 7 or 8 bits, and round the quotient.
def _divide(k, x, exponent, by):
    quotients, rest = [k.reg("quotient"), k.reg("quotient")], x.lsr(8)
    for quotient in quotients:
        rest <<= 7
        k.emit("divu", [quotient], [rest, by])
        rest -= quotient * by
    sticky = k.reg()
    k.emit("ult", [sticky], [0, rest])
    x.set((quotients[0] << 7) + quotients[1] | sticky)
    with k.While(lambda: x >= 0, times=1):
        x += x
        exponent -= 1
    round_to_even(k, x, exponent)


# Return the bits of x / y * 2 ** exponent, rounded. Mantissas have 24 bits; `exponent` is biased
# and 1 too small. A quotient is never halfway between two numbers.
def _quotient(k, x, exponent, y):
    with k.If(x.below(y)):
        x += x
        exponent -= 1
    quotient, left = k.var("quotient", 0), k.var("left", 25)
    with k.loop("bit", 25) as loop:
        quotient += quotient
        with k.If(x.not_below(y)):
            x -= y
            quotient += 1
        x += x
        left -= 1
        loop.repeat_if(left != 0)
    return (quotient + 1).lsr(1) + (exponent << 23)


# find_zero_point() in kernels/hybrid_scale.py explains the steps.
def _zero_point(k, high, low, size, exponent):
    done, is_low, end = k.new_label("zero_point"), k.var("is_low", 0), k.var("end", high)
    with k.If((high - low >> 15) > 0):
        is_low.set(1)
        end.set(low)
    q, shift = k.var("q", 0), k.var("shift", exponent - end.lsr(23))
    k.branch(shift > 9, done)
    x = k.var("x", mantissa(k, end) >> (shift - 5).max(0))
    y = k.var("y", size << shift.min(5))
    rest, left = k.var("rest", 0), k.var("left", 8)
    with k.loop("step", 8) as loop:
        rest += rest + x
        q += q
        with k.loop("subtract", 1) as subtract:
            subtract.leave_if(rest < y)
            rest -= y
            q += 1
            subtract.repeat()
        left -= 1
        loop.repeat_if(left != 0)
    rest += rest
    with k.If(rest == y, rare=True):
        _decide_tie(k, q, is_low, size, rest)
    with k.If(rest > y):
        q += 1
    k.label(done)
    zero_point = 127 - q
    with k.If(is_low != 0):
        zero_point.set(q - 128)
    return zero_point


# Make `rest` larger or smaller than it is, as q is rounded up or down.
def _decide_tie(k, q, is_low, size, rest):
    change, shift, bits = k.var("change", -1), k.var("error_shift", 5), k.var("bits", 17)
    with k.If((q - is_low) > 126):
        change.set(1)
    with k.If((size >> 16) > 254):
        shift.set(4)
        bits.set(18)
    odd = q + q + 1
    digits = k.var("digits", odd)
    with k.loop("digit") as loop:
        digits >>= 1
        bits -= 1
        loop.repeat_if(digits != 0)
    error, direction = k.reg("error"), k.var("direction", 1)
    k.emit("remu", [error], [size << shift, k.const(255)])
    with k.If(error > 127):
        error.set(255 - error)
        direction.set(-1)
    with k.If(odd * error > size >> bits):
        change.set(direction)
    rest += change


def _saturate(t, quotient, zero_point):
    t.ssat(quotient, quotient, _SATURATED)
    t.add_wide(quotient, quotient, zero_point)
    t.ssat(quotient, quotient, 8)


def _run_saturate(quotient, zero_point):
    half = 1 << _SATURATED - 1
    return (max(-128, min(127, max(-half, min(half - 1, quotient)) + zero_point)),)


# Add the zero point to quotients, and limit the sums to int8.
class _Int8:
    def __init__(self, k, zero_point):
        self.k, self.zero_point = k, zero_point
        self.has_limits = k.machine.has_fpu and not k.machine.has_mulh
        if self.has_limits:
            self.low, self.high = k.var("low", -128 - zero_point), k.var("high", 127 - zero_point)

    def apply(self, quotient):
        k = self.k
        if self.has_limits:
            quotient.set(quotient.min(self.high).max(self.low))
            quotient += self.zero_point
        elif k.machine.has_fpu:
            k.tile(_saturate, [], [self.zero_point], [quotient], 12, run=_run_saturate)
        else:
            quotient += self.zero_point
            narrow = k.reg()
            k.emit("s8", [narrow], [quotient])
            with k.If(narrow != quotient, rare=True):
                quotient.set(quotient >> 31 ^ 127)


def quantize_kernel(machine):
    k = Kernel("quantize", _QUANTIZE, _ARGUMENTS, machine)
    op, arena, rom, batch = k.arguments
    record = Record(k, op, QUANTIZE)
    zero_point = record.operand("offsets", arena, rom).get("w", batch, scale=2)
    zero_point = k.var("zero_point", zero_point)
    factor = k.var("factor", record.operand("extremes", arena, rom)[0])
    source, end, first = _inputs(k, record, arena, rom, batch)
    to = k.var("to", record.operand("quantized", arena, rom) + first)
    products = (_FloatProducts if machine.has_fpu else _Products)(k, factor)
    int8 = _Int8(k, zero_point)
    with k.repeat((end - source).lsr(2), "value", 64):
        product = products.next(source)
        int8.apply(product)
        to.put("u8", product)
        to += 1
    return k.finish()


# Products of inputs and a factor, rounded to integers, halves away from zero.
class _FloatProducts:
    """Registers of the FPU: 0 is the factor, 1 the input, 2 and 3 the product."""

    def __init__(self, k, factor):
        self.k, self.fpu = k, Fpu(k)
        self.fpu.set_bits(0, factor)
        self.half = k.var("half", _HALF << 1)

    # The FPU rounds halves to even. A rest of 1/2 with the sign of the input was rounded to zero.
    def next(self, source):
        k, f = self.k, self.fpu
        f.load_next((1,), source)
        f.mul(2, 1, 0)
        product = k.var("product", f.round(3, 2))
        f.sub(2, 2, 3)
        with k.If((f.bits(2) << 1).not_below(self.half), rare=True):
            rest = f.bits(2)
            with k.If((f.bits(1) ^ rest) >= 0):
                product += rest >> 31 | 1
            with k.If(rest << 1 != self.half):
                product.set(0)  # a NaN
        return product


# Bits 16 to 47 of the product of two mantissas decide. What rounding to float32 adds carries from
# bit 22 or 23.
class _Products:
    def __init__(self, k, factor):
        self.k, self.max_normal = k, number(k, _MAX_NORMAL - 1)
        self.exponent = k.var("factor_exponent", _SHIFT - factor.lsr(23))
        by = mantissa(k, factor)
        if k.machine.has_mulh:
            self.by = k.var("by", by << 8)
        else:
            self.high, self.low = k.var("by_high", by.lsr(16)), k.var("by_low", by.field(0, 16))

    def next(self, source):
        k, product = self.k, self.k.var("product", 0)
        value = source.next(k.reg("value"))
        exponent, done = (value << 1).lsr(24), k.new_label("done")
        k.branch((exponent - 1).above(self.max_normal), done)  # 0, subnormal or a NaN
        shift = self.exponent - exponent
        k.branch(shift > 31, done)  # below 1/2
        sign, bits = value >> 31, self._multiply(value)
        bits += bits.lsr(30) + 1 << 5
        product.set((bits.lsr(shift) + 1).lsr(1))
        product ^= sign
        product -= sign
        k.label(done)
        return product

    # Return the upper bits of the product, from bit 17 on.
    def _multiply(self, value):
        k = self.k
        if k.machine.has_mulh:
            x = (value << 8) | _SIGN
            return x.mulhu(self.by).lsr(1)
        high, low = value.field(16, 7) + 128, value.field(0, 16)
        total = (low * self.low).lsr(16) + high * self.low + low * self.high
        return (total + (high * self.high << 16)).lsr(1)
