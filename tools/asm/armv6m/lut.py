# Generator of the assembler kernel of layers that use each weight once, with weights of four bits
# MIT license; Copyright (c) 2026 the tflm authors

from ..common.parameters import DENSE_LUT, at
from ..common.thumb import R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10, R11, R12, Thumb
from .requantize import requantize

_ABOUT = """
Channels one by one, each the sum of all inputs times its weights. The inputs are lanes. A byte of
the stream is two indices of weights and the index of a word of two lanes in a table. `r0` is the
address of a block of parameters (DENSE_LUT in tools/asm/common/parameters.py).
"""

_SLOTS = tuple(name for name in DENSE_LUT if name not in ("values", "output"))
_VALUES = 16


# Build the table of all pairs of the 16 int8 at R1: word `16 * a + b` has the value b in its lower
# lane and the value a in its upper lane. The first row is built, then copied with the other values
# in the upper lane.
def _table(t):
    first, row = t.new_label("first"), t.new_label("row")
    t.load(R0, "table")
    t.load(R2, "table_end")
    t.mov(R12, R2)
    t.mov(R7, R1)
    t.mov(R3, 0)
    t.ldrsb_at(R2, R1, R3)
    t.lsl(R2, R2, 16)
    t.mov(R8, R2)
    t.label(first)
    t.ldrsb_at(R4, R1, R3)
    t.add(R4, R2)
    t.stm(R0, R4)
    t.add(R3, 1)
    t.cmp(R3, _VALUES)
    t.branch("ne", first)
    t.label(row)
    t.add(R7, 1)
    t.ldrb(R6, R7)
    t.sxtb(R6, R6)
    t.lsl(R6, R6, 16)
    t.mov(R1, R8)
    t.sub(R6, R1)
    t.load(R1, "table")
    for _ in range(_VALUES // 4):
        t.ldm(R1, R2, R3, R4, R5)
        for word in (R2, R3, R4, R5):
            t.add(word, R6)
        t.stm(R0, R2, R3, R4, R5)
    t.cmp(R0, R12)
    t.branch("ne", row)


# Multiply eight weights, a word of four pairs of indices, by four words of lanes.
def _pairs(t):
    t.ldm(R7, R2)
    for shift in (-2, 6, 14, 22):
        if shift < 0:
            t.lsl(R4, R2, -shift)
        else:
            t.lsr(R4, R2, shift)
        t.two("and_", R4, R1)
        t.ldr_at(R4, R0, R4)
        t.ldm(R6, R5)
        t.mul(R4, R5)
        t.asr(R4, R4, 16)
        t.adc(R3, R4)


# r0: table; r1: 1020; r2: indices; r3: sum; r6: lanes; r7: stream; r9, r10: limits of the output;
# r11: output; r12: end of the lanes.
def dense_lut():
    t = Thumb("dense_lut", _ABOUT, slots=_SLOTS)
    channel, shared, ready, words = map(t.new_label, ("channel", "shared", "ready", "words"))
    for name in _SLOTS:
        t.ldr(R1, R0, at(DENSE_LUT, name))
        t.store(R1, name)
    t.ldr(R1, R0, at(DENSE_LUT, "output"))
    t.mov(R11, R1)
    t.ldr(R1, R0, at(DENSE_LUT, "values"))
    t.label(channel)
    t.note("r1: values of all channels before the first one, or 0")
    t.load(R2, "own_values")
    t.cmp(R2, 0)
    t.branch("eq", shared)
    t.load(R1, "stream")
    t.mov(R3, R1)
    t.add(R3, _VALUES)
    t.store(R3, "stream")
    t.label(shared)
    t.cmp(R1, 0)
    t.branch("eq", ready)
    _table(t)
    t.label(ready)
    t.load(R7, "stream")
    t.load(R1, "lanes_end")
    t.mov(R12, R1)
    t.load(R0, "table")
    t.mov(R1, 255)
    t.lsl(R1, R1, 2)
    t.ldm(R7, R3)
    t.load(R6, "lanes")
    t.label(words)
    _pairs(t)
    t.cmp(R6, R12)
    t.branch("ne", words)
    t.mov(R0, R3)
    for name, register in (("activation_min", R9), ("activation_max", R10)):
        t.load(R1, name)
        t.mov(register, R1)
    t.load(R6, "output_zero_point")
    requantize(t, R7)
    t.store(R7, "stream")
    t.mov(R1, R11)
    t.strb(R0, R1)
    t.add(R1, 1)
    t.mov(R11, R1)
    t.mov(R1, 0)
    t.load(R2, "channels")
    t.sub(R2, 1)
    t.store(R2, "channels")
    t.branch_far("ne", channel)
    return t.text()
