# Kernel of DEPTHWISE_CONV_2D, float32 without an FPU, in the kernel language
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.conv_float import DEPTHWISE

from ..language.calls import begin_units
from ..language.float_sums import Products
from ..language.floats import Limits
from ..language.macros import ABSENT, Record
from ..language.windows import each_window

_ABOUT = """
Pixels of DEPTHWISE_CONV_2D: for each channel the products of its window and its filter, in order.
op: DEPTHWISE of prepare/conv_float.py. units: first pixel << 10 | number of pixels. Returns the
number of pixels that are done; the next one has numbers that this function does not multiply, such
as infinite ones.
"""


# 1. For each pixel: find the cells of the filter in the image.
# 2. For each channel: add the products of each row of the window, then the bias.
# 3. Clamp and store the sum.
class _Depthwise:
    def __init__(self, machine):
        self.k, start, stop = begin_units("depthwise", _ABOUT, machine)
        k = self.k
        op, arena, rom, *_ = k.arguments
        self.r = r = Record(k, op, DEPTHWISE)
        self.operands = r.operand("input", arena, rom), r.operand("weights", arena, rom)
        self.bias = r.operand("bias", arena, rom)
        with k.If(r.bias == ABSENT):
            self.bias.set(0)
        self.start, self.count = start, k.var("count", stop - start)
        self.left = k.var("left", self.count)
        self.weight_step = k.var("weight_step", r.output_channels << 2)
        self.to = k.var("to", r.operand("output", arena, rom) + start * self.weight_step)
        self.multiplier = k.reg("multiplier")
        k.emit("divu", [self.multiplier], [r.output_channels, r.input_channels])
        self.limits = Limits(k, r)
        self.run_end, self.bail = k.new_label("run_end"), k.new_label("bail")
        step = k.var("input_step", r.dilation_width * r.input_channels << 2)
        step.is_total = self.weight_step.is_total = True
        self.sum = Products(k, self.bail, (step, self.weight_step), self.run_end)
        k.flush(jump=True)

    def kernel(self):
        k = self.k
        each_window(k, self.r, self.start, self.operands, 2, self.weight_step, self._pixel)
        k.label(self.bail)
        return k.finish(self.count - self.left)

    def _pixel(self, window, _batch):
        k = self.k
        left = k.var("channels_left", self.r.output_channels)
        uses_left = k.var("uses_left", self.multiplier)
        next_bias = k.var("next_bias", self.bias)
        rows = k.var("rows", window.rows)
        with k.If(window.area == 0):
            rows.set(1)
            window.span.set(0)
        with k.loop("channel") as channel:
            bits = self._sum(window, rows, next_bias)
            self.limits.apply(bits)
            self.to.put_next(bits)
            window.filter += 4
            uses_left -= 1
            with k.If(uses_left == 0):
                window.input += 4
                uses_left.set(self.multiplier)
            left -= 1
            channel.repeat_if(left != 0)
        self.left -= 1
        k.branch(self.left == 0, self.bail)

    def _sum(self, window, all_rows, next_bias):
        k, s = self.k, self.sum
        bias, finish = k.new_label("bias"), k.new_label("finish")
        rows = k.var("rows_left", all_rows)
        s.inputs.set(window.input)
        s.weights.set(window.filter)
        s.inputs_end.set(s.inputs + window.span)
        s.clear()
        k.goto(s.next)
        s.loop()
        k.label(self.run_end)
        rows -= 1
        k.branch(rows < 0, finish)
        k.branch(rows == 0, bias)
        s.inputs += window.gap
        s.weights += window.weight_gap
        s.inputs_end.set(s.inputs + window.span)
        k.goto(s.next)
        k.label(bias)
        k.branch(next_bias == 0, finish)
        next_bias.next(s.weight)
        s.add(s.weight)
        k.label(finish)
        return s.result()


def depthwise_kernel(machine):
    """Return the Kernel of depthwise() for a Machine."""
    return _Depthwise(machine).kernel()
