# Generator of the outputs of float32 operators with int8 weights, for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.hybrid import HYBRID

from ..common.thumb import LR, R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10, R11, R12, Thumb
from ..common.thumb_record import address, at, division
from .mantissa_float import SPARE_BITS, align, mantissa, normalize, round_to_even

RECORD = """
`r0` is the address of the record (HYBRID in prepare/hybrid.py), `r1` of the arena, `r2` of the
model. `r3` is the first output * 1024 + the number of outputs.
"""
_FLOATS = "Converts int32 in the place of outputs to float32, rounded to nearest even." + RECORD
FINISH = (
    """
Converts int32 in the place of outputs of one batch to float32, multiplies them by the scales of
the weights and of the input, adds the bias and limits the results. Returns the number of outputs,
or 0 if it changes none of them, because a scale or bias has an exponent out of range.
"""
    + RECORD
)

# Biased exponents of the scales and of a bias that is not 0. No product and no sum is then
# subnormal or infinite: products have exponents from 27 to 235, and a difference of such numbers
# is not below 2 ** (27 - 23 - 127).
SCALE_LOW, SCALE_HIGH = 77, 164
BIAS_LOW, BIAS_HIGH = 27, 230

_SLOTS = (
    "weight_scales",  # address of the first scale of the weights
    "weight_scale",  # address of the channel's
    "weight_step",  # bytes from one to the next
    "biases",  # address of the first bias, 0 without
    "next_bias",  # address of the channel's
    "bias",  # of the channel; -0.0 without, because x + -0.0 = x
    "output",  # address of the channel's first output
    "end",  # address after the last output
    "count",
    "channels",
    "channels_left",  # from this channel to the last one of a pixel
    "offsets_left",  # channels that have outputs
    "scale_exponent",  # of the input
    "distance",  # exponent of the product of 2 ** 31 and the scales, less the bias's
    "low",  # limits of the activation
    "high",
)


# Convert the int32 in R2, which is not 0, to float32, rounded to nearest even. Uses R3 to R6.
def _to_float(t):
    rounded, up = t.new_label("rounded"), t.new_label("up")
    t.asr(R3, R2, 31)
    t.two("eor", R2, R3)
    t.sub(R2, R3)
    t.mov(R4, 157)
    for bits in (16, 8, 4, 2, 1):
        large = t.new_label("large")
        t.lsr(R5, R2, 32 - bits)
        t.branch("ne", large)
        t.lsl(R2, R2, bits)
        t.sub(R4, bits)
        t.label(large)
    t.lsl(R4, R4, 23)
    t.lsl(R5, R2, 24)  # the bits that are dropped
    t.lsr(R2, R2, 8)
    t.lsl(R6, R2, 31)
    t.lsr(R6, R6, 31)
    t.add(R4, R2)
    t.mov(R2, 1)
    t.lsl(R2, R2, 31)
    t.cmp(R5, R2)
    t.branch("cc", rounded)
    t.branch("ne", up)
    t.add(R4, R6)
    t.b(rounded)
    t.label(up)
    t.add(R4, 1)
    t.label(rounded)
    t.lsl(R3, R3, 31)
    t.add(R2, R4, R3)


# r0: next output; r1: the one after the last; r2: magnitude; r3: sign; r4: exponent less 1.
def floats():
    t = Thumb("floats", _FLOATS, 4)
    number, store, done = map(t.new_label, ("number", "store", "done"))
    t.ldr(R4, R0, at(HYBRID, "output"))
    address(t)
    t.lsr(R4, R3, 10)
    t.lsl(R4, R4, 2)
    t.add(R0, R4, R5)
    t.lsl(R3, R3, 22)
    t.lsr(R3, R3, 20)
    t.add(R1, R0, R3)
    t.label(number)
    t.cmp(R0, R1)
    t.branch("eq", done)
    t.ldr(R2, R0)
    t.cmp(R2, 0)
    t.branch("eq", store)
    _to_float(t)
    t.label(store)
    t.stm(R0, R2)
    t.b(number)
    t.label(done)
    return t.text()


# Leave to `bad` if R4 is not from `low` to `high`.
def _check_range(t, low, high, bad):
    t.sub(R4, low)
    t.cmp(R4, high - low)
    t.branch("hi", bad)


