# Kernel language: the windows of a filter over an image, for convolutions
# MIT license; Copyright (c) 2026 the tflm authors

from .macros import in_image


class Window:
    """The cells of the filter that are in the image, for one output pixel.

    input, filter: addresses of the first input and of its weight. rows, cells: number of rows, and
    of cells in a row. step: bytes of the image from one cell to the next. span: bytes of the image
    from the first cell of a row to the end of the last one. gap: from there to the next row.
    weight_gap: the same for the weights. area: number of cells. x: column of the pixel.
    """

    def __init__(self, k, r, shift, line, x, weight_step):
        rows, line_input, line_filter = line
        at, first, cells = in_image(k, r, "width", x)
        self.x = x
        pixel_bytes = k.var("pixel_bytes", r.input_channels << shift)
        self.rows, self.cells = rows, cells
        self.input = k.var("window", line_input + at * pixel_bytes)
        self.step = k.var("step", r.dilation_width * pixel_bytes)
        self.span = k.var("span", self.step * cells)
        self.gap = k.var("gap", r.dilation_height * r.input_width * pixel_bytes - self.span)
        self.filter = k.var("filter", line_filter + first * weight_step)
        self.weight_gap = k.var("weight_gap", (r.filter_width - cells) * weight_step)
        self.area = k.var("area", rows * cells)


def each_window(k, r, pixel, operands, shift, weight_step, compute, find=Window):
    """Call compute(Window, batch) once, in a loop over output pixels from `pixel` on.

    The loop has no end: the operations of `compute` leave it. If it computes several pixels of a
    row, it returns a register with their number. r: Record with WINDOWS of
    prepare/convolution.py. operands: addresses of the image and of the weights; without the latter
    `filter` of a Window is the distance to its first weight. 1 << shift: bytes of an input.
    weight_step: bytes of the weights from one cell to the next. find: a function that returns a
    Window, with the same arguments.
    """
    image, weights = operands
    x, y, batch = k.vars("x y batch")
    k.emit("divu", [y], [pixel, r.output_width])
    x.set(pixel - y * r.output_width)
    k.emit("divu", [batch], [y, r.output_height])
    y -= batch * r.output_height
    with k.loop("line", 4) as lines:
        at, first, rows = in_image(k, r, "height", y)
        row = (batch * r.input_height + at) * r.input_width
        line_input = k.var("line_input", image + (row * r.input_channels << shift))
        distance = first * r.filter_width * weight_step
        line_filter = k.var("line_filter", weights + distance if weights else distance)
        with k.loop("pixel") as loop:
            line = rows, line_input, line_filter
            x += compute(find(k, r, shift, line, x, weight_step), batch) or 1
            loop.repeat_if(x != r.output_width)
        x.set(0)
        y += 1
        with k.If(y == r.output_height):
            y.set(0)
            batch += 1
        lines.repeat()
