# Function of the outputs of hybrid operators, in the kernel language
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.hybrid import HYBRID

from ..language.floats import (
    add_aligned,
    factor,
    integer_mantissa,
    mantissa,
    normalize,
    product,
    round_to_even,
)
from ..language.kernel import Kernel
from ..language.macros import ABSENT, Record, number

_ABOUT = """
Converts int32 in the place of outputs of one batch to float32, multiplies them by the scales of
the weights and of the input, adds the bias and limits the results. op: HYBRID of
prepare/hybrid.py. units: first output << 10 | number of outputs. Returns the number of outputs, or
0 if it changes none of them, because a scale or bias has an exponent out of range.
"""

# Biased exponents of the scales and of a bias that is not 0. No product and no sum is then
# subnormal or infinite: products have exponents from 27 to 235, and a difference of such numbers
# is not below 2 ** (27 - 23 - 127).
_SCALES = 77, 164
_BIASES = 27, 230

_SPARE_BITS = 5  # of a summand below the last bit of its mantissa
_NO_BIAS = -1 << 31  # -0.0, because x + -0.0 = x
_FAR = -200  # distance of exponents at which a summand changes nothing


class _Channels:
    """The scale of the weights and the bias of each channel; begin() with any channel."""

    def __init__(self, k, record, arena, rom):
        self.k, self.count = k, record.output_channels
        self.scales = record.operand("weight_scales", arena, rom)
        self.step = k.var("weight_step", record.per_channel << 2)
        bias = record.bias
        self.biases = record.operand("bias", arena, rom)
        with k.If(bias == ABSENT):
            self.biases.set(0)
        self.no_bias = number(k, _NO_BIAS)
        self.left, self.scale, self.bias = k.vars("channels_left next_scale next_bias")

    def begin(self, channel):
        self.left.set(self.count - channel)
        self.scale.set(self.step * channel + self.scales)
        self.bias.set((channel << 2) + self.biases)

    def next(self):
        self.scale += self.step
        self.bias += 4
        self.left -= 1
        with self.k.If(self.left == 0):
            self.scale.set(self.scales)
            self.bias.set(self.biases)
            self.left.set(self.count)

    def constants(self):
        """Return the bits of the scale and of the bias."""
        bias = self.k.var("bias", self.no_bias)
        with self.k.If(self.biases != 0):
            bias.set(self.bias[0])
        return self.scale[0], bias


def _check_range(k, exponent, limits, bad):
    k.branch((exponent - limits[0]).above(limits[1] - limits[0]), bad)


# Leave to `bad` if a number of the channels with outputs is out of range.
def _check_channels(k, channels, count, bad):
    left = k.var("check_left", count)
    scale_range = number(k, _SCALES[1] - _SCALES[0])
    bias_range = number(k, _BIASES[1] - _BIASES[0])
    with k.loop("check") as check:
        scale, bias = channels.constants()
        double = bias << 1
        with k.If((scale.lsr(23) - _SCALES[0]).above(scale_range), rare=True):
            # The product is 0.0 or -0.0, which matters only without a bias.
            k.branch(scale != 0, bad)
            with k.If(double == 0):
                k.branch(bias < 0, bad)
        with k.If((double.lsr(24) - _BIASES[0]).above(bias_range), rare=True):
            k.branch(double != 0, bad)
        channels.next()
        left -= 1
        check.repeat_if(left != 0)


