# Assembler macros for Xtensa that make an int8 output of an int32 sum, rounded as in TFLM
# MIT license; Copyright (c) 2026 the tflm authors


# SaturatingRoundingDoublingHighMul (gemmlowp) of |v| < 2**30 without products of 64 bits (see
# armv6m/requantize.py): with v = a * 2**15 + b and a multiplier of the halves low and high
#
#   v = a * high + (((a * low + (b * low >> 15)) >> 1) + b * high + 2**14 >> 15)
#
# Uses x, y, z; z may be `low`, which is destroyed then.
def multiply_high(t, v, low, high, x, y, z):
    t.srai(x, v, 15)
    t.extui(v, v, 0, 15)
    t.mull(y, x, low)
    t.mull(x, x, high)
    t.mull(z, v, low)
    t.mull(v, v, high)
    t.srli(z, z, 15)
    t.add(y, y, z)
    t.srai(y, y, 1)
    t.add(v, v, y)
    t.addi(v, v, 1 << 14)
    t.srai(v, v, 15)
    t.add(v, v, x)


# RoundingDivideByPOT: v / 2**e, halves away from zero. SAR is e - 1, with e > 0. Uses x.
def divide(t, v, x):
    t.srai(x, v, 31)
    t.add(v, v, x)
    t.sra(v, v)
    t.addi(v, v, 1)
    t.srai(v, v, 1)


# MultiplyByQuantizedMultiplier (TFLM common.cc, double rounding) for right shifts e. In: the sum
# `v`; (low half, high half of the multiplier, e) at `offset` from `table`; registers of the
# output's zero point and limits. Stores the output at offset `to` from `output`. Destroys `v` and
# `spare`.
def requantize(t, v, table, offset, spare, zero_point, low, high, output, to):
    factor, upper, x, y = spare
    done = t.new_label("shifted")
    t.l32i(factor, table, offset)
    t.l32i(upper, table, offset + 4)
    multiply_high(t, v, factor, upper, x, y, factor)
    t.l32i(x, table, offset + 8)
    t.beqz(x, done)
    t.addi(x, x, -1)
    t.ssr(x)
    divide(t, v, y)
    t.label(done)
    t.add(v, v, zero_point)
    t.max(v, v, low)
    t.min(v, v, high)
    t.s8i(v, output, to)
