# Assembler kernel of MUL for the DSP extension
# MIT license; Copyright (c) 2026 the tflm authors

from ..common.thumb import R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10, R12
from .requantize import requantize
from .thumb_dsp import ThumbDsp

# Bits of the word that products() takes, and how many each has.
FIELDS = {
    "count": (0, 8),
    "step1": (8, 1),
    "step2": (9, 1),
    "offset1": (10, 8),
    "offset2": (18, 8),
}
_SIGN = 128  # what an offset is more than the zero point

_PRODUCTS = """
Products of int8 less their zero points: `r0`, `r1` are addresses of elements, `r2` that of words
for the products, `r3` says how many, how far the next elements are, and the offsets (FIELDS in
tools/asm/armv7em/products.py).
"""

_OUTPUTS = """
Outputs of products: `r0` is the address of a record of mul.eval_int8, `r1` that of the products,
`r2` that of the outputs, `r3` their number.
"""

REQUANTIZE = 56  # bytes of a record before this block
# Offsets in it, with a table for one channel.
_ZERO_POINT, _MINIMUM, _MAXIMUM, _MULTIPLIER, _SHIFT = 0, 4, 8, 20, 24
_NO_SHIFT = 32
_MOST_LEFT = 14  # that a product of two int8 takes: what is shifted further is beyond any output


def _field(t, to, packed, name):
    at, bits = FIELDS[name]
    t.lsl(to, packed, 32 - at - bits)
    t.lsr(to, to, 32 - bits)


# r4, r5: zero points, r6, r7: steps, r8, r9: elements, r12: 0.
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


# r4: shift to the left that doubles, too, r5: sum, r6: zero point, r7: shift to the right,
# r8, r9: limits, r10: multiplier.
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
    t.cmp(R4, 1 + _MOST_LEFT)
    t.branch("le", known)
    t.mov(R4, 1 + _MOST_LEFT)
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
