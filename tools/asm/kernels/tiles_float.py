# Kernel language: pixels of convolutions of float32 that are computed together, for an FPU
# MIT license; Copyright (c) 2026 the tflm authors

from ..language.macros import Record
from ..language.windows import each_window


class Convolution:
    """A convolution whose tiles are `at_once` pixels of a row of the output.

    Their windows have all columns in the image. layout: of the record; it has WINDOWS of
    prepare/convolution.py. too_few: that number of pixels at the end of a row, and less, is
    computed one by one.
    """

    def __init__(self, k, layout, at_once, too_few):
        self.k, self.at_once, self._too_few = k, at_once, too_few
        op, arena, rom, *_ = k.arguments
        self.record = r = Record(k, op, layout)
        self._operands = r.operand("input", arena, rom), r.operand("weights", arena, rom)
        self.bias = r.optional_operand("bias", arena, rom)
        self._output = r.operand("output", arena, rom)
        self.limits = op, r.offset("activation_min")
        self.output_channels = r.output_channels
        self.pixel_step = k.var("pixel_step", r.stride_width * r.input_channels << 2)
        self.output_step = k.var("output_step", self.output_channels << 2)
        self._last = self._last_inside()

    def begin(self, pixel, outputs, is_separate):
        """Set the first pixel. outputs: number of all outputs.

        is_separate: whether a tile reads all its inputs before its first output is written.
        """
        k = self.k
        self._pixel, self.to = pixel, k.var("to", self._output + pixel * self.output_step)
        self._is_separate = is_separate
        self._find_overlap(outputs)

    # Set `is_separate` if no output is in the memory of an input.
    def _find_overlap(self, outputs):
        k, r, image = self.k, self.record, self._operands[0]
        known, apart, images = k.new_label("known"), k.new_label("apart"), k.reg("images")
        k.emit("divu", [images], [outputs, r.output_height * r.output_width * r.output_channels])
        size = images * r.input_height * r.input_width * r.input_channels << 2
        k.branch(self._output.not_below(image + size), apart)
        k.branch(image.below(self._output + (outputs << 2)), known)
        k.label(apart)
        self._is_separate.set(1)
        k.label(known)

    # Return the last column of the output whose window ends inside of the image, or -1.
    def _last_inside(self):
        k, r = self.k, self.record
        reach = (r.filter_width - 1) * r.dilation_width
        last = k.var("last_inside", r.input_width - 1 + r.padding_width - reach)
        with k.If(last >= 0):
            k.emit("divu", [last], [last, r.stride_width])
            last.set(last.min(r.output_width - 1))
        return last

    def each_row(self, weight_step, compute):
        """Call compute(Window, batch) in a loop that ends with a jump to `done`."""
        self.done = self.k.new_label("done")
        each_window(self.k, self.record, self._pixel, self._operands, 2, weight_step, compute)
        self.k.label(self.done)

    def count(self, window, left, single):
        """Return how many pixels, from this one on, are computed in tiles, or 1 for none.

        left: the most of them. single: label that leads to 1.
        """
        k, r = self.k, self.record
        pixels = left.min(self._last - window.x + 1)
        k.branch(window.cells != r.filter_width, single)
        with k.If(self._is_separate == 0):
            # All outputs of the pixels must be before the first input that they need.
            for largest in (self.at_once, 1):
                with k.If((self.to + pixels * self.output_step).above(window.input)):
                    pixels.set(pixels.min(largest))
        rest = pixels & self.at_once - 1
        with k.If(rest <= self._too_few):
            pixels -= rest
        return pixels

    def each_tile(self, x, to, count, compute):
        """Call compute(addresses of inputs, outputs) in a loop over tiles of `count` pixels.

        x, to: addresses of the first input and output. outputs: a function that returns addresses.
        """
        k = self.k
        x, to, left = k.var("x", x), k.var("to", to), k.var("pixels_left", count)
        with k.loop("tile", times=8) as tile:
            xs = self._addresses(x, self.pixel_step, left, "x")
            compute(xs, lambda: self._addresses(to, self.output_step, left, "to"))
            x += self.pixel_step * self.at_once
            to += self.output_step * self.at_once
            left -= self.at_once
            tile.repeat_if(left > 0)

    # Return addresses of the pixels of a tile. The last one of `left` stands for missing ones.
    def _addresses(self, first, step, left, name):
        k = self.k
        found = [k.var(f"{name}0", first)]
        for i in range(1, self.at_once):
            found.append(k.var(f"{name}{i}", found[-1] + step))
        if self.at_once > 2:
            with k.If(left < 4, rare=True):
                with k.If(left == 2):
                    found[2].set(found[1])
                found[3].set(found[2])
        return found
