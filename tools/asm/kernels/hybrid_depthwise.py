# Function of the sums of DEPTHWISE_CONV_2D, float32 with weights of int8, in the kernel language
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.hybrid import HYBRID

from ..language.calls import begin_units
from ..language.macros import Record
from ..language.windows import each_window

_ABOUT = """
Sums of products of quantized inputs, less their zero points, and weights of int8, stored as int32
in the place of the outputs. Each group has one input channel. Units are outputs. op: HYBRID of
prepare/hybrid.py.
"""
_SIGNS = 0x80808080 - (1 << 32)  # of the bytes of a word


class _Cells:
    """Sums of products; a subclass adds the instructions of a machine.

    A macro(x, w, sums) adds the products of a cell of the filter: inputs at x and weights at w.

    own: numbers of channels with an input each that are summed up together. shared: channels of a
    group, or 0.
    """

    own, shared = (4,), 4

    def __init__(self, k, zero_point):
        self.k, self.zero_point = k, zero_point

    def own_inputs(self, x, w, sums):
        for i, total in enumerate(sums):
            total += (x.get("s8", i) - self.zero_point) * w.get("s8", i)

    def shared_input(self, x, w, sums):
        value = x.get("s8") - self.zero_point
        for i, total in enumerate(sums):
            total += value * w.get("s8", i)

    def single(self, x, w, sums):
        self.own_inputs(x, w, sums)


class _ThumbCells(_Cells):
    """Loads of bytes with sign take a register as offset; both loads share it."""

    def __init__(self, k, zero_point):
        super().__init__(k, -zero_point)

    def own_inputs(self, x, w, sums):
        for i, total in enumerate(sums):
            i = self.k.const(i)
            total += (x.get("s8", i) + self.zero_point) * w.get("s8", i)

    def shared_input(self, x, w, sums):
        value = x.get("s8") + self.zero_point
        for i, total in enumerate(sums):
            total += value * w.get("s8", i)


# Bytes 0 and 2, and 1 and 3, of words as halfwords. `minus` has -zero_point in both halves.
def _four_products(t, odd_x, odd_w, x, w, *sums_and_minus):
    *sums, minus = sums_and_minus
    t.sxtab16(odd_x, minus, x, 8)
    t.sxtab16(x, minus, x)
    t.sxtb16(odd_w, w, 8)
    t.sxtb16(w, w)
    for i, total in enumerate(sums):
        t.smla("tt" if i > 1 else "bb", total, odd_w if i & 1 else w, odd_x if i & 1 else x)


def _shared_products(t, odd_w, x, w, *sums_and_minus):
    *sums, minus = sums_and_minus
    t.sxtab16(x, minus, x)
    t.sxtb16(odd_w, w, 8)
    t.sxtb16(w, w)
    for i, total in enumerate(sums):
        t.smla("tb" if i > 1 else "bb", total, odd_w if i & 1 else w, x)


def _product(t, x, total, w, minus):
    t.sxtab16(x, minus, x)
    t.smla("bb", total, w, x)


class _DspCells(_Cells):
    """Words may be unaligned."""

    def __init__(self, k, zero_point):
        super().__init__(k, (-zero_point).field(0, 16) * 0x10001)

    def own_inputs(self, x, w, sums):
        k = self.k
        k.tile(_four_products, [k.reg(), k.reg()], [self.zero_point], [x[0], w[0], *sums], 32)

    def shared_input(self, x, w, sums):
        k = self.k
        k.tile(_shared_products, [k.reg()], [self.zero_point], [x.get("u8"), w[0], *sums], 28)

    def single(self, x, w, sums):
        self.k.tile(_product, [], [w.get("s8"), self.zero_point], [x.get("u8"), *sums], 8)


class _Rv32Cells(_Cells):
    """Loads are not used by the next instruction, which would wait for them."""

    own = 8, 4

    def own_inputs(self, x, w, sums):
        for i in range(0, len(sums), 2):
            pair = list(enumerate(sums))[i : i + 2]
            loaded = [(x.get("s8", i), w.get("s8", i), total) for i, total in pair]
            values = [(value - self.zero_point, weight, total) for value, weight, total in loaded]
            products = [(value * weight, total) for value, weight, total in values]
            for product, total in products:
                total += product


