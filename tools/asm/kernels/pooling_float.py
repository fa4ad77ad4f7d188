# Kernel of the pools of float32, for an FPU, in the kernel language
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.pooling_float import LAYOUT, MAXIMUM, MEAN_SQUARE

from ..language.calls import begin_eval, begin_units
from ..language.fpu import Fpu
from ..language.macros import Record
from ..language.windows import each_window

_UNITS = "Units are pixels of batches. op: LAYOUT of prepare/pooling_float.py."
_EVAL = f"""
Pools of float32. {_UNITS}
"""
_POOL = f"""
Pools of float32. Ends after a mean of a number of cells that is no power of two: the outputs of
this pixel are sums, and the number of cells is stored in `divisor`. Returns this pixel, or `stop`.
{_UNITS}
"""
_ONE, _INFINITY = 127 << 23, 255 << 23  # bits
# Registers of the FPU: up to four values, then as many cells.
_CELLS, _FACTOR, _LOW, _HIGH = 4, 8, 9, 10


class _Pool:
    def __init__(self, machine):
        self.divides = machine.has_float_divide
        if self.divides:
            self.k, self.at, self.stop = begin_eval("eval_float32", _EVAL, machine)
        else:
            self.k, self.at, self.stop = begin_units("pool", _POOL, machine)
        k, self.f = self.k, Fpu(self.k)
        self.op, arena, rom, *_ = k.arguments
        self.record = r = Record(k, self.op, LAYOUT)
        self.operands = (r.operand("input", arena, rom),) * 2
        self.divisor = k.reg() if self.divides else r.operand("divisor", arena, rom)
        self.is_sum = k.var("is_sum", 0)
        self.kind, r.input_channels = r.kind, r.channels
        r.dilation_height = r.dilation_width = k.const(1)
        first = self.at * r.input_channels << 2
        self.to = k.var("to", r.operand("output", arena, rom) + first)
        self.f.load(_LOW, self.op, r.offset("activation_min"))
        self.f.load(_HIGH, self.op, r.offset("activation_max"))

    # 1. For each pixel: find the cells of the window in the image, and what divides a mean by
    #    their number.
    # 2. For four channels at a time, then for each channel: reduce the cells, write the outputs.
    def kernel(self):
        k = self.k
        self.end = k.new_label("end")
        pixel = k.var("pixel", self.at)
        each_window(k, self.record, pixel, self.operands, 2, self.record.channels, self._pixel)
        k.label(self.end)
        return k.finish(None if self.divides else self.at)

    def _pixel(self, window, _batch):
        k = self.k
        with k.If(self.kind != MAXIMUM):
            self._find_factor(window.area)
        left = k.var("channels_left", self.record.input_channels)
        for count in (4, 1):
            self._channels(window, left, count)
        k.branch(self.is_sum != 0, self.end)
        self.at += 1
        k.branch(self.at == self.stop, self.end)

    def _find_factor(self, area):
        k, f = self.k, self.f
        f.from_integer(_FACTOR, area)
        if self.divides:
            return
        with k.If(area & area - 1 == 0):
            # The exponents of a power of two and of its reciprocal add up to 2 * 127.
            f.set_bits(_FACTOR, 2 * _ONE - f.bits(_FACTOR))
        with k.Else():
            f.store(_FACTOR, self.divisor)
            self.is_sum.set(1)
            for to, bits in ((_FACTOR, _ONE), (_LOW, _INFINITY - (1 << 31)), (_HIGH, _INFINITY)):
                f.set_bits(to, k.const(bits))

    # Outputs of channels, `count` at a time, as long as there are as many.
    def _channels(self, window, left, count):
        with self.k.While(lambda: left >= count, "channels", times=2):
            self._reduce(window, count)
            window.input += 4 * count
            self.to += 4 * count
            left -= count

    # Outputs of some channels.
    def _reduce(self, window, count):
        k, f, values = self.k, self.f, range(count)
        for value in values:
            f.load(value, self.op, self.record.offset("initial"))
        maximum, squares, ready, limit = map(k.new_label, ("maximum", "squares", "ready", "limit"))
        k.branch(self.kind == MAXIMUM, maximum)
        k.branch(self.kind == MEAN_SQUARE, squares)
        self._cells(window, count, self._add)
        k.goto(ready)
        k.label(squares)
        self._cells(window, count, self._add_square)
        k.label(ready)
        for value in values:
            (f.div if self.divides else f.mul)(value, value, _FACTOR)
        k.goto(limit)
        k.label(maximum)
        self._cells(window, count, f.set_larger)
        k.label(limit)
        for value in values:
            f.limit(value, _LOW, _HIGH)
        f.store_words(values, self.to)

    def _add(self, value, cell):
        self.f.add(value, value, cell)

    def _add_square(self, value, cell):
        self.f.mul(cell, cell, cell)
        self.f.add(value, value, cell)

    # Update the values of some channels by all cells of the window.
    def _cells(self, window, count, update):
        k, cells = self.k, range(_CELLS, _CELLS + count)
        at, rows = k.var("at", window.input), k.var("rows_left", window.rows)
        with k.loop("row", times=2) as row:
            with k.repeat(k.var("cells_left", window.cells), "cells", 3):
                self.f.load_words(cells, at)
                at += window.step
                for value, cell in enumerate(cells):
                    update(value, cell)
            at += window.gap
            rows -= 1
            row.repeat_if(rows != 0)


def eval_float32(machine):
    return _Pool(machine).kernel()
