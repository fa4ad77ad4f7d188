# Assembler macros for Cortex-M0+ that unpack four int8 to two words of 16-bit lanes
# MIT license; Copyright (c) 2026 the tflm authors

from ..common.thumb import R0, R1, R2, R3, R4, R5, R6, R7


# Unpack the word of four int8 at R0 to two words of lanes at R1: elements (0, 2) and (1, 3).
# Flipping the sign bits makes the bytes positive, so that a mask separates them; then 128 is
# subtracted from each lane. Both pointers advance. Uses R3, R4.
def quad(t):
    t.ldm(R0, R3)
    t.two("eor", R3, R6)
    t.lsr(R4, R3, 8)
    t.two("and_", R3, R7)
    t.two("and_", R4, R7)
    t.sub(R3, R5)
    t.sub(R4, R5)
    t.stm(R1, R3, R4)


# Unpack the words from R0 until R2 = R0 + `length` (a register), two words in a pass. If the
# number of words is odd, the loop is entered at its second word.
def quads(t, length):
    loop, odd = t.new_label("quads"), t.new_label("odd")
    t.add(R2, R0, length)
    t.lsl(R4, length, 29)
    t.branch("ne", odd)
    t.label(loop)
    quad(t)
    t.label(odd)
    quad(t)
    t.cmp(R0, R2)
    t.branch("cc", loop)


# Unpack the words from R0 until R2 = R0 + `length` (a register, a multiple of 16 bytes), four
# words in a pass.
def all_quads(t, length):
    loop = t.new_label("quads")
    t.add(R2, R0, length)
    t.label(loop)
    for _ in range(4):
        quad(t)
    t.cmp(R0, R2)
    t.branch("cc", loop)


# Set the constants that quad() requires: R5 = 0x00800080, R6 = 0x80808080, R7 = 0x00ff00ff. Uses
# R4.
def constants(t):
    t.mov(R5, 0x80)
    t.lsl(R6, R5, 16)
    t.add(R5, R6)
    t.lsl(R6, R5, 8)
    t.add(R6, R5)
    t.mov(R7, 0xFF)
    t.lsl(R4, R7, 16)
    t.add(R7, R4)
