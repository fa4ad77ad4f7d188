# Assembler macros for RV32 that make an int8 output of an int32 sum, rounded as in TFLM
# MIT license; Copyright (c) 2026 the tflm authors

SCRATCH = ("t0", "t1", "t2", "t3")


# MultiplyByQuantizedMultiplier (TFLM common.cc, double rounding) for right shifts e:
#
#   high = floor((v * m + 2**30) / 2**31)             SaturatingRoundingDoublingHighMul
#   y = high / 2**e, halves away from zero            RoundingDivideByPOT
#
# with a product of 64 bits. In: the sum `v`; (low half, high half of m, e) at `offset` from
# `table`; registers `half` = 2**30, `one` = 1, and the output's zero point and limits. Stores the
# output at offset `to` from `output`. Destroys `v` and SCRATCH.
def requantize(t, v, table, offset, half, one, zero_point, low, high, output, to):
    t0, t1, t2, t3 = SCRATCH
    done, above, below = t.new_label("shifted"), t.new_label("above"), t.new_label("below")
    t.lw(t0, table, offset)
    t.lw(t1, table, offset + 4)
    t.lw(t3, table, offset + 8)
    t.slli(t1, t1, 16)
    t.add(t1, t1, t0)
    t.mul(t0, v, t1)
    t.mulh(v, v, t1)
    t.add(t1, t0, half)
    t.sltu(t0, t1, t0)  # the carry
    t.add(v, v, t0)
    t.slli(v, v, 1)
    t.srli(t1, t1, 31)
    t.or_(v, v, t1)
    t.branch("beq", t3, "zero", done)
    t.srai(t0, v, 31)
    t.sll(t1, one, t3)
    t.srli(t1, t1, 1)
    t.add(v, v, t0)
    t.add(v, v, t1)
    t.sra(v, v, t3)
    t.label(done)
    t.add(v, v, zero_point)
    t.branch("bge", v, low, above)
    t.mv(v, low)
    t.label(above)
    t.branch("bge", high, v, below)
    t.mv(v, high)
    t.label(below)
    t.sb(v, output, to)
