# Steps that the kernels for RV32 share: operands and windows
# MIT license; Copyright (c) 2026 the tflm authors

from ..common.record import word_of

RECORD = "s3"
at = word_of


def address(t, to, offset, arena, model):
    """Load the address of the operand word at an offset of the record. Uses t0 and t1."""
    in_arena = t.new_label("in_arena")
    t.lw("t0", RECORD, offset)
    t.andi("t1", "t0", 1)
    t.srli(to, "t0", 2)
    t.mv("t0", arena)
    t.branch("beq", "t1", "zero", in_arena)
    t.mv("t0", model)
    t.label(in_arena)
    t.add(to, to, "t0")


def in_image(t, layout, side):
    """Find the cells of the filter in the image on one side, "height" or "width".

    a0: position of the output, becomes the first row or column of the image. a1: becomes the first
    one of the filter, a4 their number. Uses a2 to a6.
    """
    before, inside, cell, last = map(t.new_label, ("before", "inside", "cell", "last"))
    t.lw("a1", RECORD, word_of(layout, "stride_" + side))
    t.mul("a0", "a0", "a1")
    t.lw("a1", RECORD, word_of(layout, "padding_" + side))
    t.sub("a0", "a0", "a1")
    if "dilation_" + side in layout:
        t.lw("a2", RECORD, word_of(layout, "dilation_" + side))
    else:
        t.li("a2", 1)
    t.lw("a3", RECORD, word_of(layout, "filter_" + side))
    t.li("a1", 0)
    t.label(before)
    t.branch("bge", "a0", "zero", inside)
    t.branch("bge", "a1", "a3", inside)
    t.add("a0", "a0", "a2")
    t.addi("a1", "a1", 1)
    t.jump(before)
    t.label(inside)
    t.sub("a3", "a3", "a1")
    t.li("a4", 0)
    t.mv("a5", "a0")
    t.lw("a6", RECORD, word_of(layout, "input_" + side))
    t.label(cell)
    t.branch("beq", "a4", "a3", last)
    t.branch("bge", "a5", "a6", last)
    t.addi("a4", "a4", 1)
    t.add("a5", "a5", "a2")
    t.jump(cell)
    t.label(last)


def coordinates(t, layout):
    """Store x, y and batch of the pixel whose number is in a0. Uses a1 and a2."""
    for size, name in (("output_width", "x"), ("output_height", "y")):
        t.lw("a1", RECORD, word_of(layout, size))
        t.remu("a2", "a0", "a1")
        t.divu("a0", "a0", "a1")
        t.store("a2", name)
    t.store("a0", "batch")


def next_pixel(t, layout, window):
    """Advance to the next pixel of the output, and go to `window`. Uses a0 and a1."""
    for name, size in (("x", "output_width"), ("y", "output_height")):
        t.load("a0", name)
        t.addi("a0", "a0", 1)
        t.store("a0", name)
        t.lw("a1", RECORD, word_of(layout, size))
        t.branch("bne", "a0", "a1", window)
        t.store("zero", name)
    t.load("a0", "batch")
    t.addi("a0", "a0", 1)
    t.store("a0", "batch")
    t.jump(window)
