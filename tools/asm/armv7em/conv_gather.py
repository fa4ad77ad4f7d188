# Generator of the assembler kernel that gathers the windows of pairs of pixels as lanes
# MIT license; Copyright (c) 2026 the tflm authors

from ..common.thumb import LR, R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10, R11, R12
from .thumb_dsp import ThumbDsp

# Words of the parameter block.
GATHER = (
    "source",  # address of the first window in its first row that is in the image
    "lanes",  # target
    "pairs",
    "pixel_step",  # bytes of the image from one pixel of a pair to the other
    "pair_step",  # bytes of the image from one pair to the next
    "run",  # bytes of a window in one row
    "row_step",  # bytes from one row of the window to the next
    "above",  # bytes of the window above the image
    "rows",  # rows of the window in the image
    "below",  # bytes of the window below the image
    "at",  # byte of the image's row where the first window begins; may be negative
    "last",  # where the last window that is completely in the image begins
    "row_bytes",  # of the image
    "fill",  # zero points: two halfwords
    "fill_bytes",  # zero points: four bytes
    "is_whole",  # 1: runs are whole words
    "window",  # bytes of a window, rounded up to whole words
    "spare",  # memory for two windows
)

_GATHER = """
Unpack the windows of pairs of pixels, int8, to lanes: for each two elements a word of one pixel,
then one of the other. `r0` is the address of a block of parameters (GATHER in
tools/asm/armv7em/conv_gather.py).
"""


# Unpack the words from R0 and R1 to lanes at R8 until R0 is R12: four elements of each pixel, the
# even ones in one word and the odd ones in the next. Uses R2..R6.
def _interleave(t):
    loop = t.new_label("quads")
    t.label(loop)
    t.ldr_next(R4, R0)
    t.ldr_next(R6, R1)
    t.sxtb16(R2, R4)
    t.sxtb16(R3, R6)
    t.sxtb16(R4, R4, 8)
    t.sxtb16(R5, R6, 8)
    t.stm_wide(R8, R2, R3, R4, R5)
    t.cmp(R0, R12)
    t.branch("cc", loop)


# Fill the lanes of `count` (a slot) bytes of both windows. Uses R2..R6.
def _fill_lanes(t, count):
    done, loop = t.new_label("filled"), t.new_label("fill")
    t.load(R6, count)
    t.cmp(R6, 0)
    t.branch("eq", done)
    t.load(R2, "fill")
    for register in (R3, R4, R5):
        t.mov(register, R2)
    t.label(loop)
    t.stm_wide(R8, R2, R3, R4, R5)
    t.sub(R6, 4)
    t.branch("hi", loop)
    t.label(done)


# Fill R6 bytes at R1, which advances. Uses R5.
def _fill_bytes(t):
    done, loop = t.new_label("filled"), t.new_label("fill")
    t.cmp(R6, 0)
    t.branch("eq", done)
    t.load(R5, "fill_bytes")
    t.label(loop)
    t.strb_next(R5, R1)
    t.sub(R6, 1)
    t.branch("ne", loop)
    t.label(done)


# Copy R6 bytes from R0 to R1; both advance. Words need not be aligned. Uses R5.
def _copy(t):
    words, rest, byte, done = map(t.new_label, ("words", "rest", "byte", "done"))
    t.sub(R6, 4)
    t.branch("cc", rest)
    t.label(words)
    t.ldr_next(R5, R0)
    t.str_next(R5, R1)
    t.sub(R6, 4)
    t.branch("cs", words)
    t.label(rest)
    t.add(R6, 4)
    t.branch("eq", done)
    t.label(byte)
    t.ldrb_next(R5, R0)
    t.strb_next(R5, R1)
    t.sub(R6, 1)
    t.branch("ne", byte)
    t.label(done)


# R6 = min(R6, `limit`), signed.
def _at_most(t, limit):
    less = t.new_label("less")
    t.cmp(R6, limit)
    t.branch("le", less)
    t.mov(R6, limit)
    t.label(less)


