# Generator of the assembler kernel of ADD for the DSP extension
# MIT license; Copyright (c) 2026 the tflm authors

from ..common.thumb import LR, R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10, R11, R12
from .requantize import clamp, join_four, requantize, skip_clamp
from .thumb_dsp import ThumbDsp

# Words of the parameter block.
ADD = (
    "input1",  # addresses
    "input2",
    "output",
    "fours_end",  # end of the whole groups of four elements of input 1
    "end",
    "lookup",  # address of the words that replace each byte of input 2
    "factor",  # of input 1
    "multiplier",
    "shift",  # right shift
    "zero_point",
    "clamped",  # 0: the output has the full range of its type
    "minimum",  # four times in one word
    "maximum",
)

_ADD = """
Outputs of ADD, int8, for a range of elements. `r0` is the address of a block of parameters (ADD in
tools/asm/armv7em/add.py).
"""


# Compute the next output in `acc`.
def _element(t, acc):
    t.ldrsb_next(R4, R8)
    t.ldrb_next(R5, R11)
    t.ldr_index(R5, R9, R5)
    t.mla(acc, R4, LR, R5)
    t.add(acc, acc, acc)
    requantize(t, acc, R10, R7, R6)


# r0..r3: sums; r4, r5: elements; r6: zero point; r7: shift; r8, r11: inputs; r9: lookup; r10:
# multiplier; r12: output; lr: factor.
def add():
    t = ThumbDsp("add_run", _ADD, slots=ADD)
    for word in ADD:
        t.ldr(R1, R0, 4 * ADD.index(word))
        t.store(R1, word)
    for word, register in (
        ("input1", R8), ("input2", R11), ("output", R12), ("lookup", R9), ("factor", LR),
        ("multiplier", R10), ("shift", R7), ("zero_point", R6),
    ):  # fmt: skip
        t.load(register, word)
    names = "fours", "ready", "after_fours", "single", "single_ready", "done"
    fours, ready, after_fours, single, single_ready, done = map(t.new_label, names)
    sums = R0, R1, R2, R3
    t.b(after_fours)
    t.label(fours)
    for acc in sums:
        _element(t, acc)
    join_four(t, sums)
    skip_clamp(t, R1, ready)
    clamp(t, R0, R2, R1)
    t.label(ready)
    t.str_next(R0, R12)
    t.label(after_fours)
    t.load(R4, "fours_end")
    t.cmp(R8, R4)
    t.branch_far("cc", fours)
    t.label(single)
    t.load(R4, "end")
    t.cmp(R8, R4)
    t.branch_far("cs", done)
    _element(t, R0)
    skip_clamp(t, R1, single_ready)
    clamp(t, R0, R2, R1)
    t.label(single_ready)
    t.strb_next(R0, R12)
    t.b(single)
    t.label(done)
    return t.text()
