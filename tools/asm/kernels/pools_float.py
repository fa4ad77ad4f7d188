# Kernels of MAX_POOL_2D and AVERAGE_POOL_2D, float32 without an FPU, in the kernel language
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.pooling_float import LAYOUT

from ..language.calls import begin_units
from ..language.floats import (
    IMPLICIT_BIT,
    Limits,
    add_aligned,
    key,
    normalize,
    round_to_even,
)
from ..language.macros import Record
from ..language.windows import each_window

_UNITS = """op: LAYOUT of prepare/pooling_float.py. units: first pixel << 10 | number of pixels.
"""
_MAXIMUM = f"""
Pixels of MAX_POOL_2D, float32. {_UNITS}"""
_AVERAGE = f"""
Pixels of AVERAGE_POOL_2D, float32. Returns the number of pixels that are done; the next one has
inputs that this function does not add, such as infinite ones. {_UNITS}"""

# Biased exponents of the inputs that are not 0. Then no sum and no mean of at most 2 ** 24 of them
# is subnormal or infinite.
_LOW, _HIGH = 64, 200
_SPARE_BITS = 5  # of a summand below the last bit of its mantissa


# 1. For each pixel: find the cells of the window in the image.
# 2. For each channel: begin(), cell(value) for each cell, and result(), which is clamped.
class _Pool:
    name, about = "maximum", _MAXIMUM

    def __init__(self, machine):
        self.k, self.start, stop = begin_units(self.name, self.about, machine)
        k = self.k
        op, arena, rom, *_ = k.arguments
        self.r = r = Record(k, op, LAYOUT)
        self.input = r.operand("input", arena, rom)
        r.input_channels = r.channels
        r.dilation_height = r.dilation_width = k.var("one", 1)
        self.count = k.var("count", stop - self.start)
        self.left = k.var("left", self.count)
        first = self.start * r.input_channels << 2
        self.to = k.var("to", r.operand("output", arena, rom) + first)
        self.limits = Limits(k, r)
        self.bail = k.new_label("bail")

    def kernel(self):
        k = self.k
        operands = self.input, self.input
        each_window(k, self.r, self.start, operands, 2, self.r.channels, self._pixel)
        k.label(self.bail)
        return k.finish(self.count - self.left)

    def _pixel(self, window, _batch):
        k = self.k
        k.branch(window.area == 0, self.bail)
        self.begin_pixel(window)
        left = k.var("channels_left", self.r.input_channels)
        with k.loop("channel") as channel:
            self.begin()
            at, rows = k.var("at", window.input), k.var("rows_left", window.rows)
            with k.loop("row", 3) as row:
                end = k.var("row_end", at + window.span)
                with k.loop("cell", 3) as cell:
                    value = k.var("value", at[0])
                    at += window.step
                    self.cell(value)
                    cell.repeat_if(at != end)
                at += window.gap
                rows -= 1
                row.repeat_if(rows != 0)
            bits = self.result()
            self.limits.apply(bits)
            self.to.put_next(bits)
            window.input += 4
            left -= 1
            channel.repeat_if(left != 0)
        self.left -= 1
        k.branch(self.left == 0, self.bail)


class _Maximum(_Pool):
    def begin_pixel(self, window):
        self.initial = self.r.initial
        self.initial_key = key(self.k, self.initial)
        self.infinity = self.k.var("infinity", -1 << 24)

    def begin(self):
        self.bits = self.k.var("maximum", self.initial)
        self.key = self.k.var("maximum_key", self.initial_key)

    def cell(self, value):
        k, smaller = self.k, self.k.new_label("smaller")
        k.branch((value << 1).above(self.infinity), smaller)  # a NaN
        order = key(k, value)
        k.branch(order <= self.key, smaller)
        self.key.set(order)
        self.bits.set(value)
        k.label(smaller)

    def result(self):
        return self.bits


# The sum is a mantissa of 24 bits with a sign, times 2 ** _SPARE_BITS.
class _Average(_Pool):
    name, about = "average", _AVERAGE

    # The number of cells, shifted left until bit 23 is set.
    def begin_pixel(self, window):
        k = self.k
        self.divisor, self.bits = k.var("divisor", window.area), k.var("divisor_bits", 23)
        with k.While(lambda: self.divisor.lsr(23) == 0, "divisor"):
            self.divisor <<= 1
            self.bits -= 1
        self.implicit = k.var("implicit_bit", IMPLICIT_BIT << _SPARE_BITS)

    def begin(self):
        self.sum, self.exponent = self.k.var("sum", 0), self.k.var("exponent", 0)

    def cell(self, value):
        k, total, exponent = self.k, self.sum, self.exponent
        next_cell = k.new_label("next_cell")
        double = value << 1
        k.branch(double == 0, next_cell)  # the sum is never -0.0
        addend_exponent = k.var("addend_exponent", double.lsr(24))
        addend_exponent -= _LOW
        k.branch(addend_exponent.above(_HIGH - _LOW), self.bail)
        addend = k.var("addend", (value << 9).lsr(9 - _SPARE_BITS) + self.implicit)
        with k.If(value < 0):
            addend.set(-addend)
        exponent -= addend_exponent
        total.set(add_aligned(k, total, addend, exponent, addend_exponent))
        sign = k.var("sign", total >> 31)
        total ^= sign
        total -= sign
        with k.If(total == 0, rare=True):
            exponent.set(0)
            k.goto(next_cell)
        normalize(k, total, exponent)
        round_to_even(k, total, exponent)
        exponent += 2
        total.set(total.lsr(8) << _SPARE_BITS)
        total ^= sign
        total -= sign
        k.label(next_cell)

    # Divide the sum by the number of cells.
    def result(self):
        k, total, exponent = self.k, self.sum, self.exponent
        zero, packed = k.new_label("zero"), k.new_label("packed")
        sign = k.var("sign", total >> 31)
        total ^= sign
        total -= sign
        k.branch(total == 0, zero)
        total.set(total.lsr(_SPARE_BITS))
        exponent += _LOW - 1
        exponent -= self.bits
        k.branch(self.divisor << 9 == 0, packed)  # a power of two
        with k.If(total.below(self.divisor)):
            total <<= 1
            exponent -= 1
        quotient, left = k.var("quotient", 0), k.var("bits_left", 24)
        with k.loop("bit", 24) as bit:
            quotient <<= 1
            with k.If(total.not_below(self.divisor)):
                total -= self.divisor
                quotient += 1
            total <<= 1
            left -= 1
            bit.repeat_if(left != 0)
        with k.If(total.not_below(self.divisor)):  # never equal
            quotient += 1
        total.set(quotient)
        k.label(packed)
        total += exponent << 23
        total += sign << 31
        k.label(zero)
        return total


def maximum_kernel(machine):
    """Return the Kernel of maximum() for a Machine."""
    return _Maximum(machine).kernel()


def average_kernel(machine):
    """Return the Kernel of average() for a Machine."""
    return _Average(machine).kernel()
