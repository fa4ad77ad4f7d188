# Assembler macros for Xtensa with MULSH: from an int32 sum to an int8 output, as TFLM rounds
# MIT license; Copyright (c) 2026 the tflm authors


# The output of a sum of a channel whose kind is TWICE (prepare/mac16.py): sums have twice the
# value, so that the upper word of the product, rounded, is SaturatingRoundingDoublingHighMul
# (gemmlowp). RoundingDivideByPOT takes 1 from what is negative, and adds a half; SAR is the right
# shift, and a `half` of 0 stands for none. Then the output's zero point and limits. Uses x.
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


# The same for the kind FOLDED: one multiplication does both roundings (prepare/folding.py), and
# the limits are those of int8.
def folded(t, v, factor, zero_point, x):
    t.mulsh(v, v, factor)
    t.add(v, v, zero_point)
    t.clamps(v, v, x)
