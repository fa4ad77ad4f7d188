# Functions that quantize inputs of hybrid operators, in the kernel language
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.hybrid import QUANTIZE

from ..language.floats import IMPLICIT_BIT, mantissa, round_to_even
from ..language.fpu import Fpu
from ..language.kernel import Kernel
from ..language.machines import MACHINES
from ..language.macros import Record, number

_ARGUMENTS = "op", "arena", "rom", "batch"
_FIND_SCALE = """
Stores the largest input of a batch, or 0, and its smallest input, or 0; then the scale and the
zero point that set_scale() in kernels/hybrid_scale.py explains. Returns 1, or 0 for set_scale() to
follow if all inputs are 0 or one is very small or infinite. op: QUANTIZE of prepare/hybrid.py.
"""
_QUANTIZE = """
Inputs of a batch to int8, as quantize() in kernels/quantize.py does it. op: QUANTIZE of
prepare/hybrid.py.
"""
_INFINITY = 0xFF << 23
_SIGN = -1 << 31
_MIN_EXPONENT = 40  # of the larger magnitude: the scale is a normal number
_MAX_NORMAL = 254  # biased exponent of a finite number
_MAX_EXPONENT = 7  # of a quotient below 256
_LARGE = 512  # any quotient that saturates
_NEAR = 67, 187  # biased exponents of scales that have a reciprocal of the FPU
_CLEAR = 0x3EFF << 16  # bits of 0.5 - 2 ** -9
_ONE, _TWO = 0x3F800000, 0x40000000
_SATURATED = 19  # bits of integers before the zero point is added


# Return the address of the first input of the batch, and the address after the last one.
def _inputs(k, record, arena, rom, batch):
    depth = record.depth
    source = record.operand("input", arena, rom) + (depth * batch << 2)
    return k.var("source", source), k.var("end", source + (depth << 2)), depth * batch


def find_scale(name):
    """Return the source of find_scale() for a machine."""
    machine = MACHINES[name]()
    return machine.compile(find_scale_kernel(machine))


def quantize(name):
    """Return the source of quantize() for a machine."""
    machine = MACHINES[name]()
    return machine.compile(quantize_kernel(machine))


# 1. Find the extremes. Bits of numbers with sign are in the order of their magnitudes.
# 2. Asymmetric: add their magnitudes. `x` has the bits from bit 31 on of a number whose biased
#    exponent is `exponent`.
# 3. Divide by the number of steps. Each result is rounded to nearest even.
# 4. Asymmetric: divide the larger magnitude by the scale for the zero point.
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
    largest = k.var("largest", mantissa(k, large))
    x, asymmetric = k.var("x", largest << 8), record.asymmetric
    with k.If(asymmetric != 0):
        _add_smaller(k, x, exponent, small)
    steps = k.var("steps", 127)
    with k.If(asymmetric != 0):
        steps.set(255)
    scale_exponent = k.var("scale_exponent", exponent - 6)
    _divide(k, x, scale_exponent, steps)
    x.set(x.lsr(8))
    scale = x + (scale_exponent - 1 << 23)
    record.operand("scales", arena, rom).put("w", scale, batch, scale=2)
    zero_point = k.var("zero_point", 0)
    with k.If(asymmetric != 0):
        quotient = _steps_of(k, largest, large.lsr(23) - scale_exponent, x)
        zero_point.set(127 - quotient)
        with k.If(high < low):
            zero_point.set(quotient - 128)
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


# Return the rounded quotient of mantissas x / y * 2 ** exponent, which has 7 or 8 bits; see
# quantize() in kernels/quantize.py.
def _steps_of(k, x, exponent, y):
    with k.If(x.below(y)):
        x += x
        exponent -= 1
    quotient, left = k.var("quotient", 0), k.var("left", exponent)
    with k.loop("bit") as loop:
        quotient += quotient
        with k.If(x.not_below(y)):
            x -= y
            quotient += 1
        x += x
        left -= 1
        loop.repeat_if(left >= 0)
    x += y.lsr(23 - exponent)
    with k.If(x.not_below(y)):
        quotient += 1
    return quotient


