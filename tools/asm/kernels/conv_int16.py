# Kernel of CONV_2D, int16 with weights of int8, in the kernel language
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.conv_int16 import CONV

from ..language.calls import begin_eval
from ..language.macros import Record
from ..language.windows import each_window
from .vectors_int16 import Vectors

_KEPT_BYTES = 4096  # of weights that a flash cache of 16 KB keeps beside code and records
_ABOUT = """
CONV_2D, int16 with weights of int8. Units are output pixels of batches. op: CONV of
prepare/conv_int16.py.
"""


class _Windows(Vectors):
    """The windows of output pixels are vectors.

    The cells of a row of a window are one run if they touch each other in the image. Otherwise
    `is_scattered` is not 0, and each cell is a run.
    """

    def begin_special(self):
        self.special_runs.set(self.all_runs)
        self.cells_left.set(self.cells)

    def next_special_run(self, xs, ws):
        k, found = self.k, self.k.new_label("found")
        with k.If(self.is_scattered != 0):
            for x in xs:
                x += self.cell_gap
            self.cells_left -= 1
            k.branch(self.cells_left != 0, found)
            self.cells_left.set(self.cells)
        self.next_run(xs, ws)
        k.label(found)


class _Conv:
    def __init__(self, machine):
        self.k, self.start, self.stop = begin_eval("eval_int16", _ABOUT, machine)
        k = self.k
        op, arena, rom, *_ = k.arguments
        self.record = r = Record(k, op, CONV)
        self.operands = [r.operand(name, arena, rom) for name in ("input", "weights")]
        self.depth = r.filter_channels
        area = k.var("filter_area", r.filter_height * r.filter_width)
        count = area * self.depth
        at_once = r.group_channels, r.filter_width * self.depth
        self.vectors = v = _Windows(k, r, (op, arena, rom), count, at_once)
        v.row_step = k.var("row_step", count)
        v.output_step = k.var("output_step", r.output_channels << 1)
        v.cells_left = k.var("cells_left", 0)
        self.to = k.var("to", r.operand("output", arena, rom) + self.start * v.output_step)
        self._find_runs()
        self.part_channels = None
        if v.products.keeps_weights:
            self.part_channels = k.var("part_channels", r.output_channels)
        if v.vectors:
            v.vector_step = k.var("vector_step", r.stride_width * r.input_channels << 1)
            self._check_overlap(op[0])
        self._find_line(op, area)
        if v.vectors:
            self._find_last()
        self.left = k.var("pixels_left", self.stop - self.start)
        k.flush(jump=True)  # branches of Cortex-M0+ reach 2 KB

    def _find_runs(self):
        k, r, v = self.k, self.record, self.vectors
        v.is_scattered = k.var("is_scattered", r.input_channels - self.depth)
        v.is_scattered |= r.dilation_width - 1
        v.is_special = k.var("is_special", v.is_scattered | v.outputs.is_long)
        step = r.dilation_width * r.input_channels - self.depth
        v.cell_gap = k.var("cell_gap", step << 1)

    # Make the image one row if the filter has one cell, so that rows have more pixels.
    def _find_line(self, op, area):
        k, r = self.k, self.record
        width, input_width = k.var("output_width", r.output_width), r.input_width
        differs = width ^ input_width | r.output_height ^ r.input_height
        differs |= area - 1 | r.padding_height | r.padding_width
        differs |= r.stride_height - 1 | r.stride_width - 1
        with k.If(differs == 0):
            width.set(op[0])
            input_width.set(width)
        r.output_width, r.input_width = width, input_width

    # The output may overlap inputs that only earlier pixels need. Then pixels are computed
    # together only if the sums of all their channels fit the scratch buffer, so that no input is
    # read after the first output is written.
    def _check_overlap(self, pixels):
        k, r, v = self.k, self.record, self.vectors
        apart, checked, last_image = (
            k.new_label("apart"),
            k.new_label("checked"),
            k.reg("last_image"),
        )
        first = self.to - self.start * v.output_step
        distance = k.var("distance", first - self.operands[0])  # from the input to the output
        k.branch(distance + pixels * v.output_step <= 0, apart)
        k.emit("divu", [last_image], [pixels - 1, r.output_height * r.output_width])
        size = (last_image + 1) * r.input_height * r.input_width * r.input_channels << 1
        k.branch(distance >= size, apart)
        k.branch(v.channels_at_once >= r.output_channels, checked)
        v.channels_at_once.set(0)
        k.goto(checked)
        k.label(apart)
        if self.part_channels is not None:
            with k.If(r.group_channels == r.output_channels):
                self._find_part()
        k.label(checked)

    # All pixels of a part of the channels are computed before the next part.
    def _find_part(self):
        k, r, v = self.k, self.record, self.vectors
        with k.If(self.stop - self.start > v.vectors):
            channels = k.reg("channels")
            k.emit("divu", [channels], [k.const(_KEPT_BYTES), v.row_step])
            self.part_channels.set(channels.max(1).min(r.output_channels))

    # Find the last column of the output where a block of pixels may begin.
    def _find_last(self):
        k, r, v = self.k, self.record, self.vectors
        reach = (r.filter_width - 1) * r.dilation_width
        last = k.var("last_block", r.input_width - 1 + r.padding_width - reach)
        with k.If(v.channels_at_once == 0):
            last.set(-1)
        with k.If(v.is_special != 0):
            last.set(-1)
        with k.If(last >= 0):
            k.emit("divu", [last], [last, r.stride_width])
            last.set(last.min(r.output_width - 1) - (v.vectors - 1))
        self.last_block = last

    # 1. For each part of the channels whose weights a cache keeps, and
    # 2. for each pixel, or block of pixels of a row whose windows are in the image: find the
    #    cells of the filter in the image.
    # 3. For each group, and for its channels whose sums fit the scratch buffer: sum up the
    #    products of a few channels at a time.
    # 4. Write their outputs.
    def kernel(self):
        k = self.k
        if self.part_channels is None:
            self._all_pixels()
            return k.finish()
        left = k.var("channels_left", self.record.output_channels)
        first = k.var("first_to", self.to)
        with k.loop("part", times=1) as loop:
            self.part_channels.set(self.part_channels.min(left))
            self._all_pixels()
            left -= self.part_channels
            loop.leave_if(left == 0)
            self.operands[1] += self.part_channels * self.vectors.row_step
            self.vectors.outputs.skip(self.part_channels)
            first += self.part_channels << 1
            self.to.set(first)
            self.left.set(self.stop - self.start)
            loop.repeat()
        return k.finish()

    # All pixels of `part_channels`.
    def _all_pixels(self):
        self.done = self.k.new_label("done")
        each_window(self.k, self.record, self.start, self.operands, 1, self.depth, self._pixels)
        self.k.label(self.done)

    def _pixels(self, window, _batch):
        k, r, v = self.k, self.record, self.vectors
        v.outputs.begin()
        v.gap, v.weight_gap, v.cells = window.gap, window.weight_gap, window.cells
        v.runs, v.all_runs = k.var("runs", window.rows), k.var("all_runs", window.rows)
        size = k.var("size", window.span)
        with k.If(v.is_special != 0):
            v.runs.set(1)
            with k.If(v.is_scattered != 0):
                v.all_runs.set(window.area)
                size.set(self.depth << 1)
        with k.If(window.area == 0):
            for register in (v.runs, v.all_runs, size):
                register.set(0)
        v.set_size(size)
        count = self._count(window) if v.vectors else None
        computed = r.output_channels if self.part_channels is None else self.part_channels
        groups_left = k.var("groups_left", computed)
        to = k.var("pixel_to", self.to)
        with k.loop("group", times=1) as group:
            v.compute(window.input, window.filter, to, self._group_channels(), count)
            window.input += self.depth << 1
            groups_left -= self._group_channels()
            group.repeat_if(groups_left != 0)
        if count is None:
            self.to += v.output_step
            self.left -= 1
        else:
            self.to += v.output_step * count
            self.left -= count
        k.branch(self.left == 0, self.done)
        return count

    # Return a register with the channels of a group that belong to the part.
    def _group_channels(self):
        channels, limit = self.record.group_channels, self.part_channels
        return channels if limit is None else channels.min(limit)

    # Return how many pixels are computed together: v.vectors or 1.
    def _count(self, window):
        k, v = self.k, self.vectors
        count, single = k.var("count", 1), k.new_label("single")
        k.branch(window.x > self.last_block, single)
        k.branch(self.left < v.vectors, single)
        k.branch(window.cells != self.record.filter_width, single)
        count.set(v.vectors)
        k.label(single)
        return count


def eval_int16(machine):
    return _Conv(machine).kernel()
