# Kernel of DEPTHWISE_CONV_2D, int16 with weights of int8, in the kernel language
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.conv_int16 import DEPTHWISE

from ..language.calls import begin_eval
from ..language.macros import Record
from ..language.windows import each_window
from .outputs_int16 import MAX_PRODUCTS, MAX_SUMS, Outputs

_ABOUT = """
DEPTHWISE_CONV_2D, int16 with weights of int8. Units are output pixels of batches. op: DEPTHWISE of
prepare/conv_int16.py.
"""


class _Cells:
    """Sums of products; a subclass has the instructions of a machine.

    blocks: numbers of channels that are summed up together if each has an input of its own.
    columns: cells of a row for which the loop over the cells of the first of `blocks` is unrolled.
    """

    blocks, columns = (4, 1), 0

    def __init__(self, k):
        self.k = k

    def add(self, x, w, sums):
        """Add the products of a cell: of inputs at x and weights at w."""
        for i, total in enumerate(sums):
            total += x.get("s16", 2 * i) * w.get("s8", i)


class _ThumbCells(_Cells):
    """Loads with sign take a register as offset."""

    def __init__(self, k):
        super().__init__(k)
        self.offsets = [k.const(i) for i in range(3)]

    def add(self, x, w, sums):
        k, offsets = self.k, self.offsets
        for i, total in enumerate(sums):
            if i < 2:
                value = x.get("s16", offsets[2 * i])
            else:
                value = k.reg()
                k.emit("s16", [value], [x.get("u16", 2 * i)])
            if i < 3:
                weight = w.get("s8", offsets[i])
            else:
                weight = k.reg()
                k.emit("s8", [weight], [w.get("u8", i)])
            total += value * weight


class _Rv32Cells(_Cells):
    """The next operands are loaded before a product, for cores that wait for loaded values."""

    blocks = 8, 4, 1

    def add(self, x, w, sums):
        loaded = [x.get("s16"), w.get("s8")]
        for i, total in enumerate(sums):
            value, weight = loaded
            if i + 1 < len(sums):
                loaded = [x.get("s16", 2 * i + 2), w.get("s8", i + 1)]
            total += value * weight


# Inputs 0 and 1, and 2 and 3; weights 0 to 3, of which SXTB16 makes 0 and 2, and 1 and 3.
def _four_products(t, odd_w, x01, x23, w, s0, s1, s2, s3):
    t.sxtb16(odd_w, w, 8)
    t.sxtb16(w, w)
    t.smla("bb", s0, x01, w)
    t.smla("tb", s1, x01, odd_w)
    t.smla("bt", s2, x23, w)
    t.smla("tt", s3, x23, odd_w)


def _run_four_products(x01, x23, w, *sums):
    inputs = x01, x01 >> 16, x23, x23 >> 16
    weights = [(w >> 8 * i & 0xFF ^ 0x80) - 0x80 for i in range(4)]
    added = [((x & 0xFFFF ^ 0x8000) - 0x8000) * y for x, y in zip(inputs, weights, strict=True)]
    even, odd = (weights[i] & 0xFFFF | weights[i + 2] << 16 for i in (0, 1))
    return odd, x01, x23, even, *(s + product for s, product in zip(sums, added, strict=True))


class _DspCells(_Cells):
    """Words may be unaligned."""

    columns = 3

    def add(self, x, w, sums):
        k = self.k
        if len(sums) == 1 or k.machine.name != "armv7em":
            return super().add(x, w, sums)
        # The second word first: LDRD would load both, but only aligned ones.
        weights, second, first = w[0], x[4], x[0]
        changed = [first, second, weights, *sums]
        return k.tile(_four_products, [k.reg()], [], changed, 24, run=_run_four_products)


_CELLS = {"armv6m": _ThumbCells, "armv7em": _DspCells, "rv32imc": _Rv32Cells}


def _cells(machine):
    return _CELLS.get(machine.name, _Cells)


