# Generator of the assembler kernel of MEAN and SUM for the DSP extension
# MIT license; Copyright (c) 2026 the tflm authors

from ..common.thumb import LR, R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10, R11, R12
from .thumb_dsp import ThumbDsp

_SUMS = """
Sums of int8, less their offset. `r0` is the address of a record of reduce.eval_int8, `r1` of the
first element of the first sum, `r2` of words for the sums. `r3` is the number of sums, which are
neighbours in the innermost kept dimension.
"""

# Offsets of words of the record in bytes.
STEP, OFFSET = 20, 64
ROW, ROWS, PLANES = (36, 40), (44, 48), (52, 56)  # reduced dimensions: length, step

_FOUR = R8, R9, R10, R11
_BIAS = 7  # the offset of a sum is for bytes to which 1 << 7 is added


# r4: step of elements; r5: element; r6: its bytes; r7: elements left; r8..r11: sums; r12: row; lr:
# rows left.
def sums():
    t = ThumbDsp("sums", _SUMS, 4, ("begin", "all_planes", "outputs", "plane", "planes"))
    names = "empty", "next", "one", "plane", "row", "four", "single", "row_done", "summed"
    empty, next_one, one, plane, row, four, single, row_done, summed = map(t.new_label, names)
    store_one, stored = t.new_label("store_one"), t.new_label("stored")
    t.ldr(R4, R0, ROW[0])
    for length, _ in (ROWS, PLANES):
        t.ldr(R5, R0, length)
        t.mul(R4, R5)
    t.mov(R12, R4)  # elements of a sum
    t.lsl(R4, R4, _BIAS)
    t.ldr(R5, R0, OFFSET)
    t.sub(R4, R4, R5)
    t.store(R4, "begin")
    t.mov(R4, R12)
    t.cmp(R4, 0)
    t.branch("eq", empty)
    t.ldr(R4, R0, PLANES[0])
    t.label(empty)
    t.store(R4, "all_planes")  # 0: a sum has no elements
    t.label(next_one)
    t.load(R4, "all_planes")
    t.store(R4, "planes")
    t.store(R1, "plane")
    t.load(R4, "begin")
    for total in _FOUR:
        t.mov(total, R4)
    t.mov(R5, 1)
    t.ldr(R4, R0, STEP)
    t.cmp(R4, 1)
    t.branch("ne", one)
    t.cmp(R3, len(_FOUR))
    t.branch("cc", one)
    t.mov(R5, len(_FOUR))
    t.label(one)
    t.store(R5, "outputs")
    t.label(plane)
    t.load(R4, "planes")
    t.sub(R4, 1)
    t.branch("lt", summed)
    t.store(R4, "planes")
    t.load(R4, "plane")
    t.mov(R12, R4)
    t.ldr(R5, R0, PLANES[1])
    t.add(R4, R5)
    t.store(R4, "plane")
    t.ldr(R4, R0, ROWS[0])
    t.mov(LR, R4)
    t.label(row)
    t.mov(R5, R12)
    t.ldr(R4, R0, ROWS[1])
    t.add(R12, R4)
    t.ldr(R7, R0, ROW[0])
    t.ldr(R4, R0, ROW[1])
    t.load(R6, "outputs")
    t.cmp(R6, 1)
    t.branch("eq", single)
    t.label(four)
    t.ldr(R6, R5)
    t.add(R5, R5, R4)
    for i, total in enumerate(_FOUR):
        t.sxtab(total, total, R6, 8 * i)
    t.sub(R7, 1)
    t.branch("ne", four)
    t.b(row_done)
    t.label(single)
    t.ldrb(R6, R5)
    t.add(R5, R5, R4)
    t.sxtab(R8, R8, R6)
    t.sub(R7, 1)
    t.branch("ne", single)
    t.label(row_done)
    t.mov(R4, LR)
    t.sub(R4, 1)
    t.mov(LR, R4)
    t.branch("ne", row)
    t.b(plane)
    t.label(summed)
    t.load(R5, "outputs")
    t.ldr(R4, R0, STEP)
    t.mul(R4, R5)
    t.add(R1, R4)
    t.cmp(R5, 1)
    t.branch("eq", store_one)
    t.stm_wide(R2, *_FOUR)
    t.b(stored)
    t.label(store_one)
    t.str_next(R8, R2)
    t.label(stored)
    t.sub(R3, R3, R5)
    t.branch("ne", next_one)
    return t.text()
