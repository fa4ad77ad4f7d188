# Generator of the quantization of inputs of hybrid operators, for Xtensa with an FPU
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.hybrid import QUANTIZE

from .channels_float import operand, word_of
from .fpu import Fpu

_ARGUMENTS = "op", "arena", "rom", "batch"
_RECORD = "`op` is the record (QUANTIZE in prepare/hybrid.py)."
_QUANTIZE = f"""
Inputs of the batch `batch` to int8, as quantize() in kernels/quantize.py does it. The second word
of `extremes` is the reciprocal of the scale, rounded to float32. {_RECORD}
"""
_SLOTS = ("input", "quantized", "scales", "offsets", "extremes")
# Biased exponents of scales whose reciprocals are normal numbers.
_LEAST, _MOST = 20, 230
# A quotient below 300 that a product with the reciprocal gives differs from the exact one by less
# than 2 ** -14. If it is closer than 1/2 - 2 ** -13 to an integer, both are rounded to this one.
_HALF = 0x3F0  # upper bits of 1/2, which is 1 << 12 more than 1/2 - 2 ** -13
_BITS = 8  # of the integer part of a quotient that does not saturate


# Begin with the batch in a5: a6 becomes the address of its first input, a8 the number of inputs.
# a2 is the record. Uses a7.
def _batch_inputs(t):
    t.l32i("a8", "a2", word_of(QUANTIZE, "depth"))
    t.mull("a7", "a5", "a8")
    t.load("a6", "input")
    t.addx4("a6", "a7", "a6")


# Shift the mantissa `x` until bit 23 is set, and count down its exponent. Uses a15.
def _normalize(t, x, exponent):
    t.nsau("a15", x)
    t.addi("a15", "a15", -8)
    t.ssl("a15")
    t.sll(x, x)
    t.movi(exponent, 1)
    t.sub(exponent, exponent, "a15")


# Steps:
# 1. Find the addresses of the operands.
# 2. Split the scale into a3, its mantissa, and a4, its exponent.
# 3. Multiply each input by the reciprocal. If the product is too close to the middle between two
#    integers, divide exactly.
def quantize():
    t = Fpu("quantize", _QUANTIZE, _ARGUMENTS, _SLOTS)
    for name in _SLOTS:
        operand(t, QUANTIZE, name, ("a2", "a3", "a4", "a7", "a8"))
    _batch_inputs(t)
    to, value, high, low, zero_point = "a7", "a9", "a10", "a11", "a12"
    mantissa, exponent = "a3", "a4"
    normal, unusual, usual, exact, known, end = map(
        t.new_label, ("normal", "unusual", "usual", "exact", "known", "values_end")
    )
    t.load("a10", "offsets")
    t.addx4("a10", "a5", "a10")
    t.l32i(zero_point, "a10", 0)
    t.load("a10", "scales")
    t.addx4("a10", "a5", "a10")
    t.l32i(mantissa, "a10", 0)
    t.load("a10", "extremes")
    t.lsi("f1", "a10", 4)
    t.mull("a10", "a5", "a8")
    t.load(to, "quantized")
    t.add(to, to, "a10")
    t.extui(exponent, mantissa, 23, 8)
    t.slli(mantissa, mantissa, 9)
    t.srli(mantissa, mantissa, 9)
    t.movi("a2", 1)
    t.slli("a2", "a2", 23)
    t.bnez(exponent, normal)
    _normalize(t, mantissa, exponent)
    t.label(normal)
    t.or_(mantissa, mantissa, "a2")
    # The largest difference from an integer.
    t.movi("a9", -1)  # all products are too close
    t.addi("a10", exponent, -_LEAST)
    t.movi("a11", _MOST - _LEAST)
    t.bgeu("a10", "a11", unusual)
    t.movi("a9", _HALF)
    t.slli("a9", "a9", 20)
    t.addi("a9", "a9", -1 << 12)
    t.j(usual)
    t.label(unusual)
    t.slli("a9", "a9", 30)  # -2.0
    t.label(usual)
    t.wfr("f2", "a9")
    t.movi("a9", 127)
    t.sub(high, "a9", zero_point)
    t.movi("a9", -128)
    t.sub(low, "a9", zero_point)
    t.loopnez("a8", end)
    t.lsi("f0", "a6")
    t.addi("a6", "a6", 4)
    t.mul_s("f3", "f0", "f1")
    t.round_s(value, "f3")
    t.float_s("f4", value)
    t.sub_s("f3", "f3", "f4")
    t.abs_s("f3", "f3")
    t.olt_s("b0", "f3", "f2")
    t.bf("b0", exact)
    t.label(known)
    t.min(value, value, high)
    t.max(value, value, low)
    t.add(value, value, zero_point)
    t.s8i(value, to)
    t.addi(to, to, 1)
    t.label(end)
    done = t.new_label("done")
    t.j(done)
    t.label(exact)
    _exact(t, mantissa, exponent, value, known)
    t.label(done)
    return t.text()


# Round the quotient of the number in f0 and the scale, and go to `known`. a2: bit 23. Uses a13 to
# a15, and a5.
def _exact(t, mantissa, exponent, value, known):
    x, e, spare, sign = "a13", "a14", "a15", "a5"
    normal, finite, whole, large, rest, small, apply = map(
        t.new_label, ("normal", "finite", "whole", "large", "rest", "small", "apply")
    )
    t.rfr(sign, "f0")
    t.extui(e, sign, 23, 8)
    t.slli(x, sign, 9)
    t.srli(x, x, 9)
    t.srai(sign, sign, 31)
    t.movi(value, 0)
    t.bnez(e, normal)
    t.beqz(x, apply)
    _normalize(t, x, e)
    t.label(normal)
    t.movi(spare, 255)
    t.bne(e, spare, finite)
    t.bnez(x, apply)  # a NaN
    t.j(large)
    t.label(finite)
    t.or_(x, x, "a2")
    t.sub(e, e, exponent)
    t.movi(spare, _BITS)
    t.bge(spare, e, whole)
    t.label(large)
    t.movi(value, 1 << _BITS + 1)
    t.j(apply)
    t.label(whole)
    t.bltz(e, small)
    t.ssl(e)
    t.sll(x, x)
    t.quou(value, x, mantissa)
    t.mull(spare, value, mantissa)
    t.sub(x, x, spare)
    t.add(x, x, x)
    t.j(rest)
    t.label(small)
    t.addi(e, e, 1)
    t.bnez(e, apply)
    # Twice the rest is in x. A quotient that float32 rounds up to the next half is at most half a
    # unit in its last place below it.
    t.label(rest)
    t.nsau(spare, value)
    t.addi(spare, spare, -8)
    t.ssr(spare)
    t.srl(spare, mantissa)
    t.add(x, x, spare)
    t.bltu(x, mantissa, apply)
    t.addi(value, value, 1)
    t.label(apply)
    t.xor(value, value, sign)
    t.sub(value, value, sign)
    t.j(known)