# Shift a mantissa, which is not 0, left until bit 23 is set. Return its exponent.
def _normalize(k, bits, exponent):
    exponent.set(1)
    with k.loop("normalize") as loop:
        bits <<= 1
        exponent -= 1
        loop.repeat_if(bits.below(IMPLICIT_BIT))


# Quotients of numbers below 256 times the divisor y: at most 1 too small. Without the upper word
# of a product, they are floor(x / 2 ** 15) * r / 2 ** 24 with 2 ** 39 / y - 4 < r <= 2 ** 39 / y.
class _Estimate:
    def __init__(self, k, divisor):
        largest, self.reciprocal = k.const((1 << 31) - 1), k.reg("reciprocal")
        if not k.machine.has_mulh:
            k.emit("divu", [self.reciprocal], [largest, divisor.lsr(8) + 1])
            return
        # (2 ** 32 - 1) / divisor
        k.emit("divu", [self.reciprocal], [largest, divisor])
        rest = (largest - self.reciprocal * divisor << 1) + 1
        self.reciprocal <<= 1
        with k.If(rest.not_below(divisor)):
            self.reciprocal += 1

    def quotient(self, k, value):
        if k.machine.has_mulh:
            return k.var("quotient", value.mulhu(self.reciprocal))
        return k.var("quotient", (value.lsr(15) * self.reciprocal).lsr(24))


# Quotients of the FPU: a product with the reciprocal of the scale differs from the quotient by
# less than 2 ** -12 below 2 ** 9. If it is clearly less than 0.5 away from an integer, this one is
# the result; otherwise exact() decides, as for all inputs if the scale is far from 1.
class _Near:
    """Registers of the FPU: 0 is the reciprocal, 1 the input, 2 and 3 the product."""

    def __init__(self, k, scale, estimate):
        self.k, self.fpu = k, Fpu(k)
        self.limit = k.var("limit", 0)  # of the bits of a distance, without its sign
        self.fpu.clear([0])
        exponent = scale.lsr(23)
        with k.If((exponent - _NEAR[0]).not_above(_NEAR[1] - _NEAR[0])):
            self.limit.set(_CLEAR << 1)
            self._set_reciprocal(scale, exponent, estimate)

    # Without a division, one step of Newton's method improves the reciprocal of the mantissa.
    def _set_reciprocal(self, scale, exponent, estimate):
        k, f = self.k, self.fpu
        if k.machine.has_float_divide:
            f.set_bits(0, k.const(_ONE))
            f.set_bits(1, scale)
            f.div(0, 0, 1)
            return
        f.from_integer(0, estimate.reciprocal)
        f.set_bits(1, 127 + 111 - exponent << 23)
        f.mul(0, 0, 1)
        f.set_bits(1, scale ^ _SIGN)
        f.set_bits(2, k.const(_TWO))
        f.mul(1, 1, 0)
        f.add(1, 1, 2)
        f.mul(0, 0, 1)

    def quotient(self, source, exact):
        """Return the quotient of the next input; exact(bits, quotient) sets it in rare cases."""
        k, f = self.k, self.fpu
        f.load_next((1,), source)
        f.mul(2, 1, 0)
        quotient = k.var("quotient", f.round(3, 2))
        f.sub(2, 2, 3)
        with k.If((f.bits(2) << 1).not_below(self.limit), rare=True):
            exact(f.bits(1), quotient)
        return quotient


def _saturate(t, quotient, zero_point):
    t.ssat(quotient, quotient, _SATURATED)
    t.add_wide(quotient, quotient, zero_point)
    t.ssat8(quotient, quotient)


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