# Store the operands and the limits, and the channel of the output in the upper bits of R3 in R6.
# Leave to `bad` if the input's scale or the limits are out of range. R9 becomes the mantissa of
# the scale. r0: record, r1: arena, r2: model.
def _begin(t, divide, bad):
    no_bias, few = t.new_label("no_bias"), t.new_label("few")
    t.lsr(R7, R3, 10)
    t.lsl(R3, R3, 22)
    t.lsr(R3, R3, 20)
    t.ldr(R4, R0, at(HYBRID, "output"))
    address(t)
    t.lsl(R4, R7, 2)
    t.add(R5, R4)
    t.store(R5, "output")
    t.add(R5, R3)
    t.store(R5, "end")
    t.lsr(R3, R3, 2)
    t.store(R3, "count")
    t.ldr(R4, R0, at(HYBRID, "weight_scales"))
    address(t)
    t.store(R5, "weight_scales")
    t.ldr(R4, R0, at(HYBRID, "bias"))
    t.mov(R5, 0)
    t.cmp(R4, 1)
    t.branch("eq", no_bias)
    address(t)
    t.label(no_bias)
    t.store(R5, "biases")
    t.ldr(R4, R0, at(HYBRID, "scales"))
    address(t)
    t.mov(R9, R5)
    t.mov(R4, R0)
    t.add(R4, at(HYBRID, "per_channel"))
    t.ldr(R5, R4)
    t.lsl(R5, R5, 2)
    t.store(R5, "weight_step")
    t.ldr(R5, R4, 4)
    t.store(R5, "low")
    t.ldr(R6, R4, 8)
    t.store(R6, "high")
    t.cmp(R6, 0)
    t.branch("lt", bad)
    t.cmp(R5, 0)
    t.branch("gt", bad)
    t.ldr(R1, R0, at(HYBRID, "output_channels"))
    t.store(R1, "channels")
    t.store(R1, "offsets_left")
    t.cmp(R1, R3)
    t.branch("ls", few)
    t.store(R3, "offsets_left")
    t.label(few)
    t.mov(R5, R0)
    t.mov(R0, R7)
    t.bl(divide)
    t.mov(R6, R0)
    t.ldr(R1, R5, at(HYBRID, "output_height"))
    t.ldr(R0, R5, at(HYBRID, "output_width"))
    t.mul(R1, R0)
    t.mov(R0, R2)
    t.bl(divide)
    t.lsl(R2, R2, 2)
    t.mov(R3, R9)
    t.ldr_at(R3, R3, R2)
    t.lsr(R4, R3, 23)
    t.store(R4, "scale_exponent")
    _check_range(t, SCALE_LOW, SCALE_HIGH, bad)
    mantissa(t, R3, R5)
    t.mov(R9, R3)


# Begin with the channel in R6. Uses R1, R4 and R5.
def _first_channel(t):
    t.load(R5, "channels")
    t.sub(R5, R5, R6)
    t.store(R5, "channels_left")
    t.load(R4, "weight_step")
    t.mul(R4, R6)
    t.load(R5, "weight_scales")
    t.add(R4, R5)
    t.store(R4, "weight_scale")
    t.lsl(R4, R6, 2)
    t.load(R5, "biases")
    t.add(R4, R5)
    t.store(R4, "next_bias")


# Advance to the next channel. Uses R4 and R5.
def _next_channel(t):
    same = t.new_label("same_pixel")
    t.load(R4, "weight_scale")
    t.load(R5, "weight_step")
    t.add(R4, R5)
    t.store(R4, "weight_scale")
    t.load(R4, "next_bias")
    t.add(R4, 4)
    t.store(R4, "next_bias")
    t.load(R4, "channels_left")
    t.sub(R4, 1)
    t.branch("ne", same)
    t.load(R4, "weight_scales")
    t.store(R4, "weight_scale")
    t.load(R4, "biases")
    t.store(R4, "next_bias")
    t.load(R4, "channels")
    t.label(same)
    t.store(R4, "channels_left")


# Load the scale of the weights of the channel into R3, its bias into R6.
def _constants(t):
    ready = t.new_label("ready")
    t.load(R4, "weight_scale")
    t.ldr(R3, R4)
    t.mov(R6, 1)
    t.lsl(R6, R6, 31)
    t.load(R4, "biases")
    t.cmp(R4, 0)
    t.branch("eq", ready)
    t.load(R4, "next_bias")
    t.ldr(R6, R4)
    t.label(ready)


# Leave to `bad` if a number of the channels with outputs is out of range. Keeps R6.
def _check_channels(t, bad):
    names = "check_channel", "no_scale", "some_bias", "channel_checked"
    channel, no_scale, some_bias, checked = map(t.new_label, names)
    t.mov(R8, R6)
    t.load(R7, "offsets_left")
    t.label(channel)
    _constants(t)
    t.cmp(R3, 0)
    t.branch("eq", no_scale)
    t.lsr(R4, R3, 23)
    _check_range(t, SCALE_LOW, SCALE_HIGH, bad)
    t.lsl(R4, R6, 1)
    t.branch("ne", some_bias)
    t.b(checked)
    # The product is 0.0 or -0.0, which matters only without a bias.
    t.label(no_scale)
    t.lsl(R4, R6, 1)
    t.branch("ne", some_bias)
    t.cmp(R6, 0)
    t.branch("lt", bad)
    t.b(checked)
    t.label(some_bias)
    t.lsr(R4, R4, 24)
    _check_range(t, BIAS_LOW, BIAS_HIGH, bad)
    t.label(checked)
    _next_channel(t)
    t.sub(R7, 1)
    t.branch("ne", channel)
    t.mov(R6, R8)


