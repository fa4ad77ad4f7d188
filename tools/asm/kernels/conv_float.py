# Kernel of CONV_2D, float32, for an FPU, in the kernel language
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.conv_float import CONV

from ..language.calls import begin_outputs
from .products_float import channels_from, compute_pixel, sums_of
from .tiles_float import Convolution

_ABOUT = """
CONV_2D, float32. Units are outputs: channels of pixels of batches. op: CONV of
prepare/conv_float.py.
"""


class _Conv(Convolution):
    """The cells of a row of a window are one run of taps if they touch each other in the image.

    Otherwise `is_scattered` is not 0, and each cell is a run.
    """

    def __init__(self, machine):
        k, start, stop = begin_outputs("eval_float32", _ABOUT, machine, CONV)
        self.sums = sums_of(machine)
        pixels, self.channels = self.sums.tile
        super().__init__(k, CONV, pixels, 1)
        r, self.left = self.record, k.var("units_left", stop - start)
        self.depth = r.filter_channels
        self.weight_step = k.var("weight_step", self.depth << 2)
        area = r.filter_height * r.filter_width
        self.filter_bytes = k.var("filter_bytes", area * self.weight_step)
        pixel, is_separate = k.reg("pixel"), k.var("is_separate", 0)
        k.emit("divu", [pixel], [start, self.output_channels])
        self.channel = k.var("channel", start - pixel * self.output_channels)
        few = self.output_channels <= self.channels
        with k.If(few), k.If(self.output_channels <= r.group_channels):
            is_separate.set(1)
        self.begin(pixel, k.arguments[0][0], is_separate)
        step = r.dilation_width * r.input_channels - self.depth
        self.run_gap = k.var("run_gap", step << 2)
        self.is_scattered = k.var("is_scattered", r.input_channels - self.depth)
        self.is_scattered |= r.dilation_width - 1

    # 1. For each pixel, or pixels of a row whose windows have all their columns in the image: find
    #    the cells of the filter in the image.
    # 2. For each few channels of a group, and each tile of the pixels: sum up the products of the
    #    cells, write the outputs.
    def kernel(self):
        self.each_row(self.weight_step, self._row)
        return self.k.finish()

    def _row(self, window, _batch):
        k, r = self.k, self.record
        self._set_runs(window)
        count = self._count(window)
        end = k.var("channels_end", self.output_channels.min(self.channel + self.left))
        self.left -= (end - self.channel) * count
        with k.loop("channels", times=4) as loop:
            group, done = k.vars("group done")
            k.emit("divu", [group], [self.channel, r.group_channels])
            x = k.var("source", window.input + group * self.weight_step)
            last = (group + 1) * r.group_channels
            left = k.var("channels_left", last.min(end) - self.channel)
            w = k.var("weights_at", window.filter + self.channel * self.filter_bytes)
            to = k.var("outputs", self.to + (self.channel << 2))
            bias = k.var("bias_at", self.bias)
            with k.If(bias != 0):
                bias += self.channel << 2
            outputs, channels = (left, bias, self.limits), (w, self.filter_bytes)
            single, next_channels = k.new_label("single"), k.new_label("next_channels")
            k.branch(count == 1, single)
            self._tiles(x, channels, to, count, outputs)
            done.set(left.min(self.channels))
            k.goto(next_channels)
            k.label(single)
            compute_pixel(
                k, x, channels, left, self._multiply, lambda sums: sums.store([to], *outputs)
            )
            done.set(left.min(self.sums.single[0]))
            k.label(next_channels)
            self.channel += done
            loop.repeat_if(self.channel < end)
        self.channel.set(0)
        self.to += self.output_step * count
        k.branch(self.left == 0, self.done)
        return count

    # Set the rows of a window, the runs of a row and the taps of a run.
    def _set_runs(self, window):
        k = self.k
        self.rows, self.weight_gap = k.var("rows", window.rows), window.weight_gap
        self.runs = k.var("runs", window.cells)
        self.taps = k.var("taps", self.depth)
        gap = k.var("gap", window.gap)
        with k.If(self.is_scattered == 0):
            self.runs.set(1)
            self.taps.set(self.depth * window.cells)
        with k.Else():
            gap += self.run_gap
        self.row_gap = k.var("row_gap", self.sums.row_gap(gap, self.weight_gap))
        with k.If(window.cells == 0):
            self.rows.set(0)

    # Return how many pixels of the row, from this one on, are computed in tiles: 1 for none.
    def _count(self, window):
        k, count, single = self.k, self.k.var("count", 1), self.k.new_label("single")
        k.branch(self.channel != 0, single)
        left = k.reg("row_pixels")
        k.emit("divu", [left], [self.left, self.output_channels])
        pixels = self.count(window, left, single)
        k.branch(pixels == 0, single)
        count.set(pixels)
        k.label(single)
        return count

    def _tiles(self, x, channels, to, count, outputs):
        k, left = self.k, outputs[0]
        ws = channels_from(k, *channels, left, self.channels)

        def compute(xs, to):
            sums = self.sums(k, xs, [k.var(f"w{i}", w) for i, w in enumerate(ws)])
            sums.begin()
            several, added = k.new_label("several"), k.new_label("added")
            if self.at_once > 2:
                k.branch(left != 1, several)
                self._multiply(self.sums(k, xs, sums.ws[:1]))
                k.goto(added)
            k.label(several)
            self._multiply(sums)
            k.label(added)
            sums.end()
            sums.store(to(), *outputs)

        self.each_tile(x, to, count, compute)

    # Add the products of all cells of the window.
    def _multiply(self, sums):
        k = self.k
        rows_left = k.var("rows_left", self.rows)
        with k.While(lambda: rows_left != 0, "row", times=2):
            runs_left = k.var("runs_left", self.runs)
            with k.loop("run", times=1) as run:
                sums.add(self.taps)
                runs_left -= 1
                run.leave_if(runs_left == 0)
                sums.skip(self.run_gap)
                run.repeat()
            sums.next_row(self.row_gap, self.weight_gap)
            rows_left -= 1


def eval_float32(machine):
    return _Conv(machine).kernel()
