# Parts of float32 convolutions for Xtensa: windows, and the pixels that have a whole one
# MIT license; Copyright (c) 2026 the tflm authors

from ..common.record import word_of
from .channels_float import operand

# Slots of the frame that begin() and the functions after it write.
FRAME = (
    "record",
    "input",
    "weights",
    "bias",
    "output",
    "start",  # the next unit
    "stop",
    "separate",  # 1 if the output does not overlap the input
    "channel",  # of the next unit
    "batch",
    "column",  # of the first pixel in the output
    "first_height",  # first row of the filter inside of the image
    "count_height",  # rows of the filter inside of the image
    "at_height",  # row of the image where they begin
    "first_width",  # first column of the filter inside of the image
    "count_width",
    "at_width",
    "pixels",  # that are computed together: an even number, or 1
)


def begin(t, layout, has_channels):
    """Store the arguments, the operands and `separate`.

    has_channels: a unit is a channel of a pixel; otherwise it is a pixel.
    """
    record = "a2"
    t.store(record, "record")
    t.store("a5", "start")
    t.store("a6", "stop")
    for name in ("input", "weights", "bias", "output"):
        operand(t, layout, name, (record, "a3", "a4", "a7", "a8"))
    # Outputs: of all units in a5, of an image in a6.
    t.l32i("a5", record, 0)
    t.l32i("a7", record, word_of(layout, "output_channels"))
    if not has_channels:
        t.mull("a5", "a5", "a7")
    t.l32i("a6", record, word_of(layout, "output_height"))
    t.mull("a6", "a6", "a7")
    t.l32i("a7", record, word_of(layout, "output_width"))
    t.mull("a6", "a6", "a7")
    t.quou("a6", "a5", "a6")
    for name in ("input_height", "input_width", "input_channels"):
        t.l32i("a7", record, word_of(layout, name))
        t.mull("a6", "a6", "a7")
    separate = t.new_label("separate")
    t.load("a7", "input")
    t.load("a8", "output")
    t.addx4("a6", "a6", "a7")
    t.addx4("a5", "a5", "a8")
    t.movi("a9", 1)
    t.bgeu("a8", "a6", separate)
    t.bgeu("a7", "a5", separate)
    t.movi("a9", 0)
    t.label(separate)
    t.store("a9", "separate")


def clip_window(t, layout, pixel):
    """Clip the window of a pixel (a register, overwritten) to the image. a2 is the record.

    Stores `batch`, `column`, and first, count and at of both sides. Uses a3 to a9.
    """
    t.l32i("a3", "a2", word_of(layout, "output_width"))
    t.quou("a4", pixel, "a3")
    t.mull("a3", "a4", "a3")
    t.sub("a3", pixel, "a3")
    t.store("a3", "column")
    t.l32i("a5", "a2", word_of(layout, "output_height"))
    t.quou("a6", "a4", "a5")
    t.store("a6", "batch")
    t.mull("a5", "a6", "a5")
    t.sub("a4", "a4", "a5")
    for side, position in (("height", "a4"), ("width", "a3")):
        _clip(t, layout, side, position)


# Clip one side of a window; uses a5 to a9 and `at`.
def _clip(t, layout, side, at):
    inside = t.new_label("inside")
    dilation, first, size, x = "a5", "a6", "a7", "a8"
    t.l32i(x, "a2", word_of(layout, "stride_" + side))
    t.mull(at, at, x)
    t.l32i(x, "a2", word_of(layout, "padding_" + side))
    t.sub(at, at, x)
    t.l32i(dilation, "a2", word_of(layout, "dilation_" + side))
    t.movi(first, 0)
    t.bgez(at, inside)
    # first = ceil(-at / dilation)
    t.sub(first, dilation, at)
    t.addi(first, first, -1)
    t.quou(first, first, dilation)
    t.mull(x, first, dilation)
    t.add(at, at, x)
    t.label(inside)
    t.l32i(size, "a2", word_of(layout, "input_" + side))
    t.sub(size, size, at)
    t.add(size, size, dilation)
    t.addi(size, size, -1)
    t.movi(x, 0)
    t.max(size, size, x)
    t.quou(size, size, dilation)
    t.l32i("a9", "a2", word_of(layout, "filter_" + side))
    t.sub("a9", "a9", first)
    t.min(size, size, "a9")
    t.max(size, size, x)
    t.store(first, "first_" + side)
    t.store(size, "count_" + side)
    t.store(at, "at_" + side)


