# Generator of the outputs of float32 operators with weights of int8, for RV32
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.hybrid import HYBRID

from .record_float import RECORD, address, at, key
from .rv32 import Rv32

# 1. The sum, an int32, becomes a float32, rounded to nearest even.
# 2. It is multiplied by the scale of the weights, then by the scale of the input. Each product is
#    rounded.
# 3. The bias is added, and the sum is rounded. The output is limited.
#
# A number is _M * 2 ** (exponent - 157), where 2 ** 30 <= _M <= 2 ** 31 and the lower 7 bits of _M
# are 0. Exponents are biased as in a float32. A number whose exponent is not from 1 to _EXPONENTS
# ends the function.

_ABOUT = """
Converts int32 in the place of outputs of one batch to float32, multiplies them by the scales of
the weights and of the input, adds the bias and limits the results. `a0` is the address of the
record (HYBRID in prepare/hybrid.py), `a1` of the arena, `a2` of the model. `a3` is the first
output * 1024 + the number of outputs. Returns the number of outputs that are done; the next one is
not changed and has numbers that this function does not multiply, such as infinite ones.
"""

_SLOTS = (
    "first",  # address of the first output
    "weight_scales",  # address of the first scale of the weights
    "biases",  # address of the first bias
    "channels",
    "low",
    "high",
    "done",
)

_EXPONENTS = 253
_OUTPUT, _END, _CHANNELS_LEFT = "s0", "s1", "s2"
_WEIGHT_SCALE, _WEIGHT_STEP = "s4", "s5"  # address of the next scale; bytes from one to the next
_BIAS, _BIAS_STEP = "s6", "s7"  # bytes: 0 without a bias
_LOW_KEY, _HIGH_KEY = "s8", "s9"  # limits as integers in the order of the numbers
_SCALE, _SCALE_BITS, _SCALE_EXPONENT = "s10", "s11", "t6"  # of the input; mantissa * 256; bits
_LEADING_BIT, _RANGE = "ra", "t5"  # 2 ** 31; _EXPONENTS
_M, _EXPONENT, _SIGN = "a0", "a1", "a2"  # the number; its sign is the uppermost bit
_B, _B_EXPONENT = "a3", "a4"  # the bits of a second number


# The exponent of the float32 in `bits`; go to `bad` if it is not from 1 to _EXPONENTS. Uses t0.
def _exponent(t, to, bits, bad):
    t.slli(to, bits, 1)
    t.srli(to, to, 24)
    _check(t, to, bad)


def _check(t, exponent, bad):
    t.addi("t0", exponent, -1)
    t.branch("bgeu", "t0", _RANGE, bad)


# The mantissa of the float32 in `bits`, times 256.
def _mantissa(t, to, bits):
    t.slli(to, bits, 8)
    t.or_(to, to, _LEADING_BIT)


# Round _M to 24 bits. Bit 0 may stand for all bits below it. Uses t0.
def _round(t):
    t.srli("t0", _M, 7)
    t.andi("t0", "t0", 1)
    t.add(_M, _M, "t0")
    t.addi(_M, _M, 63)
    t.andi(_M, _M, -128)


# Multiply by a float32: its mantissa times 256, and its exponent. Uses t0 and t1.
def _multiply(t, mantissa, exponent, bad):
    long = t.new_label("long")
    t.mul("t1", _M, mantissa)
    t.mulhu(_M, _M, mantissa)
    t.sltu("t1", "zero", "t1")
    t.or_(_M, _M, "t1")
    t.add(_EXPONENT, _EXPONENT, exponent)
    t.addi(_EXPONENT, _EXPONENT, -126)
    t.slli("t0", _M, 1)
    t.branch("blt", "t0", "zero", long)
    t.mv(_M, "t0")
    t.addi(_EXPONENT, _EXPONENT, -1)
    t.label(long)
    _round(t)
    _check(t, _EXPONENT, bad)


# Make the int32 in _M, which is not 0, a number. Uses t0.
def _from_int(t):
    exact = t.new_label("exact")
    t.srai("t0", _M, 31)
    t.xor(_M, _M, "t0")
    t.sub(_M, _M, "t0")
    t.li(_EXPONENT, 157)
    for bits in (16, 8, 4, 2, 1):
        large = t.new_label("large")
        t.srli("t0", _M, 31 - bits)
        t.branch("bne", "t0", "zero", large)
        t.slli(_M, _M, bits)
        t.addi(_EXPONENT, _EXPONENT, -bits)
        t.label(large)
    t.andi("t0", _M, 127)
    t.branch("beq", "t0", "zero", exact)
    _round(t)
    t.label(exact)


