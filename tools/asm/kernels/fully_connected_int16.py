# Kernel of FULLY_CONNECTED, int16 with weights of int8, in the kernel language
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.fully_connected_int16 import LAYOUT

from ..language.calls import begin_eval
from ..language.macros import Record
from .vectors_int16 import Vectors

_NO_ZERO_POINTS = 0x808000  # lower 24 bits of `offsets`
_ABOUT = """
FULLY_CONNECTED, int16 with weights of int8. Units are output channels. op: LAYOUT of
prepare/fully_connected_int16.py.
"""


class _Inputs(Vectors):
    """Vectors of inputs; these or the weights may have a zero point, which is slow."""

    def find_zero_points(self, record):
        k, outputs = self.k, self.outputs
        offsets = record.offsets.field(0, 24)
        self.input_zero_point = k.var("input_zero_point", offsets.field(0, 16) - 0x8000)
        self.weight_zero_point = k.var("weight_zero_point", offsets.lsr(16) - 0x80)
        self.has_zero_points = k.var("has_zero_points", offsets - _NO_ZERO_POINTS)
        with k.If(self.has_zero_points != 0):
            outputs.is_long.set(record.pairs)
            outputs.is_unusual.set(1)

    def _sum_up(self, x, w, sum_to, left, vectors):
        k, done = self.k, self.k.new_label("done")
        with k.If(self.has_zero_points != 0, rare=True):
            with k.loop("row") as row:
                self._sum_up_row(x, w, sum_to)
                left -= 1
                row.repeat_if(left != 0)
            k.goto(done)
        super()._sum_up(x, w, sum_to, left, vectors)
        k.label(done)

    def _sum_up_row(self, x, w, sum_to):
        k, outputs = self.k, self.outputs
        total, at = k.var("total", 0), k.var("input", x)
        with k.If(outputs.is_long != 0):
            outputs.clear(sum_to, 1)
        end = at + self.size
        with k.While(lambda: at != end, "input"):
            zero = k.const(0)
            value = at.get("s16", zero) - self.input_zero_point
            total += value * (w.get("s8", zero) - self.weight_zero_point)
            at += 2
            w += 1
            with k.If(outputs.is_long != 0):
                outputs.flush(sum_to, [total])
        with k.If(outputs.is_long != 0):
            sum_to += 4
        with k.If(outputs.is_long == 0):
            sum_to[0] = total
        sum_to += 4


# 1. For each vector of inputs, and for the channels whose sums fit the
#    scratch buffer: sum up the products of a few channels at a time.
# 2. Write their outputs.
def eval_int16(machine):
    k, start, stop = begin_eval("eval_int16", _ABOUT, machine)
    op, arena, rom, *_ = k.arguments
    r = Record(k, op, LAYOUT)
    depth = r.depth
    v = _Inputs(k, r, (op, arena, rom), depth)
    v.find_zero_points(r)
    v.row_step, input_step = depth, k.var("input_step", depth << 1)
    output_step = k.var("output_step", r.output_channels << 1)
    v.runs = k.var("runs", 1)
    with k.If(depth == 0):
        v.runs.set(0)
    v.gap = v.weight_gap = None
    v.set_size(input_step)
    x = r.operand("input", arena, rom)
    weights = k.var("weights", r.operand("weights", arena, rom) + start * depth)
    output = k.var("output", r.operand("output", arena, rom) + (start << 1))
    v.outputs.skip(start)
    left = r.batches
    with k.loop("vector", times=4) as vector:
        v.outputs.begin()
        v.compute(x, k.var("filter", weights), k.var("to", output), stop - start)
        x += input_step
        output += output_step
        left -= 1
        vector.repeat_if(left != 0)
    return k.finish()