class _XtensaCells(_Cells):
    """Words of inputs of four channels, whose signs are flipped."""

    shared = 0

    def __init__(self, k, zero_point):
        super().__init__(k, zero_point)
        self.signs, self.flipped = k.var("signs", _SIGNS), k.var("flipped", zero_point + 128)

    def own_inputs(self, x, w, sums):
        inputs, weights = x[0] ^ self.signs, w[0]
        for i, total in enumerate(sums):
            weight = weights << 24 - 8 * i if i < 3 else weights
            total += (inputs.field(8 * i, 8) - self.flipped) * (weight >> 24)

    def single(self, x, w, sums):
        super().own_inputs(x, w, sums)


_CELLS = {"armv6m": _ThumbCells, "armv7em": _DspCells, "armv7emsp": _DspCells,
          "rv32imc": _Rv32Cells, "xtensawin": _XtensaCells}  # fmt: skip


# 1. For each row of the output: find its rows of the filter in the image.
# 2. For each pixel: find its columns of the filter in the image.
# 3. For some channels at a time: add the products of all cells; store the sums.
def depthwise_kernel(machine):
    k, start, stop = begin_units("depthwise", _ABOUT, machine)
    op, arena, rom, *_ = k.arguments
    r = Record(k, op, HYBRID)
    source, weights = r.operand("quantized", arena, rom), r.operand("weights", arena, rom)
    offsets = r.operand("offsets", arena, rom)
    to = k.var("to", r.operand("output", arena, rom) + (start << 2))
    left = k.var("left", stop - start)
    pixel = k.reg("pixel")
    channels = r.output_channels
    k.emit("divu", [pixel], [start, channels])
    channel = k.var("channel", start - pixel * channels)
    weight_step = r.cell_step
    done = k.new_label("done")

    def compute(window, batch):
        pixel = _Pixel(k, r, window, channel, weight_step)
        count = k.var("channels_left", (channels - channel).min(left))
        left.set(left - count)
        channel.set(0)
        cells = _CELLS[machine.name](k, offsets.get("w", batch, scale=2))
        with k.loop("block") as block:
            _block(k, pixel, cells, to, count, block)
        k.branch(left == 0, done)

    each_window(k, r, pixel, (source, weights), 0, weight_step, compute)
    k.label(done)
    return k.finish()


class _Pixel:
    """The channels of a pixel, from `channel` on; window, weight_step: see each_window()."""

    def __init__(self, k, r, window, channel, weight_step):
        self.k, self.window, self.weight_step = k, window, weight_step
        window.filter += channel
        self.group = r.group_channels
        number = k.reg()
        k.emit("divu", [number], [channel, self.group])
        window.input += number
        self.group_left = k.var("group_left", self.group * (number + 1) - channel)
        if k.machine.name == "xtensawin":
            bits = r.input_channels | window.input | window.filter | weight_step
            self.unaligned = k.var("unaligned", bits.field(0, 2))

    def next_in_group(self, count):
        """Advance the inputs by channels of a group."""
        self.group_left -= count
        with self.k.If(self.group_left == 0):
            self.window.input += 1
            self.group_left.set(self.group)

    def sums(self, macro, count):
        """Return the sums of `count` channels."""
        k, window = self.k, self.window
        sums = [k.var(f"sum{i}", 0) for i in range(count)]
        with k.If(window.area != 0):
            x, w = k.var("input", window.input), k.var("weight", window.filter)
            rows = k.var("rows_left", window.rows)
            with k.loop("row", 3) as row:
                end = k.var("row_end", x + window.span)
                with k.loop("cell", 3) as cell:
                    macro(x, w, sums)
                    x += window.step
                    w += self.weight_step
                    cell.repeat_if(x != end)
                x += window.gap
                w += window.weight_gap
                rows -= 1
                row.repeat_if(rows != 0)
        return sums


# Sum up the next channels of a pixel, and repeat the loop `block` until none is left.
def _block(k, pixel, cells, to, left, block):
    single, shared = k.new_label("single"), k.new_label("shared")

    def store(macro, count):
        to.put_next(*pixel.sums(macro, count))
        pixel.window.filter += count
        left.set(left - count)

    if cells.shared:
        k.branch(pixel.group != 1, shared)
    else:
        k.branch(pixel.group != 1, single)
        k.branch(pixel.unaligned != 0, single)
    for count in cells.own:
        with k.If(left >= count):
            store(cells.own_inputs, count)
            pixel.window.input += count
            block.repeat_if(left != 0)
            block.leave()
    if cells.shared:
        k.goto(single)
        k.label(shared)
        with k.If(left.min(pixel.group_left) >= cells.shared):
            store(cells.shared_input, cells.shared)
            pixel.next_in_group(cells.shared)
            block.repeat_if(left != 0)
            block.leave()
    k.label(single)
    store(cells.single, 1)
    pixel.next_in_group(1)
    block.repeat_if(left != 0)