# Add the float32 in _B: _M becomes half of the sum, with the leading bit 29 or 30, or 0. Go to
# `bad` if a number is out of range. Uses a5, a6, t0 and t1.
def _add(t, bad):
    names = ("ordered", "near", "shifted", "not_high", "normal", "done")
    ordered, near, shifted, not_high, normal, done = map(t.new_label, names)
    t.srli(_M, _M, 1)
    t.slli("t0", _B, 1)
    t.branch("beq", "t0", "zero", done)
    _exponent(t, _B_EXPONENT, _B, bad)
    _mantissa(t, "t1", _B)
    t.srli("t1", "t1", 2)
    t.sub("a5", _EXPONENT, _B_EXPONENT)
    t.branch("bge", "a5", "zero", ordered)
    t.sub("a5", "zero", "a5")
    t.mv(_EXPONENT, _B_EXPONENT)
    for one, other in ((_M, "t1"), (_SIGN, _B)):
        t.mv("t0", one)
        t.mv(one, other)
        t.mv(other, "t0")
    t.label(ordered)
    # The number in t1 is shifted to the larger exponent. Bit 0 collects the bits that it loses.
    t.li("t0", 30)
    t.branch("bge", "t0", "a5", near)
    t.mv("a5", "t0")
    t.label(near)
    t.srl("a6", "t1", "a5")
    t.sll("t0", "a6", "a5")
    t.sub("t0", "t1", "t0")
    t.sltu("t0", "zero", "t0")
    t.or_("t1", "a6", "t0")
    for value, sign in ((_M, _SIGN), ("t1", _B)):
        t.srai("t0", sign, 31)
        t.xor(value, value, "t0")
        t.sub(value, value, "t0")
    t.add(_M, _M, "t1")
    t.mv(_SIGN, _M)
    t.branch("beq", _M, "zero", done)
    t.srai("t0", _M, 31)
    t.xor(_M, _M, "t0")
    t.sub(_M, _M, "t0")
    t.srli("t0", _M, 30)
    t.branch("beq", "t0", "zero", not_high)
    t.andi("t0", _M, 1)
    t.srli(_M, _M, 1)
    t.or_(_M, _M, "t0")
    t.addi(_EXPONENT, _EXPONENT, 1)
    t.label(not_high)
    t.srli("t0", _M, 29)
    t.branch("bne", "t0", "zero", normal)
    t.label(shifted)
    t.slli(_M, _M, 1)
    t.addi(_EXPONENT, _EXPONENT, -1)
    t.srli("t0", _M, 29)
    t.branch("beq", "t0", "zero", shifted)
    t.label(normal)
    _check(t, _EXPONENT, bad)
    t.label(done)


# Make _M, half of a number or 0, a float32. Uses t0.
def _pack(t):
    done = t.new_label("packed")
    t.branch("beq", _M, "zero", done)
    t.srli("t0", _M, 6)
    t.andi("t0", "t0", 1)
    t.add(_M, _M, "t0")
    t.addi(_M, _M, 31)
    t.srli(_M, _M, 6)
    t.addi(_EXPONENT, _EXPONENT, -1)
    t.slli(_EXPONENT, _EXPONENT, 23)
    t.add(_M, _M, _EXPONENT)
    t.srli(_SIGN, _SIGN, 31)
    t.slli(_SIGN, _SIGN, 31)
    t.or_(_M, _M, _SIGN)
    t.label(done)


# The output of a sum of 0, with the sign of its product in _SIGN: this zero and the bias in _B.
# Uses t0 and t1.
def _zero_sum(t, bad):
    done = t.new_label("zero_done")
    t.srli(_M, _SIGN, 31)
    t.slli(_M, _M, 31)
    t.branch("beq", _BIAS_STEP, "zero", done)
    t.and_(_M, _M, _B)
    t.slli("t0", _B, 1)
    t.branch("beq", "t0", "zero", done)
    t.mv(_M, _B)
    t.srli("t0", "t0", 24)
    t.li("t1", 255)
    t.branch("beq", "t0", "t1", bad)
    t.label(done)


# Limit the float32 in _M. Uses t0 and t1.
def _limit(t):
    above, inside = t.new_label("above"), t.new_label("inside")
    key(t, "t0", _M, "t1")
    t.branch("bge", "t0", _LOW_KEY, above)
    t.load(_M, "low")
    t.label(above)
    t.branch("bge", _HIGH_KEY, "t0", inside)
    t.load(_M, "high")
    t.label(inside)


