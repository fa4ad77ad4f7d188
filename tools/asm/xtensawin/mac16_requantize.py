# Assembler macros for Xtensa with MULSH that make an int8 of an int32 sum, rounded as in TFLM
# MIT license; Copyright (c) 2026 the tflm authors


# Make the output of a sum of a channel whose kind is TWICE (prepare/mac16.py). Sums have twice
# their value, so that the upper word of the product, rounded, is SaturatingRoundingDoublingHighMul
# (gemmlowp). RoundingDivideByPOT subtracts 1 from negative values and adds a half. SAR is the
# right shift; a `half` of 0 means a shift by 0. Then add the output's zero point and clamp. Uses
# x.
def twice(t, v, factor, half, zero_point, low, high, x):
    shifted = t.new_label("shifted")
    t.mulsh(x, v, factor)
    t.mull(v, v, factor)
    t.extui(v, v, 31, 1)
    t.add(v, v, x)
    t.beqz(half, shifted)
    t.srai(x, v, 31)
    t.add(v, v, half)
    t.add(v, v, x)
    t.sra(v, v)
    t.label(shifted)
    t.add(v, v, zero_point)
    t.max(v, v, low)
    t.min(v, v, high)


# Make the output of a sum of a channel whose kind is FOLDED: one multiplication does both
# roundings (prepare/folding.py), and the limits are the limits of int8.
def folded(t, v, factor, zero_point, x):
    t.mulsh(v, v, factor)
    t.add(v, v, zero_point)
    t.clamps(v, v, x)
