# Functions of CONV_2D and FULLY_CONNECTED, float32 with weights of int8, in the kernel language
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.hybrid import HYBRID

from ..language.calls import begin_units
from ..language.machines.thumb_dsp import ThumbDspMachine
from ..language.macros import Record
from ..language.windows import each_window

_ABOUT = """
Sums of products of quantized inputs, less their zero points, and weights of int8, stored as int32
in the place of the outputs. There is one group, and the cells of a row touch each other in the
image. Units are outputs. op: HYBRID of prepare/hybrid.py.
"""
_UNROLLED = 4


class _Products:
    """Adds products of inputs less the zero point and weights; a subclass is for a machine.

    rows: numbers of channels that are summed up together, the largest first; the last one is 1.
    """

    rows = 4, 2, 1

    def __init__(self, k, zero_point):
        self.k, self.zero_point = k, zero_point

    def begin(self):
        """Begin with some channels."""

    def add(self, size, x, ws, sums):
        """Add products of `size` inputs, at least one; the addresses advance."""
        end, whole = self.k.var("end", x + size), self.k.var("whole_end", x + (size & -_UNROLLED))
        for stop, count in ((whole, _UNROLLED), (end, 1)):
            with self.k.While(lambda stop=stop: x != stop, "taps", 16 // count):
                for i in range(count):
                    self._add_tap(x, ws, sums, i)
                for address in (x, *ws):
                    address += count

    # Add the products of input i. No instruction uses what the one before it has loaded.
    def _add_tap(self, x, ws, sums, i):
        value = x.get("s8", i) - self.zero_point
        for first in range(0, len(ws), 2):
            products = [w.get("s8", i) for w in ws[first : first + 2]]
            for product in products:
                product *= value
            for total, product in zip(sums[first:], products, strict=False):
                total += product


class _Rv32(_Products):
    rows = 8, 4, 1


class _Thumb(_Products):
    """Addresses of ends, with a register as offset. A jump enters the unrolled loop."""

    def __init__(self, k, zero_point):
        super().__init__(k, k.var("minus_zero_point", -zero_point))
        self.zero_point.is_total = True

    def add(self, size, x, ws, sums):
        k = self.k
        index = k.var("index", -size)
        for address in (x, *ws):
            address += size
        copies, bytes_ = k.new_copies(_UNROLLED), 6 + 6 * len(ws)
        k.enter(copies, index.field(0, 2) * bytes_, bytes_)
        with k.loop("taps", 16) as loop:
            with k.repeated(copies):
                value = x.get("s8", index)
                value += self.zero_point
                for w, total in zip(ws, sums, strict=True):
                    total += w.get("s8", index) * value
                index += 1
            loop.repeat_if(index != 0)


# Bytes 0 and 2, and 1 and 3, of a word of inputs as halfwords. minus: the negative zero point in
# both halves.
def _inputs(t, odd, even, minus):
    t.sxtab16(odd, minus, even, 8)
    t.sxtab16(even, minus, even)


# Two products, of weights 0 and 2. `weights` becomes the weights 1 and 3, for _odd_products.
def _even_products(t, even_weights, weights, total, even):
    t.sxtb16(even_weights, weights)
    t.sxtb16(weights, weights, 8)
    t.smlad(total, even_weights, even, total)


def _odd_products(t, total, weights, odd):
    t.smlad(total, weights, odd, total)


# A product for each row; the addresses advance.
def _products(t, value, weight, x, *rows_and_minus):
    *rows, minus = rows_and_minus
    t.ldrsb_next(value, x)
    t.sxtab16(value, minus, value)
    for w, total in zip(rows[::2], rows[1::2], strict=True):
        t.ldrsb_next(weight, w)
        t.smla("bb", total, weight, value)


def _half(value):
    return (value & 0xFFFF ^ 0x8000) - 0x8000


def _byte(value, i):
    return (value >> 8 * i & 0xFF ^ 0x80) - 0x80


# Return the sums of two halfwords and the bytes `first` and first + 2 of a word, as halfwords.
def _add_bytes(halves, word, first):
    low, high = _half(halves) + _byte(word, first), (halves >> 16) + _byte(word, first + 2)
    return high << 16 | low & 0xFFFF


def _run_inputs(even, minus):
    return _add_bytes(minus, even, 1), _add_bytes(minus, even, 0)


def _run_even_products(weights, total, even):
    weights = [_add_bytes(0, weights, first) for first in (0, 1)]
    return (*weights, _run_odd_products(total, weights[0], even))


def _run_odd_products(total, weights, halves):
    return total + _half(weights) * _half(halves) + (weights >> 16) * (halves >> 16)


class _Dsp(_Products):
    """Words of four inputs and weights, which may be unaligned."""

    def __init__(self, k, zero_point):
        minus = k.var("minus_zero_point", (-zero_point).field(0, 16))
        super().__init__(k, minus)
        minus *= 0x10001

    # A register for each number of channels has another place.
    def begin(self):
        self.minus = self.k.var("minus", self.zero_point)

    def add(self, size, x, ws, sums):
        k = self.k
        left, few, done = k.var("left", size - 4), k.new_label("few"), k.new_label("added")
        k.branch(left < 0, few)
        with k.loop("four", 16) as four:
            minus = k.var("halves", self.minus)  # no instruction waits for its load
            even, odd = x.next(k.reg()), k.reg()
            weights = ws[0].next(k.reg())
            k.tile(_inputs, [odd], [minus], [even], 8, run=_run_inputs)
            for i, total in enumerate(sums):
                changed, run = [weights, total], _run_even_products
                k.tile(_even_products, [k.reg()], [even], changed, 12, run=run)
                before = weights
                if i + 1 < len(ws):
                    weights = ws[i + 1].next(k.reg())
                k.tile(_odd_products, [], [before, odd], [total], 4, run=_run_odd_products)
            left -= 4
            four.repeat_if(left >= 0)
        k.label(few)
        left += 4
        k.branch(left == 0, done)
        with k.loop("tap", 2) as tap:
            if isinstance(k.machine, ThumbDspMachine):
                rows = [r for pair in zip(ws, sums, strict=True) for r in pair]
                size = 8 + 8 * len(ws)
                k.tile(_products, [k.reg(), k.reg()], [self.minus], [x, *rows], size)
            else:
                value = x.get("s8") + (self.zero_point >> 16)
                for w, total in zip(ws, sums, strict=True):
                    total += w.get("s8") * value
                for address in (x, *ws):
                    address += 1
            left -= 1
            tap.repeat_if(left != 0)
        k.label(done)


_MACHINES = {"armv6m": _Thumb, "armv7em": _Dsp, "armv7emsp": _Dsp, "rv32imc": _Rv32}


# 1. For each pixel: find the cells of the filter in the image.
# 2. For a few channels at a time: add the products of each row of the window; store the sums.
class _Sums:
    def __init__(self, machine):
        self.k, start, stop = begin_units("sums", _ABOUT, machine)
        k = self.k
        op, arena, rom, *_ = k.arguments
        self.r = r = Record(k, op, HYBRID)
        self.operands = r.operand("quantized", arena, rom), r.operand("weights", arena, rom)
        self.offsets = r.operand("offsets", arena, rom)
        self.to = k.var("to", r.operand("output", arena, rom) + (start << 2))
        self.left = k.var("left", stop - start)
        self.channel_step = r.channel_step
        self.pixel = k.reg("pixel")
        k.emit("divu", [self.pixel], [start, r.output_channels])
        self.channel = k.var("channel", start - self.pixel * r.output_channels)
        self.done = k.new_label("done")

    def kernel(self):
        each_window(self.k, self.r, self.pixel, self.operands, 0, self.r.cell_step, self._channels)
        self.k.label(self.done)
        return self.k.finish()

    def _channels(self, window, batch):
        k, step = self.k, self.channel_step
        count = k.var("channels_left", (self.r.output_channels - self.channel).min(self.left))
        self.left -= count
        window.filter += self.channel * step
        self.channel.set(0)
        rows = k.var("rows", window.rows)
        with k.If(window.span == 0):
            rows.set(0)
        offset = self.offsets.get("w", batch, scale=2)
        products = _MACHINES[k.machine.name](k, k.var("zero_point", offset))
        with k.loop("block") as block:
            for at_once in products.rows:
                fewer = k.new_label("fewer")
                if at_once > 1:
                    k.branch(count < at_once, fewer)
                self._block(window, rows, products, at_once)
                count -= at_once
                block.repeat_if(count != 0)
                if at_once > 1:
                    block.leave()
                k.label(fewer)
        k.branch(self.left == 0, self.done)

    def _block(self, window, rows, products, at_once):
        k = self.k
        products.begin()
        sums = [k.var(f"sum{i}", 0) for i in range(at_once)]
        ws = [k.var(f"w{i}", window.filter) for i in range(at_once)]
        for total in sums:
            total.is_total = True
        for before, w in zip(ws, ws[1:], strict=False):
            w.set(before + self.channel_step)
        x, rows_left = k.var("x", window.input), k.var("rows_left", rows)
        added = k.new_label("block_added")
        k.branch(rows_left == 0, added)
        with k.loop("row", 2) as row:
            products.add(window.span, x, ws, sums)
            rows_left -= 1
            row.leave_if(rows_left == 0)
            for w in ws:
                w += window.weight_gap
            x += window.gap
            row.repeat()
        k.label(added)
        self.to.put_next(*sums)
        window.filter += self.channel_step * at_once


def sums_kernel(machine):
    return _Sums(machine).kernel()
