# Steps that the assembler kernels for RV32 share: operands, windows and limits
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.conv_float import CONV

from ..common.record import word_of
from .products_float import SUM

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


def operands(t, arena, model, layout=CONV):
    """Store the addresses of the operands in slots; `bias` is 0 without one. Uses t0 to t2."""
    absent = t.new_label("absent")
    for name in ("input", "weights", "output"):
        address(t, "t2", word_of(layout, name), arena, model)
        t.store("t2", name)
    t.store("zero", "bias")
    t.lw("t0", RECORD, word_of(layout, "bias"))
    t.li("t1", 1)
    t.branch("beq", "t0", "t1", absent)
    address(t, "t2", word_of(layout, "bias"), arena, model)
    t.store("t2", "bias")
    t.label(absent)


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


def next_pixel(t, layout, window, line=None):
    """Advance to the next pixel of the output. Uses a0 and a1.

    Goes to `window`; to `line`, if given, for the first pixel of a row.
    """
    for name, size, label in (
        ("x", "output_width", window),
        ("y", "output_height", line or window),
    ):
        t.load("a0", name)
        t.addi("a0", "a0", 1)
        t.store("a0", name)
        t.lw("a1", RECORD, word_of(layout, size))
        t.branch("bne", "a0", "a1", label)
        t.store("zero", name)
    t.load("a0", "batch")
    t.addi("a0", "a0", 1)
    t.store("a0", "batch")
    t.jump(line or window)


def find_row(t, layout):
    """Find the rows of the window of the output pixel.

    Stores their number in `rows`. t0 becomes the number of the pixel of the image where the first
    row begins, t1 the image's width, and a1 the first row of the filter.
    """
    t.load("a0", "y")
    in_image(t, layout, "height")
    t.store("a4", "rows")
    t.load("t0", "batch")
    t.lw("t1", RECORD, word_of(layout, "input_height"))
    t.mul("t0", "t0", "t1")
    t.add("t0", "t0", "a0")
    t.lw("t1", RECORD, word_of(layout, "input_width"))
    t.mul("t0", "t0", "t1")


def find_cells(t, layout):
    """Find the cells of the window of the output pixel.

    Stores its rows in `rows`. t0 becomes the number of the first pixel of the image, t1 the width
    of the image, t2 the number of the first cell of the filter, t4 the width of the filter, a4 the
    columns of the image.
    """
    find_row(t, layout)
    t.lw("t4", RECORD, word_of(layout, "filter_width"))
    t.mul("t2", "a1", "t4")
    t.load("a0", "x")
    in_image(t, layout, "width")
    t.add("t0", "t0", "a0")
    t.add("t2", "t2", "a1")


def require_rows(t, run):
    """Make a window without a row of the image one row of no bytes in `run`. Uses a0."""
    some = t.new_label("some")
    t.load("a0", "rows")
    t.branch("bne", "a0", "zero", some)
    t.li(run, 0)
    t.li("a0", 1)
    t.store("a0", "rows")
    t.label(some)


def number_done(t, bail):
    """Store the number of outputs that are done; the function returns it."""
    t.label(bail)
    t.load("a0", "count")
    t.load("a1", "left")
    t.sub("a0", "a0", "a1")
    t.store("a0", "done")


def limits(t, offset):
    """Store the limits of the activation, which are at an offset of the record. Uses t0 to t2."""
    for i, name in enumerate(("low", "high")):
        t.lw("t0", RECORD, offset + 4 * i)
        t.store("t0", name)
        key(t, "t1", "t0", "t2")
        t.store("t1", name + "_key")


def key(t, to, bits, temporary):
    """Convert the bits of a float32 to an integer; integers are ordered as the numbers are.

    The integers for 0.0 and -0.0 are equal.
    """
    t.srai(temporary, bits, 31)
    t.srli(to, temporary, 1)
    t.xor(to, to, bits)
    t.sub(to, to, temporary)


def clamp(t):
    """Clamp the float32 in SUM. Uses t0 to t2."""
    above, inside = t.new_label("above"), t.new_label("inside")
    key(t, "t0", SUM, "t1")
    t.load("t1", "low_key")
    t.branch("bge", "t0", "t1", above)
    t.load(SUM, "low")
    t.label(above)
    t.load("t1", "high_key")
    t.branch("bge", "t1", "t0", inside)
    t.load(SUM, "high")
    t.label(inside)
