# Assembler macros for RV32 that multiply int32 by a multiplier and a power of two, as TFLM does
# MIT license; Copyright (c) 2026 the tflm authors

from collections import namedtuple

from .float_record import RECORD

# Registers of a FIXED_POINT block: 31 bits of the multiplier, the shift to the left and to the
# right, of which one is 0, and the shift to the right less 1.
Scale = namedtuple("Scale", "multiplier left right before")


def load_scale(t, offset, scale):
    """Load the FIXED_POINT block at an offset of the record. Its shift is 32 more than in TFLM."""
    is_right = t.new_label("is_right")
    t.lw(scale.multiplier, RECORD, offset)
    t.lw(scale.left, RECORD, offset + 4)
    t.addi(scale.left, scale.left, -32)
    t.sub(scale.right, "zero", scale.left)
    t.branch("blt", scale.left, "zero", is_right)
    t.li(scale.right, 0)
    t.label(is_right)
    # A negative number becomes 0.
    t.srai(scale.before, scale.left, 31)
    t.xori(scale.before, scale.before, -1)
    t.and_(scale.left, scale.left, scale.before)
    t.addi(scale.before, scale.right, -1)


def rescale(t, value, scale, half, high, other):
    """Write MultiplyByQuantizedMultiplier for `value`, as requantize.py explains it.

    A left shift wraps around. half: register with 2 ** 30. Destroys `high` and `other`.
    """
    done = t.new_label("scaled")
    t.sll(value, value, scale.left)
    t.mulh(high, value, scale.multiplier)
    t.mul(value, value, scale.multiplier)
    t.add(value, value, half)
    t.sltu(other, value, half)  # the carry
    t.add(high, high, other)
    t.slli(high, high, 1)
    t.srli(value, value, 31)
    t.or_(value, value, high)
    t.branch("beq", scale.right, "zero", done)
    t.srai(other, value, 31)
    t.add(value, value, other)
    t.sra(value, value, scale.before)
    t.addi(value, value, 1)
    t.srai(value, value, 1)
    t.label(done)


def clamp(t, value, low, high):
    """Clamp a register to the limits in two registers."""
    above, below = t.new_label("above"), t.new_label("below")
    t.branch("bge", value, low, above)
    t.mv(value, low)
    t.label(above)
    t.branch("bge", high, value, below)
    t.mv(value, high)
    t.label(below)
