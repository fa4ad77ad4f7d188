# Generator of the quantization of inputs of hybrid operators, for the FPU
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.hybrid import QUANTIZE

from ..common.thumb import R0, R3, R4, R5, R6, R7, R8, R9, R10
from ..common.thumb_record import at
from .hybrid_outputs import operand
from .thumb_vfp import ThumbVfp

_ABOUT = """
Inputs of a batch to int8, as quantize() in kernels/quantize.py does it. `r0` is the address of the
record (QUANTIZE in prepare/hybrid.py), `r1` of the arena, `r2` of the model; `r3` is the batch.
"""

# Upper halves of the bits of numbers.
_HALF = 0x3F00
_CLEAR = 0x3EFF  # 0.5 - 2 ** -9
_ONE = 0x3F80
_INFINITY = 0x7F80
_LARGE = 0x7F00  # 2 ** 127
_NAN = 0x7FC0
_BITS = 19  # of integers before the zero point is added


# Load a scale: s6 is a factor of the inputs, s0 the divisor of the products, s7 the scale's
# reciprocal, or NaN if the scale is not from 2 ** -60 to 2 ** 60. The portable kernel divides by
# 2 ** 128 if the scale is infinite. r8: address of the scale. Uses R4 to R6.
def _scale(t):
    finite, ready = t.new_label("finite"), t.new_label("scale")
    t.ldr_wide(R4, R8)
    t.number(R5, _ONE)
    t.number(R6, _INFINITY)
    t.shift_left(R6, R6, 16)
    t.cmp(R4, R6)
    t.branch("ne", finite)
    t.number(R5, _HALF)
    t.number(R4, _LARGE)
    t.shift_left(R4, R4, 16)
    t.label(finite)
    t.shift_left(R5, R5, 16)
    t.from_core(0, R4)
    t.from_core(6, R5)
    t.number(R6, _NAN)
    t.shift_left(R6, R6, 16)
    t.from_core(7, R6)
    t.shift_right(R4, R4, 23)
    t.sub(R4, 127 - 60)
    t.cmp_number(R4, 120)
    t.branch("hi", ready)
    t.vdiv(7, 5, 0)
    t.vadd(7, 7, 7)
    t.label(ready)


# Quantize s1 by a division, rounding halves away from zero: R5 becomes the integer. Uses R4, s2
# and s3.
def _divide(t):
    t.vmul(1, 1, 6)
    t.vdiv(1, 1, 0)
    t.to_integer(2, 1)
    t.to_core(R4, 1)
    t.to_core(R5, 2)
    t.ssat(R5, R5, _BITS)
    t.to_float(3, 2)
    t.vsub(3, 1, 3)
    t.vabs(3, 3)
    t.asr(R4, R4, 31)
    t.two("orr", R4, R6)
    t.vcmp(3, 5)
    t.add_if("ge", R5, R5, R4)


# A product by the reciprocal differs from the quotient by at most three units in the last place,
# which is less than 2 ** -12 below 2 ** 9. If its distance to the nearest integer is clearly less
# than 0.5, that integer is the result; otherwise the quotient decides. A distance of NaN does not
# pass the comparison.
#
# r6: 1; r7: output; r8: next input; r9: end; r10: zero point; s0, s6, s7: see _scale; s4: the
# distance that is clearly less than s5, 0.5.
def quantize():
    t = ThumbVfp("quantize", _ABOUT)
    value, near, store, done = map(t.new_label, ("value", "near", "store", "done"))
    for name, register in (("scales", R8), ("offsets", R10)):
        operand(t, QUANTIZE, name, register)
        t.add_wide(register, register, R3, "lsl", 2)
    t.number(R4, _HALF)
    t.shift_left(R4, R4, 16)
    t.from_core(5, R4)
    t.number(R4, _CLEAR)
    t.shift_left(R4, R4, 16)
    t.from_core(4, R4)
    _scale(t)
    t.ldr_wide(R10, R10)
    t.ldr(R7, R0, at(QUANTIZE, "depth"))
    operand(t, QUANTIZE, "input", R8)
    t.mul_wide(R4, R7, R3)
    t.add_wide(R8, R8, R4, "lsl", 2)
    t.add_wide(R9, R8, R7, "lsl", 2)
    t.mul_wide(R3, R3, R7)
    operand(t, QUANTIZE, "quantized", R7)
    t.add_wide(R7, R7, R3)
    t.number(R6, 1)
    t.b(value)
    t.label(near)
    _divide(t)
    t.b(store)
    t.label(value)
    t.cmp(R8, R9)
    t.branch("eq", done)
    t.vldm(R8, 1)
    t.vmul(3, 1, 7)
    t.to_nearest(2, 3)
    t.to_core(R5, 2)
    t.ssat(R5, R5, _BITS)
    t.to_float(2, 2)
    t.vsub(3, 3, 2)
    t.vabs(3, 3)
    t.vcmp(3, 4)
    t.branch("pl", near)
    t.label(store)
    t.add_wide(R5, R5, R10)
    t.ssat8(R5, R5)
    t.strb_next(R5, R7)
    t.b(value)
    t.label(done)
    return t.text()
