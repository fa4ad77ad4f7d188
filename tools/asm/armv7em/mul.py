# Generator of the assembler kernels of MUL for the DSP extension
# MIT license; Copyright (c) 2026 the tflm authors

from ..common.thumb import LR, R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10, R11, R12
from .requantize import clamp, join_four, requantize, skip_clamp
from .thumb_dsp import ThumbDsp

# Fields of the word that is the last argument of products(): name and number of bits.
FIELDS = {
    "count": (0, 8),
    "step1": (8, 1),
    "step2": (9, 1),
    "offset1": (10, 8),
    "offset2": (18, 8),
}
_SIGN = 128  # an offset is the zero point + 128

_PRODUCTS = """
Products of int8 less their zero points. `r0` and `r1` are the addresses of the elements, `r2` of
the words for the products. `r3` packs the number of products, the steps between elements, and the
offsets (FIELDS in tools/asm/armv7em/mul.py).
"""
_FOURS = """
Outputs of pairs of int8, four at a time. `r0` is the address of a record of mul.eval_int8, `r1`
and `r2` of the elements, `r3` of two words: the address of the outputs, and the end of the
elements at `r1`.
"""
_OUTPUTS = """
Outputs of products. `r0` is the address of a record of mul.eval_int8, `r1` of the products, `r2`
of the outputs. `r3` is the number of outputs.
"""

OFFSETS = 48  # offset of the offsets of both inputs in a record, in bytes
REQUANTIZE = 56  # and of the REQUANTIZE block
# Offsets in the REQUANTIZE block, with a table for one channel.
_ZERO_POINT, _MINIMUM, _MAXIMUM, _MULTIPLIER, _SHIFT = 0, 4, 8, 20, 24
_NO_SHIFT = 32
_LOWEST, _HIGHEST = -128, 127
_MAX_LEFT_SHIFT = 14  # of a product of two int8; a larger one exceeds any output


def _field(t, to, packed, name):
    at, bits = FIELDS[name]
    t.lsl(to, packed, 32 - at - bits)
    t.lsr(to, to, 32 - bits)


# r4, r5: zero points; r6, r7: steps; r8, r9: elements; r12: 0.
def products():
    t = ThumbDsp("products", _PRODUCTS, 4)
    for to, name in ((R4, "offset1"), (R5, "offset2"), (R6, "step1"), (R7, "step2")):
        _field(t, to, R3, name)
    t.sub(R4, _SIGN)
    t.sub(R5, _SIGN)
    _field(t, R3, R3, "count")
    next_one = t.new_label("next")
    t.sub_wide(R12, R12, R12)
    t.label(next_one)
    t.ldrsb_index(R8, R0, R12)
    t.ldrsb_index(R9, R1, R12)
    t.add(R0, R0, R6)
    t.add(R1, R1, R7)
    t.sub_wide(R8, R8, R4)
    t.sub_wide(R9, R9, R5)
    t.mla(R8, R8, R9, R12)
    t.str_next(R8, R2)
    t.sub(R3, 1)
    t.branch("ne", next_one)
    return t.text()


# r4: left shift, which also doubles; r5: sum; r6: zero point; r7: right shift; r8, r9: limits;
# r10: multiplier.
def outputs():
    t = ThumbDsp("outputs", _OUTPUTS, 4)
    known, no_less, no_more = map(t.new_label, ("known", "no_less", "no_more"))
    t.add(R0, REQUANTIZE)
    t.ldr_wide(R8, R0, _MINIMUM)
    t.ldr_wide(R9, R0, _MAXIMUM)
    t.ldr_wide(R10, R0, _MULTIPLIER)
    t.ldr(R6, R0, _ZERO_POINT)
    t.ldrb(R4, R0, _SHIFT)
    t.mov(R7, _NO_SHIFT)
    t.sub(R7, R7, R4)
    t.mov(R4, 1)
    t.cmp(R7, 0)
    t.branch("ge", known)
    t.sub(R4, R4, R7)
    t.mov(R7, 0)
    t.cmp(R4, 1 + _MAX_LEFT_SHIFT)
    t.branch("le", known)
    t.mov(R4, 1 + _MAX_LEFT_SHIFT)
    t.label(known)
    t.ldr_next(R5, R1)
    t.lsl(R5, R5, R4)
    requantize(t, R5, R10, R7, R6)
    t.cmp(R5, R8)
    t.branch("ge", no_less)
    t.mov(R5, R8)
    t.label(no_less)
    t.cmp(R5, R9)
    t.branch("le", no_more)
    t.mov(R5, R9)
    t.label(no_more)
    t.strb_next(R5, R2)
    t.sub(R3, 1)
    t.branch("ne", known)
    return t.text()


# r0..r3: elements as halfwords; r4, r5: the elements as bytes; r0, r2, r4, r5: products; r6: zero
# point; r7: shift; r8, r9: inputs; r10: multiplier; r11, lr: offsets; r12: output.
def fours():
    t = ThumbDsp("fours", _FOURS, 4, ("end", "clamped", "minimum", "maximum"))
    t.mov(R8, R1)
    t.mov(R9, R2)
    t.ldr(R4, R3)
    t.mov(R12, R4)
    t.ldr(R4, R3, 4)
    t.store(R4, "end")
    t.add(R0, OFFSETS)
    for to, offset in ((R11, 0), (LR, 4)):
        t.ldr(R4, R0, offset)
        t.mov(R5, _SIGN)
        t.sub(R5, R5, R4)
        t.pkhbt(to, R5, R5)
    block = REQUANTIZE - OFFSETS
    for slot, offset in (("minimum", _MINIMUM), ("maximum", _MAXIMUM)):
        t.ldr(R4, R0, block + offset)
        t.mov(R5, R4)
        t.bfi(R5, R5, 8, 8)
        t.bfi(R5, R5, 16, 16)
        t.store(R5, slot)
        if slot == "minimum":
            t.mov(R6, R4)
    t.add(R6, -_LOWEST)
    t.sub(R4, _HIGHEST)
    t.two("orr", R4, R6)
    t.store(R4, "clamped")  # 0: the output has the full range of its type
    t.ldr(R6, R0, block + _ZERO_POINT)
    t.ldr_wide(R10, R0, block + _MULTIPLIER)
    t.ldr(R4, R0, block + _SHIFT)
    t.mov(R7, _NO_SHIFT)
    t.sub(R7, R7, R4)
    next_four, ready = t.new_label("next"), t.new_label("ready")
    t.label(next_four)
    t.ldr_next(R4, R8)
    t.ldr_next(R5, R9)
    for one, other, rotation in ((R0, R1, 0), (R2, R3, 8)):
        t.sxtab16(one, R11, R4, rotation)
        t.sxtab16(other, LR, R5, rotation)
        t.sadd16(other, other, other)  # requantize() requires doubled sums
    t.smul("bb", R4, R0, R1)
    t.smul("bb", R5, R2, R3)
    t.smul("tt", R0, R0, R1)
    t.smul("tt", R2, R2, R3)
    found = R4, R5, R0, R2
    for product in found:
        requantize(t, product, R10, R7, R6)
    join_four(t, found)
    skip_clamp(t, R1, ready)
    clamp(t, R4, R2, R1)
    t.label(ready)
    t.str_next(R4, R12)
    t.load(R4, "end")
    t.cmp(R8, R4)
    t.branch("cc", next_four)
    return t.text()
