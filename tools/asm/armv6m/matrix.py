# Generator of the assembler kernel that multiplies rows of weights by a vector, for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

from ..common.thumb import R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10, R11, R12, Thumb

_DOT = """
Adds the products of rows of int8 weights at `r0` and the vector of int8 at `r1`, less its zero
point, to the words at `r2`. `r3` is the length of a row << 16 | the number of rows << 9 | the zero
point + 256.
"""
_UNROLLED = 4
_TAP_BYTES = 18  # of code for a tap


# Unpack R3: minus the zero point to R8, the length to R3 and R11. Uses R2 and R4.
def lengths(t):
    t.lsl(R4, R3, 23)
    t.lsr(R4, R4, 23)
    t.mov(R2, 255)
    t.add(R2, 1)
    t.sub(R2, R2, R4)
    t.mov(R8, R2)
    t.lsr(R3, R3, 16)
    t.mov(R11, R3)


# Store in R12 how many bytes of code the first pass of rows() skips. Uses R1 and R2.
def left_out(t):
    t.two("neg", R1, R3)
    t.mov(R2, _UNROLLED - 1)
    t.two("and_", R1, R2)
    t.mov(R2, _TAP_BYTES)
    t.mul(R1, R2)
    t.mov(R12, R1)


# Add the products of the rows, two rows at a time, which share the loads of the vector. An odd
# last row is paired with itself. r0, r3: sums; r1: a weight; r2: an element; r4: minus the number
# of elements left; r5, r7: ends of the two rows; r6: end of the vector; r8: minus the zero point;
# r9: next sum; r10: rows left; r11: length; r12: bytes of code that the first pass skips; `step`:
# from a row to the next one.
def rows(t, step):
    pair, single, taps, last, done = map(t.new_label, ("pair", "single", "taps", "last", "done"))
    t.label(pair)
    t.mov(R1, R9)
    t.mov(R7, R5)
    t.ldr(R0, R1, 0)
    t.mov(R4, R10)
    t.cmp(R4, 1)
    t.branch("eq", single)
    t.ldr(R3, R1, 4)
    t.add(R7, step)
    t.label(single)
    t.mov(R4, R11)
    t.two("neg", R4, R4)
    t.mov(R1, R12)
    t.jump_forward(R1)
    t.label(taps)
    for _ in range(_UNROLLED):
        begin = t.position()
        t.ldrsb_at(R2, R6, R4)
        t.add(R2, R8)
        t.ldrsb_at(R1, R5, R4)
        t.mul(R1, R2)
        t.add(R0, R1)
        t.ldrsb_at(R1, R7, R4)
        t.mul(R1, R2)
        t.add(R3, R1)
        t.add(R4, 1)
        assert t.position() - begin == _TAP_BYTES
    t.branch("ne", taps)
    t.mov(R1, R9)
    t.mov(R4, R10)
    t.sub(R4, 1)
    t.branch("eq", last)
    t.stm(R1, R0, R3)
    t.mov(R9, R1)
    t.sub(R4, 1)
    t.branch("eq", done)
    t.mov(R10, R4)
    t.mov(R5, R7)
    t.add(R5, step)
    t.b(pair)
    t.label(last)
    t.str(R0, R1, 0)
    t.label(done)


def dot():
    t = Thumb("dot", _DOT, arguments=4)
    t.mov(R9, R2)
    t.lsl(R4, R3, 16)
    t.lsr(R4, R4, 25)
    t.mov(R10, R4)
    lengths(t)
    t.add(R1, R3)
    t.mov(R6, R1)
    t.add(R0, R3)
    t.mov(R5, R0)
    left_out(t)
    rows(t, R11)
    return t.text()
