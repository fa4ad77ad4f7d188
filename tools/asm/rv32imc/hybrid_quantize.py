# Generator of the kernel that quantizes inputs of hybrid operators, for RV32
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.hybrid import QUANTIZE

from ..armv6m import hybrid_quantize
from .record_float import RECORD, address, at
from .rv32 import Rv32

_RECORD = """
`a0` is the address of the record (QUANTIZE in prepare/hybrid.py), `a1` of the arena, `a2` of the
model; `a3` is the batch.
"""
_EXTREMES = "The largest input of a batch, or 0, and its smallest input, or 0." + _RECORD
_QUANTIZE = "Inputs of a batch to int8, as quantize() in kernels/quantize.py does it." + _RECORD

# The derived file imports the functions of this folder.
DERIVED = hybrid_quantize.DERIVED

_INPUT, _END = "s0", "s1"


# Find the inputs of the batch in a3, from _INPUT to _END. a4 becomes the number of inputs. Uses t0
# and t1.
def _inputs(t):
    t.mv(RECORD, "a0")
    t.lw("a4", RECORD, at(QUANTIZE, "depth"))
    address(t, _INPUT, at(QUANTIZE, "input"), "a1", "a2")
    t.mul("t0", "a4", "a3")
    t.slli("t0", "t0", 2)
    t.add(_INPUT, _INPUT, "t0")
    t.slli("t0", "a4", 2)
    t.add(_END, _INPUT, "t0")


# a0: bits of the largest input; a3: bits of the smallest one; a5, a6: infinities.
def extremes():
    t = Rv32("extremes", _EXTREMES, 4)
    names = ("value", "negative", "next_value", "done", "some")
    value, negative, next_value, done, some = map(t.new_label, names)
    _inputs(t)
    address(t, "s2", at(QUANTIZE, "extremes"), "a1", "a2")
    t.li("a0", 0)
    t.li("a3", 1)
    t.slli("a3", "a3", 31)
    t.mv("a4", "a3")
    t.li("a5", 255 << 23)
    t.or_("a6", "a5", "a3")
    t.branch("beq", _INPUT, _END, done)
    t.label(value)
    t.lw("t0", _INPUT)
    t.addi(_INPUT, _INPUT, 4)
    t.branch("blt", "t0", "zero", negative)
    t.branch("bge", "a0", "t0", next_value)
    t.branch("bltu", "a5", "t0", next_value)  # a NaN
    t.mv("a0", "t0")
    t.branch("bne", _INPUT, _END, value)
    t.jump(done)
    # Without a sign, bits of negative numbers are in the order of their magnitudes.
    t.label(negative)
    t.branch("bgeu", "a3", "t0", next_value)
    t.branch("bltu", "a6", "t0", next_value)
    t.mv("a3", "t0")
    t.label(next_value)
    t.branch("bne", _INPUT, _END, value)
    t.label(done)
    t.branch("bne", "a3", "a4", some)
    t.li("a3", 0)
    t.label(some)
    t.sw("a0", "s2", 0)
    t.sw("a3", "s2", 4)
    return t.text()


# A quotient is x / y * 2 ** e: mantissas of 24 bits and the difference of the exponents.
_OUTPUT, _ZERO_POINT, _Y, _Y_EXPONENT = "s2", "s4", "s5", "s6"
_RECIPROCAL = "s7"  # 2 ** 32 / y, rounded down
_LEADING_BIT, _MAX_SHIFT, _SPECIAL = "s8", "s9", "s10"  # 2 ** 23; _SHIFTS; exponent of infinity
_CLOSE = "s11"  # the most that float32 may round a quotient up to a half, in units of y
_LOW, _HIGH = "t5", "t6"  # of int8
_X, _E, _SIGN, _Q = "a0", "a1", "a2", "a3"

# x * 2 ** e fits a word if e is at most this. Larger quotients are at least 256, and saturate.
_SHIFTS = 8


# Shift a mantissa until bit 23 is set, and count down its exponent. `last`: a register with the
# lowest exponent, or None if the mantissa is not 0. Uses t0.
def _normalize(t, mantissa, exponent, last=None):
    normal, shift = t.new_label("normal"), t.new_label("shift")
    t.label(shift)
    t.and_("t0", mantissa, _LEADING_BIT)
    t.branch("bne", "t0", "zero", normal)
    if last:
        t.branch("beq", exponent, last, normal)
    t.slli(mantissa, mantissa, 1)
    t.addi(exponent, exponent, -1)
    t.jump(shift)
    t.label(normal)