# Copy the bytes of one window to R1. R0 is its address in the first row, R2 the byte in that row.
def _bytes(t):
    row, inside, not_beyond, below = map(t.new_label, ("row", "inside", "not_beyond", "below"))
    t.load(R6, "above")
    _fill_bytes(t)
    t.load(R3, "rows")
    t.cmp(R3, 0)
    t.branch_far("eq", below)
    t.label(row)
    t.mov(R9, R0)
    t.mov(R4, R2)
    t.load(R7, "run")
    t.cmp(R4, 0)
    t.branch("ge", inside)
    t.note("bytes at the left of the image")
    t.two("neg", R6, R4)
    _at_most(t, R7)
    t.sub(R7, R6)
    t.add(R0, R6)
    t.add(R4, R6)
    _fill_bytes(t)
    t.label(inside)
    t.load(R6, "row_bytes")
    t.sub(R6, R4)
    t.branch("ge", not_beyond)
    t.mov(R6, 0)
    t.label(not_beyond)
    _at_most(t, R7)
    t.sub(R7, R6)
    _copy(t)
    t.note("bytes at the right of the image")
    t.mov(R6, R7)
    _fill_bytes(t)
    t.load(R0, "row_step")
    t.add(R0, R9)
    t.sub(R3, 1)
    t.branch_far("ne", row)
    t.label(below)
    t.load(R6, "below")
    _fill_bytes(t)


# r0, r1: the two windows; r2..r6: words; r7: rows left; r8: lanes; r9: row; r10: first window;
# r11: byte of the row where it begins; r12: end of a run; lr: pairs left.
def gather():
    t = ThumbDsp("gather", _GATHER, slots=GATHER)
    t.load_parameters(GATHER, GATHER)
    for name, register in (("lanes", R8), ("source", R10), ("at", R11), ("pairs", LR)):
        t.load(register, name)
    pair, row, below, apart, next_pair = map(
        t.new_label, ("pair", "row", "below", "apart", "next_pair")
    )
    t.label(pair)
    t.load(R2, "is_whole")
    t.cmp(R2, 0)
    t.branch_far("eq", apart)
    t.note("unsigned: windows that begin left of the image are large")
    t.load(R2, "last")
    t.cmp(R11, R2)
    t.branch_far("hi", apart)
    t.load(R3, "pixel_step")
    t.add(R3, R11)
    t.cmp(R3, R2)
    t.branch_far("hi", apart)
    _fill_lanes(t, "above")
    t.load(R7, "rows")
    t.mov(R9, R10)
    t.cmp(R7, 0)
    t.branch_far("eq", below)
    t.label(row)
    t.mov(R0, R9)
    t.load(R1, "pixel_step")
    t.add(R1, R9)
    t.load(R2, "run")
    t.add_wide(R12, R0, R2)
    _interleave(t)
    t.load(R2, "row_step")
    t.add(R9, R2)
    t.sub(R7, 1)
    t.branch("ne", row)
    t.label(below)
    _fill_lanes(t, "below")
    t.label(next_pair)
    t.load(R2, "pair_step")
    t.add(R10, R2)
    t.add(R11, R2)
    t.subs_number(LR, 1)
    t.branch_far("ne", pair)
    end = t.new_label("end")
    t.b(end)
    t.note("copy the bytes of both windows to spare memory")
    t.label(apart)
    t.store(LR, "pairs")
    t.load(LR, "spare")
    t.mov(R0, R10)
    t.mov(R2, R11)
    window = t.new_label("window")
    t.label(window)
    t.mov(R1, LR)
    _bytes(t)
    t.load(R3, "window")
    t.add(LR, R3)
    t.load(R0, "pixel_step")
    t.add(R2, R0)
    t.add(R0, R10)
    t.load(R1, "spare")
    t.add(R1, R3)
    t.cmp(LR, R1)
    t.branch_far("eq", window)
    t.load(R0, "spare")
    t.mov(R12, R1)
    _interleave(t)
    t.load(LR, "pairs")
    t.b(next_pair)
    t.label(end)
    return t.text()