# Begin with the outputs of a channel. r0: first output. A scale of 0 has the mantissa 0, and an
# exponent far below the bias's.
def _begin_channel(t):
    names = "no_scale", "scaled", "bias"
    no_scale, scaled, bias = map(t.new_label, names)
    _constants(t)
    t.load(R0, "output")
    t.store(R6, "bias")
    t.mov(R5, 0)
    t.mov(R2, 0)
    t.lsl(R4, R6, 1)
    t.branch("eq", bias)
    t.lsr(R5, R4, 24)
    t.mov(R2, R6)
    mantissa(t, R2, R4)
    t.lsl(R2, R2, SPARE_BITS)
    t.cmp(R6, 0)
    t.branch("ge", bias)
    t.two("neg", R2, R2)
    t.label(bias)
    t.mov(R10, R2)
    t.add(R6, R5, 1)
    t.mov(R11, R6)
    t.cmp(R3, 0)
    t.branch("eq", no_scale)
    t.lsr(R7, R3, 23)
    mantissa(t, R3, R4)
    t.load(R4, "scale_exponent")
    t.add(R7, R7, R4)
    t.sub(R7, 252 - 158)
    t.sub(R7, R7, R5)
    t.b(scaled)
    t.label(no_scale)
    t.mov(R7, 200)
    t.two("neg", R7, R7)
    t.label(scaled)
    t.mov(R8, R3)
    t.store(R7, "distance")


# Normalize the int32 in R2, which is not 0: R3 becomes a mantissa of 24 bits, and R4 goes down by
# the shift to bit 31. Uses R5. `long`: rounds numbers of more than 24 bits and returns to `exact`.
def _to_mantissa(t, long, exact):
    for bits in (16, 8, 4, 2, 1):
        large = t.new_label("large")
        t.lsr(R5, R2, 32 - bits)
        t.branch("ne", large)
        t.lsl(R2, R2, bits)
        t.sub(R4, bits)
        t.label(large)
    t.lsl(R5, R2, 24)
    t.branch("ne", long)
    t.label(exact)
    t.lsr(R3, R2, 8)


# The labels of a product and of its rare steps.
class _ProductLabels:
    def __init__(self, t):
        names = "tie", "power", "odd", "done"
        self.tie, self.power, self.odd, self.done = map(t.new_label, names)


# Multiply the mantissa in R3 by the one in a high register and round the product to nearest even.
# R4, its exponent, goes down by 1 if the product has 47 bits. Uses R5 to R7. products_float.py
# explains the steps.
def _product(t, factor, labels):
    long = t.new_label("long")
    t.mov(R5, factor)
    t.lsr(R6, R5, 16)
    t.mul(R6, R3)
    t.uxth(R7, R5)
    t.mul(R5, R3)
    t.lsr(R3, R3, 8)
    t.mul(R7, R3)
    t.lsr(R7, R7, 8)
    t.add(R6, R7)
    t.lsr(R7, R5, 16)
    t.sub(R7, R6)
    t.uxth(R7, R7)
    t.add(R6, R7)
    t.branch("mi", long)
    t.add(R6, R6, R6)
    t.sub(R4, 1)
    t.label(long)
    t.add(R6, 128)
    t.branch("cs", labels.power)
    t.lsl(R7, R6, 24)
    t.branch("eq", labels.tie)
    t.label(labels.odd)
    t.lsr(R3, R6, 8)
    t.label(labels.done)


# The product is rounded up to 2 ** 24, or halfway between two numbers if its low bits are 0, too.
def _rare_product(t, labels):
    t.label(labels.power)
    t.add(R4, 1)
    t.mov(R3, 1)
    t.lsl(R3, R3, 23)
    t.b(labels.done)
    t.label(labels.tie)
    t.lsl(R7, R5, 16)
    t.branch("ne", labels.odd)
    t.lsr(R6, R6, 9)
    t.lsl(R6, R6, 9)
    t.b(labels.odd)


