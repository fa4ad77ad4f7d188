# Kernels of DEPTHWISE_CONV_2D, int8, with weights in lanes, in the kernel language
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.depthwise_lanes import DEPTHWISE, PACKED_WORDS

from ..language.calls import begin_eval
from ..language.macros import Cursor
from .depthwise_planes import Planes
from .lanes import add_upper
from .outputs_int8 import ChannelOutputs

_ABOUT = """
DEPTHWISE_CONV_2D, int8, with {}. Units are output channels. op: DEPTHWISE of
prepare/depthwise_lanes.py.
"""
_UNPACKED = 64  # bytes of the lanes of a channel whose weights have one byte


class _Lanes(Planes):
    """The product of a word of the plane and a word of weights has a sum in its upper half."""

    def __init__(self, name, about, machine, filter_height):
        k, start, stop = begin_eval(name, _ABOUT.format(about), machine)
        super().__init__(k, (start, stop), DEPTHWISE, filter_height)
        r = self.record
        self.width = k.var("width", r.output_width * r.stride_width << 2)
        self.outputs = ChannelOutputs(k, r)
        if not self.outputs.has_carry:
            self.round = k.var("round", 0x8000)

    def stream_bytes(self):
        return self.k.var("channel_bytes", self.record.channel_words << 2)

    # Add the rounded upper half of each weight * word to its sum.
    def _multiply(self, sums, weights, word):
        k = self.k
        products = [weight * word for weight in weights]
        if self.outputs.has_carry:
            for total, product in zip(sums, products, strict=True):
                add_upper(k, total, product)
            return
        for product in products:
            product += self.round
        for product in products:
            product >>= 16
        for total, product in zip(sums, products, strict=True):
            total += product


class _Side3(_Lanes):
    """Filters of 3x3, for `pair` rows of outputs at a time: with 2, stride 1, else stride 2."""

    def __init__(self, name, machine, pair):
        self.pair, self.is_kept = pair, machine.name == "rv32imc"
        about = f"3x3 filters and a vertical stride of {3 - pair}"
        super().__init__(name, about, machine, 3)
        k = self.k
        self.unpacked = k.var("unpacked", 0)
        with k.If(self.record.channel_words == PACKED_WORDS):
            self.unpacked.set(self.plane)
            self.plane += _UNPACKED
        self.column_step = 4 if pair == 2 else k.var("column_step", self.record.stride_width << 2)

    # 1. Unpack the weights, if they have one byte.
    # 2. Compute `pair` rows at a time, and an odd last one.
    def rows(self, out, rows, plane):
        k = self.k
        weights = k.var("weights", self.stream)
        with k.If(self.unpacked != 0, rare=True):
            self._unpack(weights)
            weights.set(self.unpacked)
        self.outputs.begin(weights + 4 * (1 + 6 * self.pair))
        self.kept = None
        if self.is_kept:
            self.kept = k.words(weights, 0, *[f"weight{i}" for i in range(1 + 6 * self.pair)])
        row, row_out = k.var("row", plane), k.var("row_out", out)
        left = k.var("rows_left", rows)
        alone, done = k.new_label("alone"), k.new_label("rows_done")
        with k.loop("row", times=8) as loop:
            if self.pair == 2:
                k.branch(left == 1, alone)
            self._pixels(row, row_out, weights, self.pair)
            left -= self.pair
            loop.leave_if(left == 0)
            row_out += self.output_row << self.pair - 1
            row += self.plane_row
            loop.repeat()
        if self.pair == 2:
            k.goto(done)
            k.label(alone)
            self._pixels(row, row_out, weights, 1)
        k.label(done)
        self.stream += self.channel_bytes

    # Compute `count` outputs for each window that begins in a row of the plane.
    def _pixels(self, row, row_out, weights, count):
        k = self.k
        x, out, end = k.var("x", row), k.var("pixel_out", row_out), k.var("end", row + self.width)
        with k.loop("pixel", times=8) as pixel:
            reader = Cursor(k, weights, keep=True)
            sums = self._sums(x, reader, count)
            for i in reversed(range(count)):
                self.outputs.apply(sums[i], reader)
                if i:
                    out.put("u8", sums[i], self.output_row)
                    if reader.advances:
                        reader.address -= 12
            out.put("u8", sums[0])
            x += self.column_step
            out += self.output_step
            pixel.repeat_if(x.below(end))

    def _sums(self, x, reader, count):
        k = self.k
        bias = self.kept[0] if self.is_kept else reader.next()
        sums = [k.var(f"sum{i}", bias) for i in range(count)]
        lower = k.var("lower", x + self.plane_row)
        for i in range(6):
            word = (x if i < 3 else lower)[4 * (i % 3)]
            if self.is_kept:
                weights = self.kept[1 + self.pair * i :]
            else:
                weights = reader.next(2) if self.pair == 2 else [reader.next()]
            self._multiply(sums, weights[:count], word)
        return sums

    # Unpack a channel of PACKED_WORDS: bias; for each column the weights of the upper, middle and
    # lower row, from the highest byte down; multiplier. The lowest byte of the first column is the
    # right shift.
    def _unpack(self, source):
        k = self.k
        bias, *columns, multiplier = k.words(source, 0, *[None] * PACKED_WORDS)
        to = k.var("unpacked_to", self.unpacked)
        writer = Cursor(k, to)
        writer.put(bias)
        for column in columns:
            upper, middle = column >> 24, (column << 8) >> 24
            words = [middle + (upper << 16), upper]
            writer.put(*words[: self.pair])
        for column in columns:
            middle, lower = (column << 8) >> 24, (column << 16) >> 24
            words = [lower << 16, lower + (middle << 16)]
            writer.put(*words[: self.pair])
        writer.put(multiplier.field(0, 16), multiplier.lsr(16), columns[0].field(0, 8))


