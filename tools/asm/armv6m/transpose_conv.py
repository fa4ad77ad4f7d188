# Generator of the assembler kernels of TRANSPOSE_CONV for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

from ..common.thumb import LR, R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10, R11, R12, Thumb
from .matrix import left_out, lengths, rows
from .recurrent import scale
from .requantize import clamp

_CELLS = """
Adds the products of rows of int8 weights and vectors as dot() of matrix_asm.py does, for some
cells of a filter one after the other. Six words after the sums describe the cells: bytes between
two rows; cells in a line; bytes from each cell back to the next one; lines; bytes from the first
cell of a line back to the first cell of the next one; bytes from the first vector of a line to
the first vector of the next one. The vectors of a line are contiguous.
"""
_STORE = """
Makes int8 at `r1` of the words at `r0`, as store_int8() of requantize.py does. `r2` is the address
of the REQUANTIZE block, with a multiplier for each channel and no left shifts. `r3` is the number
of words | the channel of the first one << 7.
"""


# Weights and vectors are addressed by their ends. lr: from a row to the next one.
def sums_of_cells():
    slots = "sums", "rows", "words", "cell", "cells", "line", "vector", "lines"
    t = Thumb("sums_of_cells", _CELLS, arguments=4, slots=slots)
    line, cell, next_line, done = map(t.new_label, ("line", "cell", "next_line", "all_done"))
    t.store(R2, "sums")
    t.lsl(R4, R3, 16)
    t.lsr(R4, R4, 25)
    t.store(R4, "rows")
    t.lsl(R4, R4, 2)
    t.add(R4, R2)
    t.store(R4, "words")
    t.ldr(R5, R4, 0)
    t.mov(LR, R5)
    t.ldr(R5, R4, 12)
    t.store(R5, "lines")
    lengths(t)
    t.add(R0, R3)
    t.store(R0, "line")
    t.add(R1, R3)
    t.store(R1, "vector")
    left_out(t)
    t.label(line)
    t.load(R4, "words")
    t.ldr(R1, R4, 4)
    t.store(R1, "cells")
    t.load(R6, "vector")
    t.load(R5, "line")
    t.label(cell)
    t.store(R5, "cell")
    t.load(R1, "sums")
    t.mov(R9, R1)
    t.load(R1, "rows")
    t.mov(R10, R1)
    rows(t, LR)
    t.load(R1, "cells")
    t.sub(R1, 1)
    t.branch("eq", next_line)
    t.store(R1, "cells")
    t.load(R4, "words")
    t.ldr(R1, R4, 8)
    t.load(R5, "cell")
    t.sub(R5, R1)
    t.add(R6, R11)
    t.b(cell)
    t.label(next_line)
    t.load(R1, "lines")
    t.sub(R1, 1)
    t.branch("eq", done)
    t.store(R1, "lines")
    t.load(R4, "words")
    t.ldr(R1, R4, 16)
    t.load(R5, "line")
    t.sub(R5, R1)
    t.store(R5, "line")
    t.ldr(R1, R4, 20)
    t.load(R6, "vector")
    t.add(R6, R1)
    t.store(R6, "vector")
    t.b(line)
    t.label(done)
    return t.text()


# r5: next sum; r7: next output; r8: multiplier; r9: shift; r10: sums left; r11: zero point; r12,
# lr: lowest and highest output less the zero point.
def store_sums():
    t = Thumb("store_sums", _STORE, arguments=4)
    value = t.new_label("value")
    t.mov(R5, R0)
    t.mov(R7, R1)
    t.lsr(R4, R3, 7)
    t.lsl(R3, R3, 25)
    t.lsr(R3, R3, 25)
    t.mov(R10, R3)
    t.ldr(R1, R2, 0)
    t.mov(R11, R1)
    t.ldr(R3, R2, 4)
    t.sub(R3, R3, R1)
    t.mov(R12, R3)
    t.ldr(R3, R2, 8)
    t.sub(R3, R3, R1)
    t.mov(LR, R3)
    t.ldr(R3, R2, 16)
    t.add(R2, 20)
    t.lsl(R3, R3, 2)
    t.add(R3, R2)
    t.add(R3, R4)
    t.mov(R9, R3)
    t.lsl(R4, R4, 2)
    t.add(R4, R2)
    t.mov(R8, R4)
    t.label(value)
    t.ldm(R5, R0)
    t.mov(R1, R8)
    t.ldm(R1, R2)
    t.mov(R8, R1)
    t.mov(R1, R9)
    t.ldrb(R6, R1)
    t.add(R1, 1)
    t.mov(R9, R1)
    t.mov(R1, 32)
    t.sub(R6, R1, R6)
    scale(t)
    clamp(t, R12, LR)
    t.add(R0, R11)
    t.strb(R0, R7)
    t.add(R7, 1)
    t.mov(R1, R10)
    t.sub(R1, 1)
    t.mov(R10, R1)
    t.branch("ne", value)
    return t.text()