# Store the arguments, and load the scale and the zero point of the batch.
def _begin(t):
    subnormal, normal = t.new_label("subnormal_scale"), t.new_label("scale")
    _inputs(t)
    address(t, _OUTPUT, at(QUANTIZE, "quantized"), "a1", "a2")
    t.mul("t0", "a4", "a3")
    t.add(_OUTPUT, _OUTPUT, "t0")
    t.slli("a3", "a3", 2)
    for name, register in (("scales", _Y), ("offsets", _ZERO_POINT)):
        address(t, register, at(QUANTIZE, name), "a1", "a2")
        t.add(register, register, "a3")
        t.lw(register, register)
    t.li(_LEADING_BIT, 1 << 23)
    t.li(_MAX_SHIFT, _SHIFTS)
    t.li(_SPECIAL, 255)
    t.li(_LOW, -128)
    t.li(_HIGH, 127)
    t.srli(_Y_EXPONENT, _Y, 23)
    t.slli(_Y, _Y, 9)
    t.srli(_Y, _Y, 9)
    t.branch("beq", _Y_EXPONENT, "zero", subnormal)
    t.or_(_Y, _Y, _LEADING_BIT)
    t.jump(normal)
    t.label(subnormal)
    t.li(_Y_EXPONENT, 1)
    t.li("t1", -22)
    _normalize(t, _Y, _Y_EXPONENT, "t1")
    t.label(normal)
    t.li("t0", -1)
    t.divu(_RECIPROCAL, "t0", _Y)
    # A quotient of at most 9 bits is rounded to 24 bits.
    t.srli(_CLOSE, _Y, 24 - 9)


# Rare quotients: of small, large, special and subnormal numbers, and such close to a half.
def _rare(t, finite, special, subnormal, small, close, apply):
    large, bit, counted = map(t.new_label, ("large", "bit", "counted"))
    up = t.new_label("up_close")
    t.label(subnormal)
    t.li(_Q, 0)
    t.branch("beq", _X, "zero", apply)
    t.li(_E, 1)
    _normalize(t, _X, _E)
    t.jump(finite)
    # A NaN becomes the zero point.
    t.label(special)
    t.li(_Q, 0)
    t.branch("bne", _X, "zero", apply)
    t.jump(large)
    # Quotients below a half are 0.
    t.label(small)
    t.branch("bge", _E, "zero", large)
    t.li(_Q, 0)
    t.addi(_E, _E, 1)
    t.branch("bne", _E, "zero", apply)
    t.branch("bltu", _X, _Y, apply)
    t.li(_Q, 1)
    t.jump(apply)
    t.label(large)
    t.li(_Q, 512)
    t.jump(apply)
    # float32 may round the quotient up to a half; the step depends on the bits of the integer.
    t.label(close)
    t.li("t1", 24)
    t.mv("t2", _Q)
    t.label(bit)
    t.branch("beq", "t2", "zero", counted)
    t.srli("t2", "t2", 1)
    t.addi("t1", "t1", -1)
    t.jump(bit)
    t.label(counted)
    t.srl("t1", _Y, "t1")
    t.add("t1", "t1", _X)
    t.branch("bgeu", "t1", _Y, up)
    t.jump(apply)
    t.label(up)
    t.addi(_Q, _Q, 1)
    t.jump(apply)


def quantize():
    t = Rv32("quantize", _QUANTIZE, 4)
    names = ("value", "finite", "special", "subnormal", "small", "close", "apply", "done")
    value, finite, special, subnormal, small, close, apply, done = map(t.new_label, names)
    exact, low, high = map(t.new_label, ("exact", "low", "high"))
    _begin(t)
    t.branch("beq", _INPUT, _END, done)
    t.label(value)
    t.lw(_X, _INPUT)
    t.addi(_INPUT, _INPUT, 4)
    t.srai(_SIGN, _X, 31)
    t.slli(_E, _X, 1)
    t.srli(_E, _E, 24)
    t.slli(_X, _X, 9)
    t.srli(_X, _X, 9)
    t.branch("beq", _E, "zero", subnormal)
    t.branch("beq", _E, _SPECIAL, special)
    t.or_(_X, _X, _LEADING_BIT)
    t.label(finite)
    t.sub(_E, _E, _Y_EXPONENT)
    t.branch("bltu", _MAX_SHIFT, _E, small)
    t.sll(_X, _X, _E)
    # This quotient may be 1 too small.
    t.mulhu(_Q, _X, _RECIPROCAL)
    t.mul("t0", _Q, _Y)
    t.sub(_X, _X, "t0")
    t.branch("bltu", _X, _Y, exact)
    t.sub(_X, _X, _Y)
    t.addi(_Q, _Q, 1)
    t.label(exact)
    t.slli(_X, _X, 1)
    t.add("t0", _X, _CLOSE)
    t.branch("bltu", "t0", _Y, apply)
    t.branch("bltu", _X, _Y, close)
    t.addi(_Q, _Q, 1)
    t.label(apply)
    t.xor(_Q, _Q, _SIGN)
    t.sub(_Q, _Q, _SIGN)
    t.add(_Q, _Q, _ZERO_POINT)
    t.branch("bge", _HIGH, _Q, high)
    t.mv(_Q, _HIGH)
    t.label(high)
    t.branch("bge", _Q, _LOW, low)
    t.mv(_Q, _LOW)
    t.label(low)
    t.sb(_Q, _OUTPUT)
    t.addi(_OUTPUT, _OUTPUT, 1)
    t.branch("bne", _INPUT, _END, value)
    t.jump(done)
    _rare(t, finite, special, subnormal, small, close, apply)
    t.label(done)
    return t.text()
