# Assembler macros: from an int32 sum to an int8 output, as TFLM rounds
# MIT license; Copyright (c) 2026 the tflm authors

from ..common.thumb import R0, R1, R2, R3, R4, R5, R6, R9, R10


# MultiplyByQuantizedMultiplier for |v| < 2**30, multipliers m < 2**31 and right shifts e of 0..31
# (TFLM common.cc, double rounding), without a long multiplication:
#
#   v = h * 2**15 + l,  m = mh * 2**16 + ml
#   v * m / 2**31 = h * mh + (h * ml / 2 + l * mh + l * ml / 2**16) / 2**15
#
# The last right shift leaves the highest bit it drops in the carry; ADC adds it: that is the
# rounding. RoundingDivideByPOT rounds halves away from zero: negative values take 1 less first.
# With e == 0 the shift leaves the carry of the ADD before it, which gives that 1 back.
#
# In: the sum in R0; (ml, mh, e) at `table`, which moves on; the output's zero point in R6; lowest
# and highest output in R9 and R10. Out: R0. Uses R1..R5.
def requantize(t, table):
    t.ldm(table, R2, R3, R4)
    requantize_by(t)


# The same with ml, mh and e in R2, R3 and R4.
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


# Clamp R0 to what two registers hold.
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


# SaturatingRoundingDoublingHighMul of R0 and R2, any int32 but twice -2 ** 31, to R0: from halves
# of 16 bits, as kernels/requantize.py explains. Uses R1..R4.
def product(t):
    t.asr(R3, R2, 16)  # the halves of r2: r3, r2
    t.lsl(R2, R2, 16)
    t.lsr(R2, R2, 16)
    t.asr(R1, R0, 16)  # those of r0: r1, r0
    t.lsl(R0, R0, 16)
    t.lsr(R0, R0, 16)
    t.mov(R4, R0)
    t.mul(R4, R3)  # low * high
    t.mul(R0, R2)
    t.lsr(R0, R0, 16)
    t.mul(R3, R1)  # high * high
    t.mul(R1, R2)
    t.add(R0, R1)  # high * low, and what low * low carries
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
