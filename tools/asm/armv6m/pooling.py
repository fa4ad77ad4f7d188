# Generator of the assembler kernels of AVERAGE_POOL_2D and MAX_POOL_2D for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

from ..common.thumb import LR, R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10, R11, R12, Thumb
from .requantize import clamp

_POOL = """
{} of the cells of a window, for each channel. `r0` is the address of the first cell, `r1` of the
output, `r2` of the record (POOLING in prepare/pooling.py). `r3` is (lines - 1) * 32768 + cells of
a line - 1.
"""
# Offsets of words of the record in bytes.
_INPUT_WIDTH, _CHANNELS, _ACTIVATION_MIN, _ACTIVATION_MAX = 20, 24, 60, 64


# r0: one cell before the next one; r1: sum or maximum; r2: a value; r3: cells of the line left;
# r6: lines left; r7: bytes between two cells; r8: first cell of the channel; r9, r10: limits of
# the output; r11: output; r12: number of cells; lr: channels left.
def _pool(t, begin, cell, finish):
    t.mov(R11, R1)
    for offset, register in ((_ACTIVATION_MIN, R9), (_ACTIVATION_MAX, R10)):
        t.ldr(R4, R2, offset)
        t.mov(register, R4)
    t.ldr(R7, R2, _CHANNELS)
    t.mov(LR, R7)
    t.lsr(R5, R3, 15)
    t.add(R5, 1)
    t.store(R5, "lines")
    t.lsl(R3, R3, 17)
    t.lsr(R3, R3, 17)
    t.add(R3, 1)
    t.store(R3, "run")
    t.mul(R5, R3)
    t.mov(R12, R5)
    t.ldr(R4, R2, _INPUT_WIDTH)
    t.sub(R4, R3)
    t.mul(R4, R7)
    t.store(R4, "skip")
    t.sub(R0, R7)
    t.mov(R8, R0)
    channel, line, even, pair, next_line = map(
        t.new_label, ("channel", "line", "even", "pair", "next_line")
    )
    t.label(channel)
    t.mov(R0, R8)
    begin(t)
    t.load(R6, "lines")
    t.label(line)
    t.load(R3, "run")
    t.lsr(R3, R3, 1)
    t.branch("cc", even)
    cell(t)
    t.cmp(R3, 0)
    t.label(even)
    t.branch("eq", next_line)
    t.label(pair)
    cell(t)
    cell(t)
    t.sub(R3, 1)
    t.branch("ne", pair)
    t.label(next_line)
    t.load(R2, "skip")
    t.add(R0, R2)
    t.sub(R6, 1)
    t.branch("ne", line)
    finish(t)
    clamp(t)
    t.mov(R1, R11)
    t.strb(R0, R1)
    t.note("next channel")
    t.mov(R2, 1)
    t.add(R11, R2)
    t.add(R8, R2)
    t.mov(R1, LR)
    t.sub(R1, 1)
    t.mov(LR, R1)
    t.branch_far("ne", channel)
    return t.text()


def add_cell(t):
    t.ldrsb_at(R2, R0, R7)
    t.add(R1, R2)
    t.add(R0, R7)


# Divide (|sum| + cells / 2) / cells with the sum's sign, bit by bit. The quotient is at most 128.
def _divide(t):
    positive, bit, smaller, signed = map(t.new_label, ("positive", "bit", "smaller", "signed"))
    t.mov(R6, R1)
    t.cmp(R1, 0)
    t.branch("ge", positive)
    t.two("neg", R1, R1)
    t.label(positive)
    t.mov(R4, R12)
    t.lsr(R5, R4, 1)
    t.add(R1, R5)
    t.lsl(R4, R4, 7)
    t.mov(R0, 0)
    t.mov(R3, 8)
    t.label(bit)
    t.lsl(R0, R0, 1)
    t.cmp(R1, R4)
    t.branch("cc", smaller)
    t.sub(R1, R4)
    t.add(R0, 1)
    t.label(smaller)
    t.lsr(R4, R4, 1)
    t.sub(R3, 1)
    t.branch("ne", bit)
    t.cmp(R6, 0)
    t.branch("ge", signed)
    t.two("neg", R0, R0)
    t.label(signed)


def average():
    slots = ("run", "skip", "lines")
    t = Thumb("average", _POOL.format("Averages"), arguments=4, slots=slots)
    return _pool(t, lambda t: t.mov(R1, 0), add_cell, _divide)


def _least(t):
    t.mov(R1, 128)
    t.two("neg", R1, R1)


def larger_cell(t):
    smaller = t.new_label("smaller")
    t.ldrsb_at(R2, R0, R7)
    t.add(R0, R7)
    t.cmp(R2, R1)
    t.branch("le", smaller)
    t.mov(R1, R2)
    t.label(smaller)


def maximum():
    slots = ("run", "skip", "lines")
    t = Thumb("maximum", _POOL.format("Maxima"), arguments=4, slots=slots)
    return _pool(t, _least, larger_cell, lambda t: t.mov(R0, R1))
