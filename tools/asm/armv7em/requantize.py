# Assembler macros for the DSP extension: from an int32 sum to an int8 output, as TFLM rounds
# MIT license; Copyright (c) 2026 the tflm authors


# MultiplyByQuantizedMultiplier (TFLM common.cc, double rounding) of half of `acc`, for right
# shifts of 0..31, and the zero point.
#
# SMMULR of 2 * v and m is (2 * v * m + 2**31) / 2**32 = (v * m + 2**30) / 2**31, rounded down:
# SaturatingRoundingDoublingHighMul. The weights are stored doubled, so sums are 2 * v.
# RoundingDivideByPOT rounds halves away from zero: negative values take 1 less first; the shift
# leaves the highest bit that it drops in the carry, and ADC adds it. A shift by 0 leaves the
# carry of the ADD before it, which gives the 1 back.
def requantize(t, acc, multiplier, shift, zero_point):
    t.smmulr(acc, acc, multiplier)
    t.add_wide(acc, acc, acc, "asr", 31, flags=True)
    t.asrs(acc, acc, shift)
    t.adc_wide(acc, acc, zero_point)
    t.ssat8(acc, acc)


# The same with one multiplication (see prepare/folding.py).
def fold(t, acc, multiplier, zero_point):
    t.smmla(acc, acc, multiplier, zero_point)
    t.ssat8(acc, acc)


# Four int8 in low registers become bytes of the first one; uses the others up.
def join_four(t, values):
    for i, value in enumerate(values[1:]):
        t.bfi(values[0], value, 8 * (i + 1), 8)


# Go to `ready` where the slots say that the type's limits are the output's.
def skip_clamp(t, spare, ready):
    t.load(spare, "clamped")
    t.cmp(spare, 0)
    t.branch("eq", ready)


# Limit four joined bytes as the slots say.
def clamp(t, word, limit, spare):
    t.load(limit, "minimum")
    t.at_least(word, limit, spare)
    t.load(limit, "maximum")
    t.at_most(word, limit, spare)


# Limit four values in a register each, where there is need to; upper bits are of no account.
def clamp_four(t, values, limit, spare):
    ready = t.new_label("ready")
    skip_clamp(t, spare, ready)
    join_four(t, values)
    clamp(t, values[0], limit, spare)
    for i, value in enumerate(values[1:]):
        t.lsr(value, values[0], 8 * (i + 1))
    t.label(ready)
