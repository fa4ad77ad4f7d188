# Assembler macros for Cortex-M0+ that make an int8 output of an int32 sum, rounded as in TFLM
# MIT license; Copyright (c) 2026 the tflm authors

from ..common.thumb import R0, R1, R2, R3, R4, R5, R6, R9, R10


# MultiplyByQuantizedMultiplier for |v| < 2**30, multipliers m < 2**31 and right shifts e of 0..31
# (TFLM common.cc, double rounding), without a long multiplication:
#
#   v = h * 2**15 + l,  m = mh * 2**16 + ml
#   v * m / 2**31 = h * mh + (h * ml / 2 + l * mh + l * ml / 2**16) / 2**15
#
# The last right shift leaves the highest bit it drops in the carry, and ADC adds the carry: that
# is the rounding. RoundingDivideByPOT rounds halves away from zero, so 1 is subtracted from
# negative values first. With e == 0 the shift leaves the carry of the ADD before it, which adds
# that 1 again.
#
# In: the sum in R0; (ml, mh, e) at `table`, which advances; the output's zero point in R6; the
# lowest and highest output in R9 and R10. Out: R0. Uses R1..R5.
def requantize(t, table):
    t.ldm(table, R2, R3, R4)
    requantize_by(t)


# Requantize the sum in R0 as requantize() does, with ml, mh and e in R2, R3 and R4.
def requantize_by(t):
    t.asr(R1, R0, 15)
    t.lsl(R5, R1, 15)
    t.sub(R0, R5)  # l
    t.mov(R5, R1)
    t.mul(R5, R3)  # h * mh
    t.mul(R1, R2)
    t.mul(R2, R0)
    t.lsr(R2, R2, 15)
    t.add(R1, R2)
    t.asr(R1, R1, 1)
    t.mul(R0, R3)
    t.add(R0, R1)
    t.asr(R0, R0, 15)
    t.adc(R0, R5)
    t.asr(R1, R0, 31)
    t.add(R0, R1)
    t.asr(R0, R0, R4)
    t.adc(R0, R6)
    clamp(t)


# Clamp R0 to the limits in two registers.
def clamp(t, lowest=R9, highest=R10):
    above, below = t.new_label("above"), t.new_label("below")
    t.cmp(R0, lowest)
    t.branch("ge", above)
    t.mov(R0, lowest)
    t.label(above)
    t.cmp(R0, highest)
    t.branch("le", below)
    t.mov(R0, highest)
    t.label(below)


# R0 = SaturatingRoundingDoublingHighMul(R0, R2), except for twice -2 ** 31, from halves of 16 bits
# as explained in kernels/requantize.py. Uses R1..R4.
def product(t):
    t.asr(R3, R2, 16)  # r3, r2: upper and lower half of r2
    t.lsl(R2, R2, 16)
    t.lsr(R2, R2, 16)
    t.asr(R1, R0, 16)  # r1, r0: upper and lower half of r0
    t.lsl(R0, R0, 16)
    t.lsr(R0, R0, 16)
    t.mov(R4, R0)
    t.mul(R4, R3)  # low * high
    t.mul(R0, R2)
    t.lsr(R0, R0, 16)
    t.mul(R3, R1)  # high * high
    t.mul(R1, R2)
    t.add(R0, R1)  # high * low, and the carry of low * low
    t.mov(R1, 1)
    t.two("and_", R1, R0)
    t.two("and_", R1, R4)
    t.asr(R4, R4, 1)
    t.asr(R0, R0, 1)
    t.add(R0, R4)
    t.add(R0, R1)
    t.mov(R1, 0x20)
    t.lsl(R1, R1, 8)
    t.add(R0, R1)
    t.asr(R0, R0, 14)
    t.lsl(R3, R3, 1)
    t.add(R0, R3)