# Store the arguments, and begin with the first output. The scale of the input belongs to the
# batch.
def _begin(t, bail):
    no_bias = t.new_label("no_bias")
    t.mv(RECORD, "a0")
    t.li(_BIAS_STEP, 0)
    t.li(_BIAS, 0)
    t.lw("t0", RECORD, at(HYBRID, "bias"))
    t.li("t1", 1)
    t.branch("beq", "t0", "t1", no_bias)
    t.li(_BIAS_STEP, 4)
    address(t, _BIAS, at(HYBRID, "bias"), "a1", "a2")
    t.label(no_bias)
    t.store(_BIAS, "biases")
    address(t, _WEIGHT_SCALE, at(HYBRID, "weight_scales"), "a1", "a2")
    t.store(_WEIGHT_SCALE, "weight_scales")
    address(t, _OUTPUT, at(HYBRID, "output"), "a1", "a2")
    address(t, "a4", at(HYBRID, "scales"), "a1", "a2")
    t.srli("a0", "a3", 10)
    t.andi("a3", "a3", 1023)
    t.slli("a3", "a3", 2)
    t.slli("t0", "a0", 2)
    t.add(_OUTPUT, _OUTPUT, "t0")
    t.store(_OUTPUT, "first")
    t.add(_END, _OUTPUT, "a3")
    t.lw("a1", RECORD, at(HYBRID, "output_channels"))
    t.store("a1", "channels")
    t.remu("a2", "a0", "a1")  # the channel
    t.sub(_CHANNELS_LEFT, "a1", "a2")
    t.divu("a0", "a0", "a1")
    for size in ("output_width", "output_height"):
        t.lw("a1", RECORD, at(HYBRID, size))
        t.divu("a0", "a0", "a1")
    t.slli("a0", "a0", 2)
    t.add("a4", "a4", "a0")
    t.lw(_WEIGHT_STEP, RECORD, at(HYBRID, "per_channel"))
    t.slli(_WEIGHT_STEP, _WEIGHT_STEP, 2)
    for pointer, step in ((_WEIGHT_SCALE, _WEIGHT_STEP), (_BIAS, _BIAS_STEP)):
        t.mul("t0", step, "a2")
        t.add(pointer, pointer, "t0")
    for name, register in (("low", _LOW_KEY), ("high", _HIGH_KEY)):
        t.lw("t0", RECORD, at(HYBRID, "activation_min") + (4 if name == "high" else 0))
        t.store("t0", name)
        key(t, register, "t0", "t1")
    t.li(_LEADING_BIT, 1)
    t.slli(_LEADING_BIT, _LEADING_BIT, 31)
    t.li(_RANGE, _EXPONENTS)
    t.lw(_SCALE_BITS, "a4")
    _exponent(t, _SCALE_EXPONENT, _SCALE_BITS, bail)
    _mantissa(t, _SCALE, _SCALE_BITS)


# Go to the next output, at `output`, or past the last one.
def _next(t, output):
    same = t.new_label("same_pixel")
    for pointer, step in ((_WEIGHT_SCALE, _WEIGHT_STEP), (_BIAS, _BIAS_STEP)):
        t.add(pointer, pointer, step)
    t.addi(_OUTPUT, _OUTPUT, 4)
    t.addi(_CHANNELS_LEFT, _CHANNELS_LEFT, -1)
    t.branch("bne", _CHANNELS_LEFT, "zero", same)
    t.load(_CHANNELS_LEFT, "channels")
    t.load(_WEIGHT_SCALE, "weight_scales")
    t.load(_BIAS, "biases")
    t.label(same)
    t.branch("bne", _OUTPUT, _END, output)


def finish():
    t = Rv32("finish", _ABOUT, 4, _SLOTS)
    names = ("begun", "output", "scaled", "pack", "zero_sum", "limit", "bail", "done")
    begun, output, scaled, pack, zero_sum, limit, bail, done = map(t.new_label, names)
    _begin(t, bail)
    t.jump(output)
    t.label(bail)
    t.jump(done)
    t.label(zero_sum)
    _zero_sum(t, bail)
    t.jump(limit)
    t.label(output)
    t.lw(_M, _OUTPUT)
    t.lw("a5", _WEIGHT_SCALE)
    _exponent(t, "a6", "a5", bail)
    t.xor(_SIGN, "a5", _SCALE_BITS)
    t.branch("beq", _BIAS_STEP, "zero", begun)
    t.lw(_B, _BIAS)
    t.label(begun)
    t.branch("beq", _M, "zero", zero_sum)
    t.xor(_SIGN, _SIGN, _M)
    _from_int(t)
    _mantissa(t, "a5", "a5")
    _multiply(t, "a5", "a6", bail)
    _multiply(t, _SCALE, _SCALE_EXPONENT, bail)
    t.branch("bne", _BIAS_STEP, "zero", scaled)
    t.srli(_M, _M, 1)
    t.jump(pack)
    t.label(scaled)
    _add(t, bail)
    t.label(pack)
    _pack(t)
    t.label(limit)
    _limit(t)
    t.sw(_M, _OUTPUT)
    _next(t, output)
    t.label(done)
    t.load("a0", "first")
    t.sub("a0", _OUTPUT, "a0")
    t.srli("a0", "a0", 2)
    t.store("a0", "done")
    return t.text("done")
