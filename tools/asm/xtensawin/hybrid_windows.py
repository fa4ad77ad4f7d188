# Parts of the hybrid kernels for Xtensa: windows that are clipped to the image
# MIT license; Copyright (c) 2026 the tflm authors

from ..common.record import word_of


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
