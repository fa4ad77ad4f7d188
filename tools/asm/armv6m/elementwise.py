# Assembler kernels of ADD and pooling
# MIT license; Copyright (c) 2026 the tflm authors

from ..common.parameters import ADD, at
from ..common.thumb import LR, R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10, R11, R12, Thumb
from .requantize import clamp, requantize

_ADD = """
A run of a sum of int8. `r0` is the address of a block of parameters (ADD in
tools/asm/common/parameters.py).
"""


# r7: elements left, negative; r8, r11, r12: ends of the inputs and the output, lr: factor.
def add():
    t = Thumb("add_run", _ADD, slots=("lookup", "multiplier"))
    for name, register in (
        ("input1_end", R8),
        ("input2_end", R11),
        ("output_end", R12),
        ("factor", LR),
        ("activation_min", R9),
        ("activation_max", R10),
    ):
        t.ldr(R1, R0, at(ADD, name))
        t.mov(register, R1)
    t.ldr(R1, R0, at(ADD, "lookup"))
    t.store(R1, "lookup")
    t.ldr(R6, R0, at(ADD, "output_zero_point"))
    t.ldr(R7, R0, at(ADD, "count"))
    t.two("neg", R7, R7)
    t.add(R0, at(ADD, "multiplier"))
    t.store(R0, "multiplier")
    element = t.new_label("element")
    t.label(element)
    t.mov(R1, R8)
    t.ldrsb_at(R0, R1, R7)
    t.mov(R1, LR)
    t.mul(R0, R1)
    t.mov(R1, R11)
    t.ldrb_at(R1, R1, R7)
    t.lsl(R1, R1, 2)
    t.load(R2, "lookup")
    t.ldr_at(R1, R2, R1)
    t.add(R0, R1)
    t.load(R1, "multiplier")
    requantize(t, R1)
    t.mov(R1, R12)
    t.strb_at(R0, R1, R7)
    t.add(R7, 1)
    t.branch("ne", element)
    return t.text()


_POOL = """
{} of a window, for each channel. `r0`: address of the first cell, `r1`: of the output,
`r2`: of the record of pooling.py; `r3`: (lines - 1) * 32768 + cells of a line - 1.
"""
# Bytes of words of the record.
_INPUT_WIDTH, _CHANNELS, _ACTIVATION_MIN, _ACTIVATION_MAX = 20, 24, 60, 64


# r0: one cell before the next, r1: sum or maximum, r2: a value, r3: cells of the line left,
# r6: lines left, r7: bytes from one cell to the next; r8: first cell of the channel, r9, r10: the
# output's limits, r11: output, r12: cells, lr: channels left.
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


def _add_cell(t):
    t.ldrsb_at(R2, R0, R7)
    t.add(R1, R2)
    t.add(R0, R7)


# (|sum| + cells / 2) / cells with the sum's sign, bit by bit; it is 128 at most.
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
    return _pool(t, lambda t: t.mov(R1, 0), _add_cell, _divide)


def _least(t):
    t.mov(R1, 128)
    t.two("neg", R1, R1)


def _larger_cell(t):
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
    return _pool(t, _least, _larger_cell, lambda t: t.mov(R0, R1))


_CELLS = """
{} of some cells, for each channel. `r0`: address of the first cell, `r1`: of the first
channel's int32, of bytes whose top bit is flipped; `r2`: cells, `r3`: channels.
"""


# r0: one cell before the next, r1: sum or maximum, r2: a value, r3: cells left, r4: the channel's
# int32, r5: what the flipped bits add, r6: channels left, r7: bytes from one cell to the next;
# r8: one cell before the channel's first, r9: cells.
def _cells(t, begin, cell, end):
    channel, even, pair, done = map(t.new_label, ("channel", "even", "pair", "done"))
    t.mov(R4, R1)
    t.mov(R9, R2)
    t.lsl(R5, R2, 7)
    t.mov(R6, R3)
    t.mov(R7, R3)
    t.sub(R0, R7)
    t.mov(R8, R0)
    t.label(channel)
    t.mov(R0, R8)
    t.ldr(R1, R4)
    begin(t)
    t.mov(R3, R9)
    t.lsr(R3, R3, 1)
    t.branch("cc", even)
    cell(t)
    t.cmp(R3, 0)
    t.label(even)
    t.branch("eq", done)
    t.label(pair)
    cell(t)
    cell(t)
    t.sub(R3, 1)
    t.branch("ne", pair)
    t.label(done)
    end(t)
    t.stm(R4, R1)
    t.mov(R2, 1)
    t.add(R8, R2)
    t.sub(R6, 1)
    t.branch("ne", channel)
    return t.text()


def add_cells():
    t = Thumb("add_cells", _CELLS.format("Sums"), arguments=4)
    return _cells(t, lambda t: None, _add_cell, lambda t: t.add(R1, R5))


def largest_of_cells():
    t = Thumb("largest_of_cells", _CELLS.format("Maxima"), arguments=4)
    return _cells(t, lambda t: t.sub(R1, 128), _larger_cell, lambda t: t.add(R1, 128))