# 1. Check the exponents of all scales and biases, so that the loops meet none that is subnormal,
#    infinite or NaN.
# 2. For each channel, unpack its scale and bias, then compute all its outputs:
# 3. Make the sum a mantissa and an exponent; multiply it by both scales, rounding each product.
# 4. Add the bias, normalize and round; limit the result.
def finish_kernel(machine):
    k = Kernel("finish", _ABOUT, ("op", "arena", "rom", "units"), machine)
    op, arena, rom, units = k.arguments
    record, bad = Record(k, op, HYBRID), k.new_label("bad")
    first, count = k.var("first", units.lsr(10)), k.var("count", units.field(0, 10))
    output = k.var("output", record.operand("output", arena, rom) + (first << 2))
    end = k.var("end", output + (count << 2))
    low, high = record.activation_min, record.activation_max
    k.branch(high < 0, bad)
    k.branch(low > 0, bad)
    channels = _Channels(k, record, arena, rom)
    used = k.var("used", channels.count.min(count))
    scales = record.operand("scales", arena, rom)
    pixel, batch = k.vars("pixel batch")
    k.emit("divu", [pixel], [first, channels.count])
    channel = k.var("channel", first - pixel * channels.count)
    k.emit("divu", [batch], [pixel, record.output_height * record.output_width])
    scale = k.var("scale", scales.get("w", batch, scale=2))
    scale_exponent = k.var("scale_exponent", scale.lsr(23))
    _check_range(k, scale_exponent, _SCALES, bad)
    scale.set(factor(k, mantissa(k, scale)))
    channels.begin(channel)
    _check_channels(k, channels, used, bad)
    channels.begin(channel)
    pixel_step = k.var("pixel_step", channels.count << 2)
    with k.loop("channel") as loop:
        weight, bias = channels.constants()
        weight, out = k.var("weight", weight), k.var("out", output)
        constants = _unpack(k, weight, bias, scale_exponent)
        with k.loop("value", 64, around=True) as value:
            out[0] = _output(k, out[0], constants, scale, bias, low, high)
            out += pixel_step
            value.repeat_if(out.below(end))
        output += 4
        channels.next()
        used -= 1
        loop.repeat_if(used != 0)
    k.emit("ret", src=[count])
    k.label(bad)
    return k.finish(k.const(0))


# Return the mantissa of the bias and its exponent + 1, the factor of the weights' scale, and the
# exponent of the product of 2 ** 31 and the scales less the bias's.
def _unpack(k, weight, bias, scale_exponent):
    exponent, addend = k.var("bias_exponent", 0), k.var("addend", 0)
    with k.If(bias << 1 != 0):
        exponent.set((bias << 1).lsr(24))
        addend.set(mantissa(k, bias) << _SPARE_BITS)
        with k.If(bias < 0):
            addend.set(-addend)
    distance, by = k.var("distance", _FAR), k.var("factor", 0)
    with k.If(weight != 0):
        distance.set(weight.lsr(23) + scale_exponent - (252 - 158) - exponent)
        by.set(factor(k, mantissa(k, weight)))
    exponent += 1
    return addend, exponent, by, distance


# Return the bits of the output of a sum.
def _output(k, total, constants, scale, bias, low, high):
    addend, bias_exponent, by, distance = constants
    limit, store = k.new_label("limit"), k.new_label("store")
    x, bits = k.var("x", total), k.reg("bits")
    exponent = k.var("exponent", distance)
    sign = k.var("sign", x >> 31)
    x ^= sign
    x -= sign
    with k.If(x == 0, rare=True):
        # The product is 0.0. Its sum with -0.0 is 0.0.
        bits.set(bias)
        with k.If(bits << 1 == 0):
            bits.set(0)
        k.goto(limit)
    m = integer_mantissa(k, x, exponent)
    m = product(k, m, by, exponent)
    m = product(k, m, scale, exponent)
    m <<= _SPARE_BITS
    m ^= sign
    m -= sign
    bits.set(add_aligned(k, m, addend, exponent, bias_exponent))
    sign.set(0)
    k.branch(bits == 0, store)
    with k.If(bits < 0, rare=True):
        # A negative sum is never 0, so that the limit 0.0 is its result.
        with k.If(low == 0):
            bits.set(0)
            k.goto(store)
        bits.set(-bits)
        sign.set(-1 << 31)
    normalize(k, bits, exponent)
    round_to_even(k, bits, exponent)
    bits.set(bits.lsr(8) + (exponent << 23) + sign)
    k.label(limit)
    with k.If(bits < 0, rare=True):
        with k.If(bits.above(low)):
            bits.set(low)
        k.goto(store)
    with k.If(bits > high):
        bits.set(high)
    k.label(store)
    return bits
