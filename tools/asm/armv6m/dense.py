# Assembler kernel of CONV_2D with one output pixel, and FULLY_CONNECTED: weights of one byte
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.dense import DENSE

from ..common.parameters import DENSE_GROUPS, at
from ..common.thumb import LR, R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10, R11, R12, Thumb
from .requantize import requantize

_ABOUT = """
Groups of four channels, each the sum of all inputs times its weights, which are used once. `r0`
is the address of a block of parameters (DENSE_GROUPS in tools/asm/common/parameters.py), `r1`
that of the record (DENSE in prepare/dense.py).
"""


_SLOTS = ("surplus", "channels", "sums", "zero_point", "stream")


# A word of the record.
def _word(name):
    return 4 + 4 * DENSE.index(name)


# The four int8 of R4 in R5, one by one.
def _elements(t):
    for left in (24, 16, 8):
        t.lsl(R5, R4, left)
        t.asr(R5, R5, 24)
        yield
    t.asr(R5, R4, 24)
    yield


# 128 times the sum of the inputs, which weights that are 128 too large add, in slot `surplus`.
def _surplus(t):
    loop = t.new_label("surplus")
    t.mov(R6, R8)
    t.mov(R7, R12)
    t.mov(R0, 0)
    t.label(loop)
    t.ldm(R6, R4)
    for _ in _elements(t):
        t.add(R0, R5)
    t.cmp(R6, R7)
    t.branch("ne", loop)
    t.lsl(R0, R0, 7)
    t.store(R0, "surplus")


# r0..r3: sums, r4: four inputs, r5: one of them, r6: a weight, r7: stream; r8: next inputs,
# r9, r10: the output's limits, r11: output, r12: end of the inputs, lr: their beginning.
def _sums(t):
    loop = t.new_label("quad")
    t.ldm(R7, R0, R1, R2, R3)
    t.load(R4, "surplus")
    for total in (R0, R1, R2, R3):
        t.sub(total, R4)
    t.mov(R8, LR)
    t.label(loop)
    t.mov(R6, R8)
    t.ldm(R6, R4)
    t.mov(R8, R6)
    for element, _ in enumerate(_elements(t)):
        for channel, total in enumerate((R0, R1, R2, R3)):
            t.ldrb(R6, R7, 4 * element + channel)
            t.mul(R6, R5)
            t.add(total, R6)
    t.add(R7, 16)
    t.cmp(R8, R12)
    t.branch("ne", loop)


def dense():
    t = Thumb("dense", _ABOUT, arguments=2, slots=_SLOTS)
    group, output, done = map(t.new_label, ("group", "output", "done"))
    t.ldr(R2, R0, at(DENSE_GROUPS, "source"))
    t.mov(LR, R2)
    t.mov(R8, R2)
    t.ldr(R3, R1, _word("depth"))
    t.add(R2, R3)
    t.mov(R12, R2)
    t.ldr(R2, R0, at(DENSE_GROUPS, "output"))
    t.mov(R11, R2)
    t.ldr(R2, R0, at(DENSE_GROUPS, "channels"))
    t.store(R2, "channels")
    for name, register in (("activation_min", R9), ("activation_max", R10)):
        t.ldr(R2, R1, _word(name))
        t.mov(register, R2)
    t.ldr(R2, R1, _word("output_zero_point"))
    t.store(R2, "zero_point")
    t.ldr(R2, R0, at(DENSE_GROUPS, "stream"))
    t.add(R0, at(DENSE_GROUPS, "sums"))
    t.store(R0, "sums")
    t.store(R2, "stream")
    _surplus(t)
    t.load(R7, "stream")
    t.label(group)
    _sums(t)
    t.load(R4, "sums")
    t.mov(R8, R4)
    t.stm(R4, R0, R1, R2, R3)
    t.label(output)
    t.mov(R1, R8)
    t.ldm(R1, R0)
    t.mov(R8, R1)
    t.load(R6, "zero_point")
    requantize(t, R7)
    t.mov(R1, R11)
    t.strb(R0, R1)
    t.add(R1, 1)
    t.mov(R11, R1)
    t.load(R1, "channels")
    t.sub(R1, 1)
    t.branch("eq", done)
    t.store(R1, "channels")
    t.load(R2, "sums")
    t.add(R2, 16)
    t.cmp(R8, R2)
    t.branch("ne", output)
    t.b(group)
    t.label(done)
    return t.text()
