# Kernel of DEPTHWISE_CONV_2D, float32, for an FPU, in the kernel language
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.conv_float import DEPTHWISE

from ..language.calls import begin_eval
from ..language.fpu import Fpu
from .tiles_float import Convolution

_ABOUT = """
DEPTHWISE_CONV_2D, float32. Units are pixels of batches. op: DEPTHWISE of prepare/conv_float.py.
"""
_CHANNELS = 4  # that are computed together, if each has its own input channel


class _Registers:
    """Numbers of the FPU's registers; the first ones have the sums of the tile's pixels."""

    def __init__(self, machine):
        first, *inputs = (8, 12, 12) if machine.name == "xtensawin" else (16, 20, 24)
        self.pixels, self.too_few = (2, 1) if machine.name == "xtensawin" else (4, 2)
        self.weights, self.inputs = first, inputs
        self.low, self.high = inputs[0], inputs[0] + 1


class _Depthwise(Convolution):
    def __init__(self, machine):
        k, start, stop = begin_eval("eval_float32", _ABOUT, machine)
        self.f, self.registers = Fpu(k), _Registers(machine)
        super().__init__(k, DEPTHWISE, self.registers.pixels, self.registers.too_few)
        r, self.left = self.record, k.var("units_left", stop - start)
        self.begin(start, k.arguments[0][0] * self.output_channels, k.var("is_separate", 0))
        self.cell_step = k.var("cell_step", r.dilation_width * r.input_channels << 2)
        # Output channels of an input channel.
        self.multiplier = k.reg("multiplier")
        k.emit("divu", [self.multiplier], [self.output_channels, r.input_channels])
        self.is_single = k.var("is_single", self.multiplier - 1)  # or other numbers for true
        with k.If(self.output_channels < _CHANNELS):
            self.is_single.set(1)

    # 1. For each pixel, or pixels of a row whose windows have all their columns in the image: find
    #    the cells of the filter in the image.
    # 2. For four channels at a time, at the end the last four, and each tile of the pixels: sum up
    #    the products of the cells, write the outputs.
    # 3. With few channels or several outputs of an input channel: the same for each output.
    def kernel(self):
        self.each_row(self.output_step, self._row)
        return self.k.finish()

    def _row(self, window, _batch):
        k = self.k
        self.rows, self.cells = k.var("rows", window.rows), window.cells
        with k.If(self.cells == 0):
            self.rows.set(0)
        self.gap, self.weight_gap = window.gap, window.weight_gap
        x, w, to = (
            k.var(name, address)
            for name, address in (
                ("source", window.input), ("weights_at", window.filter), ("outputs", self.to)
            )
        )  # fmt: skip
        bias, count = k.var("bias_at", self.bias), k.var("count", 1)
        one_by_one, next_row = k.new_label("one_by_one"), k.new_label("next_row")
        k.branch(self.is_single != 0, one_by_one)
        self._channels(x, w, to, bias, count, window)
        k.goto(next_row)
        k.label(one_by_one)
        self._one_by_one(x, w, to, bias)
        k.label(next_row)
        self.left -= count
        self.to += self.output_step * count
        k.branch(self.left == 0, self.done)
        return count

    # Outputs of all channels of the next pixels. Sets their number.
    def _channels(self, x, w, to, bias, count, window):
        k, single = self.k, self.k.new_label("single")
        pixels = self.count(window, self.left, single)
        k.branch(pixels == 0, single)
        count.set(pixels)
        k.label(single)
        end = k.var("end", w + self.output_step)
        with k.loop("channels", times=4) as loop:
            pixel, done = k.new_label("pixel"), k.new_label("computed")
            k.branch(count == 1, pixel)
            self.each_tile(x, to, count, lambda xs, to: self._tile(xs, w, to, bias, _CHANNELS))
            k.goto(done)
            k.label(pixel)
            self._tile([k.var("x", x)], w, lambda: [to], bias, _CHANNELS)
            k.label(done)
            step = (end - w - 4 * _CHANNELS).min(4 * _CHANNELS)
            self._advance(step, x, w, to, bias)
            loop.repeat_if(step != 0)

    # Outputs of all channels of the next pixel.
    def _one_by_one(self, x, w, to, bias):
        k = self.k
        channels_left, uses_left = k.var("channels_left", self.output_channels), k.reg("uses_left")
        with k.loop("input_channel", times=1) as loop:
            uses_left.set(self.multiplier)
            with k.loop("channel", times=4) as channel:
                self._tile([k.var("x", x)], w, lambda: [to], bias, 1)
                self._advance(4, w, to, bias)
                uses_left -= 1
                channel.repeat_if(uses_left != 0)
            x += 4
            channels_left -= self.multiplier
            loop.repeat_if(channels_left != 0)

    # Advance addresses; the last one is the bias's, or 0.
    def _advance(self, step, *addresses):
        *others, bias = addresses
        for address in others:
            address += step
        with self.k.If(bias != 0):
            bias += step

    # Outputs of some channels of the pixels whose inputs are at xs.
    def _tile(self, xs, w, to, bias, channels):
        k, f, numbers = self.k, self.f, self.registers
        w, weights = k.var("w", w), range(numbers.weights, numbers.weights + channels)
        sums = [range(channels * pixel, channels * (pixel + 1)) for pixel in range(len(xs))]
        f.clear(range(channels * len(xs)))
        rows_left = k.var("rows_left", self.rows)
        with k.While(lambda: rows_left != 0, "row", times=3):
            with k.repeat(k.var("cells_left", self.cells), "cells", 3):
                f.load_words(weights, w)
                w += self.output_step
                for pixel, x in enumerate(xs):
                    first = numbers.inputs[pixel % 2]
                    inputs = range(first, first + channels)
                    f.load_words(inputs, x)
                    x += self.cell_step
                    for one, other in zip(inputs, weights, strict=True):
                        f.mul(one, one, other)
                    for total, product in zip(sums[pixel], inputs, strict=True):
                        f.add(total, total, product)
            for x in xs:
                x += self.gap
            w += self.weight_gap
            rows_left -= 1
        with k.If(bias != 0):
            f.load_words(weights, bias)
            for totals in sums:
                for total, value in zip(totals, weights, strict=True):
                    f.add(total, total, value)
        f.load(numbers.low, self.limits[0], self.limits[1])
        f.load(numbers.high, self.limits[0], self.limits[1] + 4)
        for totals, address in zip(sums, to(), strict=True):
            for total in totals:
                f.limit(total, numbers.low, numbers.high)
            f.store_words(totals, address)


def eval_float32(machine):
    return _Depthwise(machine).kernel()
