# Steps of Thumb kernels that read a convolution's record: operands and windows
# MIT license; Copyright (c) 2026 the tflm authors

from .record import word_of
from .thumb import R0, R1, R2, R3, R4, R5, R6, R7

at = word_of


# Load the address of the operand word in R4 into R5. r1: arena, r2: model. Uses R6. The shift
# t.asr keeps the sign: tflm.run.streaming sets words of memory before the arena.
def address(t, shift=None):
    in_arena = t.new_label("in_arena")
    (shift or t.lsr)(R5, R4, 2)
    t.mov(R6, R1)
    t.lsr(R4, R4, 1)
    t.branch("cc", in_arena)
    t.mov(R6, R2)
    t.label(in_arena)
    t.add(R5, R6)


# The subroutine `divide`: R0 becomes the remainder of R0 by R1, R2 the quotient. Uses R3. Both are
# less than 2 ** 31.
def division(t, label):
    double, halve, less, done = map(t.new_label, ("double", "halve", "less", "done"))
    t.label(label)
    t.mov(R2, 0)
    t.mov(R3, 1)
    t.label(double)
    t.cmp(R1, R0)
    t.branch("hi", halve)
    t.lsl(R1, R1, 1)
    t.lsl(R3, R3, 1)
    t.b(double)
    t.label(halve)
    t.lsr(R3, R3, 1)
    t.branch("eq", done)
    t.lsr(R1, R1, 1)
    t.cmp(R0, R1)
    t.branch("cc", less)
    t.sub(R0, R1)
    t.two("orr", R2, R3)
    t.label(less)
    t.b(halve)
    t.label(done)
    t.ret()


# Find the cells of the filter in the image on one side, "height" or "width": R0 becomes the first
# row or column of the image, R1 of the filter, R4 their number. r0: position of the output, r7:
# record. Uses R2, R3, R5 and R6.
def in_image(t, layout, side):
    before, inside, cell, last = map(t.new_label, ("before", "inside", "cell", "last"))
    t.ldr(R1, R7, word_of(layout, "stride_" + side))
    t.mul(R0, R1)
    t.ldr(R1, R7, word_of(layout, "padding_" + side))
    t.sub(R0, R1)
    if "dilation_" + side in layout:
        t.ldr(R2, R7, word_of(layout, "dilation_" + side))
    else:
        t.mov(R2, 1)
    t.ldr(R3, R7, word_of(layout, "filter_" + side))
    t.mov(R1, 0)
    t.label(before)
    t.cmp(R0, 0)
    t.branch("ge", inside)
    t.cmp(R1, R3)
    t.branch("ge", inside)
    t.add(R0, R2)
    t.add(R1, 1)
    t.b(before)
    t.label(inside)
    t.sub(R3, R1)
    t.mov(R4, 0)
    t.mov(R5, R0)
    t.ldr(R6, R7, word_of(layout, "input_" + side))
    t.label(cell)
    t.cmp(R4, R3)
    t.branch("eq", last)
    t.cmp(R5, R6)
    t.branch("ge", last)
    t.add(R4, 1)
    t.add(R5, R2)
    t.b(cell)
    t.label(last)