# 1. Unpack the scale: the mantissa y and its exponent.
# 2. For each input x: make 1 <= x / y < 2. The quotient is x / y * 2 ** exponent.
# 3. Divide; round as quantize() explains it.
# With an FPU, steps 2 and 3 are for the few inputs whose quotient is almost halfway between two
# integers.
def quantize_kernel(machine):
    k = Kernel("quantize", _QUANTIZE, _ARGUMENTS, machine)
    op, arena, rom, batch = k.arguments
    record = Record(k, op, QUANTIZE)
    scale = record.operand("scales", arena, rom).get("w", batch, scale=2)
    zero_point = record.operand("offsets", arena, rom).get("w", batch, scale=2)
    zero_point = k.var("zero_point", zero_point)
    source, end, first = _inputs(k, record, arena, rom, batch)
    to = k.var("to", record.operand("quantized", arena, rom) + first)
    exact = _Exact(k, scale)
    int8 = _Int8(k, zero_point)
    if machine.has_fpu:
        near = _Near(k, scale, exact.estimate)
        with k.repeat((end - source).lsr(2), "value", 64):
            quotient = near.quotient(source, exact.divide)
            int8.apply(quotient)
            to.put("u8", quotient)
            to += 1
        return k.finish()
    with k.loop("value", 64) as loop:
        loop.leave_if(source == end)
        value, quotient = source.next(k.reg("value")), k.reg("quotient")
        exact.divide(value, quotient)
        int8.apply(quotient)
        to.put("u8", quotient)
        to += 1
        loop.repeat()
    return k.finish()


# Rounded quotients of any number and a scale.
class _Exact:
    def __init__(self, k, scale):
        self.k = k
        self.implicit = implicit = k.var("implicit_bit", IMPLICIT_BIT)
        y, y_exponent = k.var("y", scale.field(0, 23)), k.var("y_exponent", scale.lsr(23))
        with k.If(y_exponent == 0):
            _normalize(k, y, y_exponent)
            y -= implicit
        y += implicit
        self.y, self.y_exponent, self.estimate = y, y_exponent, _Estimate(k, y)
        self.max_normal = number(k, _MAX_NORMAL - 1)
        self.max_exponent, self.bits = number(k, _MAX_EXPONENT), number(k, 23)

    def divide(self, value, quotient):
        """Set `quotient` to the quotient of the number with the bits `value`."""
        k, y = self.k, self.y
        sign = k.var("sign", value >> 31)
        quotient.set(0)
        apply = k.new_label("apply")
        double = value << 1
        k.branch(double == 0, apply)
        exponent = k.var("exponent", double.lsr(24))
        x = k.var("x", value.field(0, 23))
        with k.If((exponent - 1).above(self.max_normal), rare=True):
            _unusual(k, x, exponent, quotient, apply)
        x += self.implicit
        exponent -= self.y_exponent
        with k.If(x.below(y)):
            x += x
            exponent -= 1
        with k.If(exponent.above(self.max_exponent), rare=True):
            # At least 256, below 1/2, or below 1.
            with k.If(exponent >= 0):
                quotient.set(_LARGE)
            with k.If(exponent == -1):
                quotient.set(1)
            k.goto(apply)
        x <<= exponent
        quotient.set(self.estimate.quotient(k, x))
        x -= quotient * y
        with k.If(x.not_below(y)):
            x -= y
            quotient += 1
        x += x
        x += y.lsr(self.bits - exponent)
        with k.If(x.not_below(y)):
            quotient += 1
        k.label(apply)
        quotient ^= sign
        quotient -= sign


# Subnormal numbers become mantissas without their implicit bit; others have a quotient.
def _unusual(k, x, exponent, quotient, apply):
    with k.If(exponent != 0):
        k.branch(x != 0, apply)  # a NaN
        quotient.set(_LARGE)
        k.goto(apply)
    _normalize(k, x, exponent)
    x -= IMPLICIT_BIT
