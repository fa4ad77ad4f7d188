# Assembler macros for the DSP extension that make an int8 of an int32 sum, rounded as in TFLM
# MIT license; Copyright (c) 2026 the tflm authors


# MultiplyByQuantizedMultiplier (TFLM common.cc, double rounding) of half of `acc`, for right
# shifts of 0..31, and the zero point.
#
# SMMULR of 2 * v and m is (2 * v * m + 2**31) / 2**32 = (v * m + 2**30) / 2**31, rounded down:
# SaturatingRoundingDoublingHighMul. The weights are stored doubled, so that sums are 2 * v.
# RoundingDivideByPOT rounds halves away from zero, so 1 is subtracted from negative values first.
# The shift leaves the highest bit that it drops in the carry, and ADC adds the carry. A shift by 0
# leaves the carry of the ADD before it, which adds that 1 again.
def requantize(t, acc, multiplier, shift, zero_point):
    t.smmulr(acc, acc, multiplier)
    t.add_wide(acc, acc, acc, "asr", 31, flags=True)
    t.asrs(acc, acc, shift)
    t.adc_wide(acc, acc, zero_point)
    t.ssat8(acc, acc)


# Make an output of a sum with one multiplication (see prepare/folding.py).
def fold(t, acc, multiplier, zero_point):
    t.smmla(acc, acc, multiplier, zero_point)
    t.ssat8(acc, acc)


# Join four int8 in low registers as bytes of the first one. Destroys the others.
def join_four(t, values):
    for i, value in enumerate(values[1:]):
        t.bfi(values[0], value, 8 * (i + 1), 8)


# Branch to `ready` if the slots say that the output is not clamped.
def skip_clamp(t, spare, ready):
    t.load(spare, "clamped")
    t.cmp(spare, 0)
    t.branch("eq", ready)


# Clamp four joined bytes to the limits in the slots.
def clamp(t, word, limit, spare):
    t.load(limit, "minimum")
    t.at_least(word, limit, spare)
    t.load(limit, "maximum")
    t.at_most(word, limit, spare)