class _Depthwise:
    def __init__(self, machine):
        self.k, self.start, self.stop = begin_eval("eval_int16", _ABOUT, machine)
        k, start = self.k, self.start
        op, arena, rom, *_ = k.arguments
        self.record = r = Record(k, op, DEPTHWISE)
        self.operands = r.operand("input", arena, rom), r.operand("weights", arena, rom)
        self.channels = r.output_channels
        self.uses = k.reg("uses_of_input")
        k.emit("divu", [self.uses], [self.channels, r.input_channels])
        self.to = k.var("to", r.operand("output", arena, rom) + (start * self.channels << 1))
        products = r.filter_height * r.filter_width
        self.outputs = Outputs(k, r, (op, arena, rom), products)
        self.left = k.var("pixels_left", self.stop - start)

    # 1. For each pixel: find the cells of the filter in the image.
    # 2. For up to MAX_SUMS channels at a time: sum up the products of blocks of channels.
    # 3. Write their outputs.
    def kernel(self):
        k = self.k
        self.done = k.new_label("done")
        each_window(k, self.record, self.start, self.operands, 1, self.channels, self._pixel)
        k.label(self.done)
        return k.finish()

    def _pixel(self, window, _batch):
        k, outputs = self.k, self.outputs
        outputs.begin()
        window.piece = k.var("piece", window.span)
        unrolled = _cells(k.machine).columns
        window.columns = k.var("columns", window.cells) if unrolled else None
        with k.If(outputs.is_long != 0, rare=True):
            window.piece.set(window.span.min(window.step * MAX_PRODUCTS))
            if unrolled:
                window.columns.set(0)
        channels_left = k.var("channels_left", self.channels)
        uses_left = k.var("uses_left", self.uses)
        with k.loop("channels", times=2) as channels:
            count = k.var("count", channels_left.min(MAX_SUMS))
            channels_left -= count
            sum_to = k.var("sum_to", outputs.sums)
            with k.loop("block", 16) as block:
                self._block(window, sum_to, count, uses_left, block)
            outputs.write(self.to, k.var("sum_at", outputs.sums), sum_to)
            channels.repeat_if(channels_left != 0)
        self.left -= 1
        k.branch(self.left == 0, self.done)

    # Sum up the next channels, and repeat the loop `block` until none is left.
    def _block(self, window, sum_to, left, uses_left, block):
        k = self.k
        single = k.new_label("single")
        k.branch(self.uses != 1, single)
        for count in _cells(k.machine).blocks:
            if count > 1:
                with k.If(left >= count):
                    self._sum_up(window, count, sum_to)
                    window.input += 2 * count
                    left -= count
                    block.repeat_if(left != 0)
                    block.leave()
        k.label(single)
        self._sum_up(window, 1, sum_to)
        uses_left -= 1
        with k.If(uses_left == 0):
            window.input += 2
            uses_left.set(self.uses)
        left -= 1
        block.repeat_if(left != 0)

    # Store the sums of `count` channels; `sum_to` and the address of the weights advance.
    def _sum_up(self, window, count, sum_to):
        k, outputs = self.k, self.outputs
        sums = [k.var(f"sum{i}", 0) for i in range(count)]
        is_long, stored = outputs.is_long, k.new_label("stored")
        with k.If(is_long != 0, rare=True):
            outputs.clear(sum_to, count)
        with k.If(window.area != 0):
            x, w = k.var("input", window.input), k.var("weight", window.filter)
            rows, cells = k.var("rows_left", window.rows), _cells(k.machine)(k)
            added = None
            if count == cells.blocks[0] and cells.columns:
                added = k.new_label("added")
                with k.If(window.columns == cells.columns):
                    self._sum_up_columns(window, (x, w), rows, sums)
                    k.goto(added)
            with k.loop("row", 4) as row:
                end = k.var("end", x + window.piece)
                with k.loop("cell", 8) as cell:
                    cells.add(x, w, sums)
                    x += window.step
                    w += self.channels
                    cell.repeat_if(x != end)
                with k.If(is_long != 0, rare=True):
                    outputs.flush(sum_to, sums)
                    row_end = window.input + window.span
                    row_end += (window.span + window.gap) * (window.rows - rows)
                    with k.If(x != row_end):
                        end.set(x + (row_end - x).min(window.piece))
                        cell.repeat()
                x += window.gap
                w += window.weight_gap
                rows -= 1
                row.repeat_if(rows != 0)
            if added:
                k.label(added)
        window.filter += count
        with k.If(is_long != 0, rare=True):
            sum_to += 8 * count
            k.goto(stored)
        for i, total in enumerate(sums):
            sum_to[4 * i] = total
        sum_to += 4 * count
        k.label(stored)

    # Add the products of rows of cells.columns cells.
    def _sum_up_columns(self, window, addresses, rows, sums):
        k, cells = self.k, _cells(self.k.machine)(self.k)
        x, w = addresses
        with k.loop("columns", 32) as loop:
            for _ in range(cells.columns):
                cells.add(x, w, sums)
                x += window.step
                w += self.channels
            x += window.gap
            w += window.weight_gap
            rows -= 1
            loop.repeat_if(rows != 0)


def eval_int16(machine):
    return _Depthwise(machine).kernel()