# Add the bias to the mantissa in R3 with the sign mask R1. R4 is the exponent of the product less
# the bias's. R2 becomes the sum, R4 its exponent.
def _add_bias(t):
    smaller, added = t.new_label("smaller"), t.new_label("added")
    t.lsl(R3, R3, SPARE_BITS)
    t.two("eor", R3, R1)
    t.sub(R3, R1)
    t.mov(R2, R10)
    t.mov(R5, R4)
    t.cmp(R4, 0)
    t.branch("lt", smaller)
    align(t, R2)
    t.lsl(R3, R3, 1)
    t.add(R4, R11)
    t.b(added)
    t.label(smaller)
    t.two("neg", R5, R4)
    align(t, R3)
    t.lsl(R2, R2, 1)
    t.mov(R4, R11)
    t.label(added)
    t.add(R2, R3)


# 1. Check the exponents of all scales and biases, so that the loops meet none that is subnormal,
#    infinite or NaN.
# 2. For each channel, unpack its scale and bias, then compute all its outputs:
# 3. Make the sum a mantissa and an exponent; multiply it by both scales, rounding each product.
# 4. Add the bias, normalize and round; limit the result.
#
# r0: output; r1: mask of the sign; r2: its bits; r3: mantissa; r4: exponent; r8, r9: mantissas of
# the scales; r10: bias; r11: exponent of the bias; r12: bytes of a pixel; lr: end of the outputs.
def finish():
    t = Thumb("finish", FINISH, 4, _SLOTS)
    names = "divide", "bad", "channel", "value", "zero", "negative", "norm", "rounded"
    divide, bad, channel, value, zero, negative, norm, rounded = map(t.new_label, names)
    names = "limit", "below", "store", "next_channel", "biased", "done"
    limit, below, store, next_channel, biased, done = map(t.new_label, names)
    long, exact = t.new_label("long_sum"), t.new_label("exact")
    by_weight, by_input = _ProductLabels(t), _ProductLabels(t)
    out_of_range, checked = t.new_label("out_of_range"), t.new_label("checked")
    sign = t.new_label("sign")
    _begin(t, divide, bad)
    t.b(checked)
    division(t, divide)
    t.label(bad)
    t.b(out_of_range)
    t.label(checked)
    _first_channel(t)
    _check_channels(t, bad)
    _first_channel(t)
    t.load(R4, "channels")
    t.lsl(R4, R4, 2)
    t.mov(R12, R4)
    t.load(R4, "end")
    t.mov(LR, R4)
    t.label(channel)
    _begin_channel(t)
    t.b(value)
    t.label(long)
    round_to_even(t, exact)
    t.b(exact)
    # The product is 0.0. Its sum with -0.0 is 0.0.
    t.label(zero)
    t.load(R2, "bias")
    t.lsl(R5, R2, 1)
    t.branch("ne", biased)
    t.mov(R2, 0)
    t.label(biased)
    t.b(limit)
    _rare_product(t, by_weight)
    t.label(value)
    t.ldr(R2, R0)
    t.load(R4, "distance")
    t.asr(R1, R2, 31)
    t.two("eor", R2, R1)
    t.sub(R2, R1)
    t.branch("eq", zero)
    _to_mantissa(t, long, exact)
    _product(t, R8, by_weight)
    _product(t, R9, by_input)
    _add_bias(t)
    t.mov(R1, 0)
    t.cmp(R2, 0)
    t.branch("eq", store)
    t.branch("lt", negative)
    t.label(norm)
    normalize(t)
    round_to_even(t, rounded)
    t.label(rounded)
    t.lsr(R2, R2, 8)
    t.lsl(R4, R4, 23)
    t.add(R2, R4)
    t.add(R2, R1)
    t.label(limit)
    t.cmp(R2, 0)
    t.branch("lt", below)
    t.load(R5, "high")
    t.cmp(R2, R5)
    t.branch("le", store)
    t.mov(R2, R5)
    t.label(store)
    t.str(R2, R0)
    t.add(R0, R12)
    t.cmp(R0, LR)
    t.branch("cs", next_channel)
    t.b(value)
    t.label(below)
    t.load(R5, "low")
    t.cmp(R2, R5)
    t.branch("ls", store)
    t.mov(R2, R5)
    t.b(store)
    # A negative sum is never 0, so that the limit 0.0 is its result.
    t.label(negative)
    t.load(R5, "low")
    t.cmp(R5, 0)
    t.branch("ne", sign)
    t.mov(R2, 0)
    t.b(store)
    t.label(sign)
    t.two("neg", R2, R2)
    t.mov(R1, 1)
    t.lsl(R1, R1, 31)
    t.b(norm)
    _rare_product(t, by_input)
    t.label(next_channel)
    t.load(R0, "output")
    t.add(R0, 4)
    t.store(R0, "output")
    _next_channel(t)
    t.load(R4, "offsets_left")
    t.sub(R4, 1)
    t.store(R4, "offsets_left")
    t.branch_far("ne", channel)
    t.load(R0, "count")
    t.b(done)
    t.label(out_of_range)
    t.mov(R0, 0)
    t.label(done)
    return t.text(returns=True)
