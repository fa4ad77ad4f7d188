# Generator of the assembler kernel of DEPTHWISE_CONV_2D that computes four channels at once
# MIT license; Copyright (c) 2026 the tflm authors

# The kernels of depthwise.py read each input byte on its own, which costs most where a window
# moves by two. This one copies words of four channels, and unpacks them in registers:
# 1. For some rows of outputs, copy the image under their windows to the scratch buffer, with zero
#    points outside of the image.
# 2. For each output pixel: three words of the image, two of them as lanes of rows 0 and 1, times
#    the weights of each column; requantize four sums; store a word.
# The next four channels follow.

from tflm.prepare.depthwise_dsp import DEPTHWISE

from ..language.kernel import Kernel
from ..language.machines import MACHINES
from ..language.macros import Record
from .depthwise import STREAM_WORDS
from .requantize import fold, join_four, requantize

_ABOUT = """
Channels of a depthwise convolution with 3x3 filters and a stride of 2, one output channel for each
input channel. The record is DEPTHWISE of prepare/depthwise_dsp.py. `units`: first channel << 10 |
number of channels, a multiple of 4 above 0.
"""
_GROUP = 4
_SIDE = 3
_STREAM = 4 * STREAM_WORDS  # bytes of a channel's stream
_BIAS, _WEIGHTS, _TAIL = 4, 8, 32  # bytes before these words of the stream
_BYTES = 0x1010101


# Add the products of a column of a window to four sums. `a`, `b`, `c`, `d`, `e`, `w0` and `w1` are
# changed. p: the column in the first row; it advances. row: bytes to the next row. s: stream.
def _column(t, a, b, c, d, e, w0, w1, acc0, acc1, acc2, acc3, p, row, s, x):
    at = _WEIGHTS + 8 * x
    t.ldr_scaled(b, p, row)
    t.ldr_wide(a, p)
    t.sxtb16(d, b)
    t.sxtb16(b, b, 8)
    t.sxtb16(c, a)
    t.sxtb16(a, a, 8)
    for even, odd, one, other, first in ((c, d, acc0, acc2, 0), (a, b, acc1, acc3, 1)):
        t.ldr_wide(w0, s, at + _STREAM * first)
        t.ldr_wide(w1, s, at + _STREAM * (first + 2))
        t.pkhbt(e, even, odd)
        t.pkhtb(odd, odd, even)
        if first:
            t.ldr_scaled(a, p, row, 1)
        t.smlad(one, e, w0)
        t.smlad(other, odd, w1)
    t.sxtb16(c, a)
    t.sxtb16(a, a, 8)
    for x, one, other, first in ((c, acc0, acc2, 0), (a, acc1, acc3, 1)):
        t.ldr_wide(w0, s, at + 4 + _STREAM * first)
        t.ldr_wide(w1, s, at + 4 + _STREAM * (first + 2))
        if first:
            t.add_number(p, p, 4)
        t.smla("bt", one, x, w0)
        t.smla("tt", other, x, w1)


_COLUMN_BYTES = 4 * 30


def _fold_four(t, acc0, acc1, acc2, acc3, p0, p1, p2, p3, zero_point):
    sums = acc0, acc1, acc2, acc3
    for acc, multiplier in zip(sums, (p0, p1, p2, p3), strict=True):
        t.smmla(acc, acc, multiplier, zero_point)
    for acc in sums:
        t.ssat8(acc, acc)


def _join(t, acc0, acc1, acc2, acc3):
    join_four(t, (acc0, acc1, acc2, acc3))


def _clamp(t, spare, word, low, high):
    t.at_least(word, low, spare)
    t.at_most(word, high, spare)