class _AnySize(_Lanes):
    """A window begins in the upper or in the lower half of a row of the plane.

    The stream has weights for both cases.
    """

    def __init__(self, name, machine):
        super().__init__(name, "filters of any size", machine, "filter_height")

    def rows(self, out, rows, plane):
        k, r = self.k, self.record
        weights = k.var("weights", self.stream)
        self.stream += self.channel_bytes
        table = k.var("table", self.stream - 12)
        self.outputs.begin(table)
        y, left, row_out = k.var("window_y", 0), k.var("rows_left", rows), k.var("row_out", out)
        with k.loop("row", times=8) as loop:
            row = k.var("row", plane + y.lsr(1) * self.plane_row)
            lines, first = k.var("lines", self.height + 1), k.var("first_weight", weights + 4)
            with k.If(y << 31 != 0):
                lines += 1
                first.set(weights + (r.odd_set << 2))
            lines.set(lines.lsr(1))
            self._pixels(row, row_out, weights, first, lines, table)
            left -= 1
            loop.leave_if(left == 0)
            y += self.stride
            row_out += self.output_row
            loop.repeat()

    def _pixels(self, row, row_out, weights, first, lines, table):
        k = self.k
        x, out, end = k.var("x", row), k.var("pixel_out", row_out), k.var("end", row + self.width)
        with k.loop("pixel", times=8) as pixel:
            total = k.var("sum", weights[0])
            line, at = k.var("line", x), k.var("weight_at", first)
            left = k.var("lines_left", lines)
            with k.loop("line", times=4) as loop:
                self._line(total, line, at)
                line += self.plane_row
                left -= 1
                loop.repeat_if(left != 0)
            self.outputs.apply(total, Cursor(k, table, keep=True))
            out.put("u8", total)
            x += self.record.stride_width << 2
            out += self.output_step
            pixel.repeat_if(x.below(end))

    # Add the products of a row of the plane, two words at a time.
    def _line(self, total, line, at):
        k = self.k
        width, word_at = self.record.filter_width, k.var("word", line)
        pairs = k.var("pairs", width.lsr(1))
        for count in (1, 2):
            condition = (width << 31 != 0) if count == 1 else (pairs != 0)
            with k.If(condition), k.loop("words", times=count) as loop:
                words, weights = Cursor(k, word_at), Cursor(k, at)
                for _ in range(count):
                    self._multiply([total], [weights.next()], words.next())
                words.advance()
                weights.advance()
                if count == 2:
                    pairs -= 1
                    loop.repeat_if(pairs != 0)


def eval_int8(machine):
    return _AnySize("eval_int8", machine).kernel()


def eval_3x3_int8(machine):
    return _Side3("eval_3x3_int8", machine, 2).kernel()


def eval_3x3_stride_2_int8(machine):
    return _Side3("eval_3x3_stride_2_int8", machine, 1).kernel()