def first_input(t, layout, step, bits, width):
    """Store in `source` the address of the first input of the clipped window. a2 is the record.

    step: register with the elements of a pixel; an element is 1 << bits bytes. width: register
    that becomes the width of the image. Uses a3 and a4.
    """
    x, pixel = "a3", "a4"
    # source = input + ((batch * height + row) * width + column) * step
    t.l32i(x, "a2", word_of(layout, "input_height"))
    t.l32i(width, "a2", word_of(layout, "input_width"))
    t.load(pixel, "batch")
    t.mull(pixel, pixel, x)
    t.load(x, "at_height")
    t.add(pixel, pixel, x)
    t.mull(pixel, pixel, width)
    t.load(x, "at_width")
    t.add(pixel, pixel, x)
    t.mull(pixel, pixel, step)
    t.load(x, "input")
    (t.add, t.addx2, t.addx4)[bits](pixel, pixel, x)
    t.store(pixel, "source")


def first_weight(t, layout, step, to, width):
    """Set `to` to the offset of the clipped window's first weight. a2 is the record. Uses a3.

    step: register with the elements of a cell. width: register that becomes the filter's width.
    """
    t.l32i(width, "a2", word_of(layout, "filter_width"))
    t.load(to, "first_height")
    t.mull(to, to, width)
    t.load("a3", "first_width")
    t.add(to, to, "a3")
    t.mull(to, to, step)


def first_window(t, layout, step, width):
    """Store in `window` the address of the clipped window's first weight. Uses a3 and a4."""
    first_weight(t, layout, step, "a4", width)
    t.load("a3", "weights")
    t.add("a4", "a4", "a3")
    t.store("a4", "window")


def store_rows(t, columns):
    """Store the rows of the clipped window in `rows`: 0 if no column is inside of the image."""
    t.load("a3", "count_height")
    t.moveqz("a3", columns, columns)
    t.store("a3", "rows")


def count_pixels(t, layout, has_channels):
    """Store in `pixels` how many pixels of a row have all columns of this window: 1, or even.

    a2 is the record. Uses a3 to a7.
    """
    done = t.new_label("counted")
    t.movi("a3", 1)
    t.load("a4", "separate")
    t.beqz("a4", done)
    if has_channels:
        t.load("a4", "channel")
        t.bnez("a4", done)
    t.load("a4", "first_width")
    t.bnez("a4", done)
    t.load("a4", "count_width")
    t.l32i("a5", "a2", word_of(layout, "filter_width"))
    t.bne("a4", "a5", done)
    # Pixels of this call, then of this row of the output, then with windows inside of the image
    t.load("a4", "stop")
    t.load("a6", "start")
    t.sub("a4", "a4", "a6")
    if has_channels:
        t.l32i("a6", "a2", word_of(layout, "output_channels"))
        t.quou("a4", "a4", "a6")
    t.l32i("a6", "a2", word_of(layout, "output_width"))
    t.load("a7", "column")
    t.sub("a6", "a6", "a7")
    t.min("a4", "a4", "a6")
    t.addi("a5", "a5", -1)
    t.l32i("a6", "a2", word_of(layout, "dilation_width"))
    t.mull("a5", "a5", "a6")
    t.load("a6", "at_width")
    t.add("a5", "a5", "a6")
    t.l32i("a6", "a2", word_of(layout, "input_width"))
    t.sub("a6", "a6", "a5")
    t.addi("a6", "a6", -1)
    t.l32i("a5", "a2", word_of(layout, "stride_width"))
    t.quou("a6", "a6", "a5")
    t.addi("a6", "a6", 1)
    t.min("a4", "a4", "a6")
    t.srli("a4", "a4", 1)
    t.beqz("a4", done)
    t.slli("a3", "a4", 1)
    t.label(done)
    t.store("a3", "pixels")
