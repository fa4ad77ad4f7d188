# Generator of the assembler kernels of SVDF for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

from ..common.thumb import R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10, Thumb
from .requantize import product

_RESCALE = """
Multiplies the `r2` words at `r1` by a multiplier and 2 ** (a shift - 32), which are two words at
`r0`. The two words for the next value are `r3` bytes after them. Rounds and wraps around as
fixed_point.py does.
"""
_REMEMBER = """
Moves rows of the state (int{bits}, at `r0`) one element to the left and appends the next of the
features, words at `r2`. The feature's word becomes the sum of the row less the zero point, times
the row's weights (int{bits}, at `r1`). The zero point is the word after the features. `r3` is the
length of a row << 14 | the number of rows.
"""


# Multiply R0 by 2 ** -31 and the multiplier in R2, rounded; then shift it right by R6, rounded by
# the carry, which is the last bit that the shift drops. A shift by 0 leaves the carry of the
# addition before it, which reverses that addition. Uses R1..R4.
def scale(t):
    product(t)
    t.asr(R1, R0, 31)
    t.mov(R3, 0)
    t.add(R0, R1)
    t.asr(R0, R0, R6)
    t.adc(R0, R3)


# Split the record's shift in R6 into a left shift in `left` and a right shift in R6; one is 0.
def _directions(t, left):
    right = t.new_label("right")
    t.mov(left, 0)
    t.mov(R1, 32)
    t.sub(R6, R1, R6)
    t.branch("ge", right)
    t.two("neg", left, R6)
    t.mov(R6, 0)
    t.label(right)


# Clamp R0 to int8 or int16. Uses R1.
def _clamp(t, bits):
    fits = t.new_label("fits")
    _extend(t, R1, R0, bits)
    t.cmp(R1, R0)
    t.branch("eq", fits)
    t.mov(R1, 0x80)
    if bits == 16:
        t.lsl(R1, R1, 8)
    t.sub(R1, 1)
    t.asr(R0, R0, 31)
    t.two("eor", R0, R1)
    t.label(fits)


# Sign-extend the lowest 8 or 16 bits of a register.
def _extend(t, to, value, bits):
    (t.sxth if bits == 16 else t.sxtb)(to, value)


# r7: next value; r8: address of multiplier and shift; r9: bytes to the next ones; r10: values
# left.
def rescale():
    t = Thumb("rescale", _RESCALE, arguments=4)
    value = t.new_label("value")
    t.mov(R8, R0)
    t.mov(R7, R1)
    t.mov(R10, R2)
    t.mov(R9, R3)
    t.label(value)
    t.mov(R1, R8)
    t.ldr(R2, R1, 0)
    t.ldr(R6, R1, 4)
    t.add(R1, R9)
    t.mov(R8, R1)
    t.ldr(R0, R7, 0)
    _directions(t, R3)
    t.lsl(R0, R0, R3)
    scale(t)
    t.stm(R7, R0)
    t.mov(R1, R10)
    t.sub(R1, 1)
    t.mov(R10, R1)
    t.branch_far("ne", value)
    return t.text()


# The feature is clamped before the zero point is added; then it may wrap around, as in TFLM. r0:
# sum; r3: 0; r4: elements left; r5: state; r6: weights; r7: features; r8: minus the zero point;
# r9: elements of a row without the last one; r10: rows left.
def _remember(bits):
    t = Thumb(f"remember_{bits}", _REMEMBER.format(bits=bits), arguments=4)
    size = bits // 8
    load, store = (t.ldrh, t.strh) if bits == 16 else (t.ldrb, t.strb)
    load_weight = t.ldrsh_at if bits == 16 else t.ldrsb_at
    row, element, last = map(t.new_label, ("row", "element", "last"))
    t.mov(R5, R0)
    t.mov(R6, R1)
    t.mov(R7, R2)
    t.lsl(R4, R3, 18)
    t.lsr(R4, R4, 18)
    t.mov(R10, R4)
    t.lsr(R3, R3, 14)
    t.sub(R3, 1)
    t.mov(R9, R3)
    t.lsl(R4, R4, 2)
    t.ldr_at(R2, R2, R4)
    t.two("neg", R2, R2)
    t.mov(R8, R2)
    t.mov(R3, 0)
    t.label(row)
    t.mov(R2, 0)
    t.mov(R4, R9)
    t.cmp(R4, 0)
    t.branch("eq", last)
    t.label(element)
    load(R1, R5, size)
    store(R1, R5)
    _extend(t, R1, R1, bits)
    t.add(R1, R8)
    load_weight(R0, R6, R3)
    t.mul(R1, R0)
    t.add(R2, R1)
    t.add(R5, size)
    t.add(R6, size)
    t.sub(R4, 1)
    t.branch("ne", element)
    t.label(last)
    t.ldr(R0, R7)
    _clamp(t, bits)
    t.mov(R1, R8)
    t.sub(R0, R1)
    store(R0, R5)
    _extend(t, R0, R0, bits)
    t.add(R0, R8)
    load_weight(R1, R6, R3)
    t.mul(R0, R1)
    t.add(R2, R0)
    t.stm(R7, R2)
    t.add(R5, size)
    t.add(R6, size)
    t.mov(R1, R10)
    t.sub(R1, 1)
    t.mov(R10, R1)
    t.branch("ne", row)
    return t.text()


def remember_8():
    return _remember(8)


def remember_16():
    return _remember(16)
