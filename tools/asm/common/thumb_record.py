# Steps of Thumb kernels that read a convolution's record: operands, windows and pixels
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


# Store the addresses of the operands. r0: record, r1: arena, r2: model, r3 stays.
def operands(t, layout):
    for name in ("input", "weights"):
        t.ldr(R4, R0, word_of(layout, name))
        address(t)
        t.store(R5, name)
    absent = t.new_label("absent")
    t.ldr(R4, R0, word_of(layout, "bias"))
    t.mov(R5, 0)
    t.cmp(R4, 1)
    t.branch("eq", absent)
    address(t)
    t.label(absent)
    t.store(R5, "bias")
    t.ldr(R4, R0, word_of(layout, "output"))
    address(t)
    t.store(R5, "output")


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


# Advance to the next pixel of the output and go to `window`; to `line`, if given, for the first
# pixel of a row. `layout` has WINDOWS.
def next_pixel(t, layout, window, line=None):
    t.load(R7, "record")
    for name, size, label in (
        ("x", "output_width", window),
        ("y", "output_height", line or window),
    ):
        t.load(R0, name)
        t.add(R0, 1)
        t.store(R0, name)
        t.ldr(R1, R7, word_of(layout, size))
        t.cmp(R0, R1)
        t.branch_far("ne", label)
        if name == "x":
            t.mov(R3, 0)
        t.store(R3, name)
    t.load(R0, "batch")
    t.add(R0, 1)
    t.store(R0, "batch")
    t.b(line or window)


# Store x, y and batch of the pixel whose number is in R0. r5: record. `divide`: see division().
# Uses R1 to R3.
def coordinates(t, layout, divide):
    for size, name in (("output_width", "x"), ("output_height", "y")):
        t.ldr(R1, R5, word_of(layout, size))
        t.bl(divide)
        t.store(R0, name)
        t.mov(R0, R2)
    t.store(R0, "batch")


# Store the number of units in R3, and leave the first one in R4.
def first_and_count(t, *slots):
    t.lsr(R4, R3, 10)
    t.lsl(R3, R3, 22)
    t.lsr(R3, R3, 22)
    for slot in slots:
        t.store(R3, slot)


# Load the number of outputs that are done, which the function returns. Uses R1.
def number_done(t):
    t.load(R0, "count")
    t.load(R1, "left")
    t.sub(R0, R1)


# Find the window of the output pixel of DEPTHWISE_CONV_2D: store `rows`, the addresses of the
# first input, `window`, and its weight, `filter`, and the bytes from the end of a row to the next
# one, `input_gap` and `weights_gap`.
#
# bits: 1 << bits bytes are an input. cells: slot for the columns of the image. input_step and
# weights_step: macros that load the bytes from one cell to the next into R2. R0 becomes the number
# of columns, R2 the bytes of the image from the first one to the end of the last one, R4 the rows.
def depthwise_window(t, layout, bits, cells, input_step, weights_step):
    t.load(R7, "record")
    t.load(R0, "x")
    in_image(t, layout, "width")
    t.store(R0, "window")
    t.store(R1, "filter")
    t.store(R4, cells)
    t.load(R0, "y")
    in_image(t, layout, "height")  # r6: height of the image
    t.store(R4, "rows")
    t.load(R2, "batch")
    t.mul(R2, R6)
    t.add(R2, R0)
    t.ldr(R5, R7, word_of(layout, "input_width"))
    t.mul(R2, R5)
    t.load(R0, "window")
    t.add(R2, R0)  # the first pixel
    t.ldr(R6, R7, word_of(layout, "input_channels"))
    t.lsl(R6, R6, bits)
    t.mul(R2, R6)
    t.load(R0, "input")
    t.add(R2, R0)
    t.store(R2, "window")
    t.ldr(R3, R7, word_of(layout, "filter_width"))
    t.mul(R1, R3)
    t.load(R0, "filter")
    t.add(R1, R0)  # the first cell of the filter
    weights_step(t)
    t.mul(R1, R2)
    t.load(R0, "weights")
    t.add(R1, R0)
    t.store(R1, "filter")
    t.load(R0, cells)
    t.sub(R3, R0)
    t.mul(R3, R2)
    t.store(R3, "weights_gap")
    t.ldr(R1, R7, word_of(layout, "dilation_height"))
    t.mul(R1, R5)
    t.mul(R1, R6)
    input_step(t)
    t.mul(R2, R0)
    t.sub(R1, R2)
    t.store(R1, "input_gap")