class _Groups:
    def __init__(self, machine):
        arguments = "op", "arena", "rom", "units"
        self.k = k = Kernel("depthwise_groups", _ABOUT, arguments, machine)
        op, arena, rom, units = k.arguments
        self.record = r = Record(k, op, DEPTHWISE)
        first = k.var("first", units.lsr(10))
        self.plane = k.var("plane", arena + (r.scratch >> 2))
        self.stream = k.var("stream", r.operand("stream", arena, rom) + first * _STREAM)
        self.image = k.var("image", r.operand("input", arena, rom) + first)
        self.output = k.var("output", arena + (r.output >> 2) + first)
        self.stream_end = k.var("stream_end", self.stream + units.field(0, 10) * _STREAM)
        self.plane_row = k.var("plane_row", r.plane_columns << 2)
        self.zero_points = k.var("zero_points", r.input_zero_point.field(0, 8) * _BYTES)
        low, high = k.var("low", r.activation_min), k.var("high", r.activation_max)
        self.clamped = k.var("clamped", (low + 128) | (high - 127))
        self.low = k.var("minimum", low.field(0, 8) * _BYTES)
        self.high = k.var("maximum", high.field(0, 8) * _BYTES)
        self.zero_point = r.output_zero_point
        self.inside = k.var("inside", r.input_width.min(r.plane_columns - r.padding_width))

    def kernel(self):
        k, r = self.k, self.record
        with k.loop("group", times=8) as group:
            kinds = k.var("kinds", 0)
            for channel in range(_GROUP):
                kinds += self.stream[_STREAM * channel]
            image, output = k.var("first_line", self.image), k.var("out", self.output)
            batches = k.var("batches", r.batches)
            with k.loop("batch", times=1) as batch:
                rows_left = k.var("rows_left", r.output_height)
                top = k.var("top", -r.padding_height)
                with k.loop("band", times=4) as band:
                    rows = rows_left.min(r.band_rows >> 1)
                    self._copy(image, top, rows)
                    self._rows(output, rows, kinds)
                    top += rows << 1
                    rows_left -= rows
                    band.repeat_if(rows_left > 0)
                image += r.input_height * r.input_width * r.input_channels
                batches -= 1
                batch.repeat_if(batches > 0)
            self.image += _GROUP
            self.output += _GROUP
            self.stream += _GROUP * _STREAM
            group.repeat_if(self.stream.below(self.stream_end))
        return k.finish()

    # Copy the lines under `rows` rows of windows to the plane, from line `top` of the image on.
    def _copy(self, image, top, rows):
        k, r = self.k, self.record
        line_bytes = k.var("line_bytes", r.input_width * r.input_channels)
        depth = k.var("depth", r.input_channels)
        y = k.var("y", top)
        line = k.var("line", image + y * line_bytes)
        to = k.var("to", self.plane)
        end = k.var("lines_end", to + (rows * 2 + 1) * self.plane_row)
        with k.loop("line", times=4) as loop:
            row_end = k.var("row_end", to + self.plane_row)
            with k.If(y.below(r.input_height)):
                self._fill(to, to + (r.padding_width << 2))
                source = k.var("source", line)
                inside_end = k.var("inside_end", to + (self.inside << 2))
                with k.If(self.inside << 31 != 0):
                    to.put_next(source[0])
                    source += depth
                with k.While(lambda: to.below(inside_end), "copy", times=8):
                    one = source[0]
                    source += depth
                    other = source[0]
                    source += depth
                    to.put_next(one, other)
            self._fill(to, row_end)
            y += 1
            line += line_bytes
            loop.repeat_if(to.below(end))

    # Store words of zero points from `to` on, which advances to `end`.
    def _fill(self, to, end):
        with self.k.While(lambda: to.below(end), "fill", times=1):
            to.put_next(self.zero_points)

    # Compute `rows` rows of outputs.
    def _rows(self, output, rows, kinds):
        k, r = self.k, self.record
        row = k.var("row", self.plane)
        end = k.var("rows_end", row + rows * (self.plane_row << 1))
        depth = k.var("depth", r.output_channels)
        with k.loop("row", times=4) as loop:
            p = k.var("p", row)
            output_end = k.var("output_end", output + r.output_width * depth)
            with k.loop("pixel", times=8) as pixel:
                sums = self._sums(p)
                p -= 4 * (_SIDE - 2)
                word = self._outputs(sums, kinds)
                output[0] = word
                output += depth
                pixel.repeat_if(output.below(output_end))
            row += self.plane_row << 1
            loop.repeat_if(row.below(end))

    def _sums(self, p):
        k = self.k
        sums = [k.var(f"sum{i}", self.stream[_BIAS + _STREAM * i]) for i in range(_GROUP)]
        for x in range(_SIDE):
            spare = [k.reg() for _ in range(7)]
            k.tile(_column, spare, [self.plane_row, self.stream], [*sums, p],
                   size=_COLUMN_BYTES, info=(x,))  # fmt: skip
        return sums

    # Return a word with the outputs of four sums. kinds: 4 if all have one multiplication.
    def _outputs(self, sums, kinds):
        k = self.k
        zero_point, joined = self.zero_point, k.new_label("outputs")
        mixed = k.new_label("mixed")
        k.branch(kinds != _GROUP, mixed)
        factors = [self.stream[_TAIL + _STREAM * i] for i in range(_GROUP)]
        k.tile(_fold_four, [], [*factors, zero_point], sums, size=32)
        k.goto(joined)
        k.label(mixed)
        for i, acc in enumerate(sums):
            at, done, twice = _STREAM * i, k.new_label("done"), k.new_label("twice")
            one, other = k.words(self.stream, at + _TAIL, None, None)
            k.branch(self.stream[at] == 0, twice)
            k.tile(fold, [], [one, zero_point], [acc], size=8)
            k.goto(done)
            k.label(twice)
            k.tile(requantize, [], [one, other, zero_point], [acc], size=20)
            k.label(done)
        k.label(joined)
        k.tile(_join, [], [], sums, size=12)
        with k.If(self.clamped != 0, rare=True):
            k.tile(_clamp, [k.reg()], [self.low, self.high], [sums[0]], size=16)
        return sums[0]


def depthwise_groups():
    machine = MACHINES["armv7em"]()
    return machine.compile(_Groups(machine).kernel())
