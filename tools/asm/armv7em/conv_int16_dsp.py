# Generator of the assembler kernel of CONV_2D, int16 with weights of int8, for pairs of pixels
# MIT license; Copyright (c) 2026 the tflm authors

# Steps for a block of up to four pixels:
# 1. Copy the inputs of each pixel to lanes: of each four, 0 and 2 are a word, and 1 and 3, as
#    SXTB16 makes them of weights. Words of the two pixels of a pair alternate. Cells outside of
#    the image are 0. A last pixel without a partner forms a pair with itself.
# 2. For each group of four channels, unpack the weights to lanes.
# 3. For each pair, multiply: 16 products in 14 cycles of a Cortex-M33. Sums are words; Prepare
#    checks that they fit.
# 4. Add the biases of 64 bits, requantize with multipliers of 15 bits, store int16.

from tflm.prepare.conv_int16 import CONV

from ..kernels.outputs_int16 import multiply_dsp, shift_dsp
from ..language.kernel import Kernel
from ..language.machines import MACHINES
from ..language.macros import ABSENT, Record

_ABOUT = """
Outputs of CONV_2D, int16 with weights of int8 and biases of int64. The record is CONV of
prepare/conv_int16.py, for which _has_pairs() there is true. `units`: first pixel << 10 |
number of pixels.
"""
_GROUP = 4  # channels
_BLOCK = 4  # pixels
_COPIES = 8  # words of lanes of a pixel in one pass of the inner loop
_WORD_BYTES = 52  # of the machine code for a word


def pair_lanes(t, even, odd, first, second):
    t.pkhbt(even, first, second)
    t.pkhtb(odd, second, first)


def _unpack(t, even, odd, word):
    t.sxtb16(even, word)
    t.sxtb16(odd, word, 8)


# Multiply a word of lanes of two pixels by the words of four channels. At least one instruction
# separates the load of a weight from its use, because the use waits otherwise. `w` is one word
# before the weights, because only a load that advances its address first can have an offset, too.
def _word(t, x0, x1, w0, w1, s0, s1, s2, s3, s4, s5, s6, s7, x, w):
    t.ldrd_next(x0, x1, x)
    t.ldr_wide(w0, w, 4)
    t.ldr_wide(w1, w, 8)
    t.smlad(s0, x0, w0)
    t.smlad(s4, x1, w0)
    t.ldr_wide(w0, w, 12)
    t.smlad(s1, x0, w1)
    t.smlad(s5, x1, w1)
    t.ldr_advance(w1, w, 16)
    t.smlad(s2, x0, w0)
    t.smlad(s6, x1, w0)
    t.smlad(s3, x0, w1)
    t.smlad(s7, x1, w1)


# Add a word with sign to a number of 64 bits.
def _add(t, low, high, word):
    t.add_wide(low, low, word, flags=True)
    t.adc_wide(high, high, word, shift="asr", by=31)


# Shift a number of 64 bits right by 33 and more, where `shift` is 32 less, with rounding.
def _shift_far(t, high, shift):
    t.asrs(high, high, shift)
    t.add_carry(high, high)


class _Pixels:
    def __init__(self, machine):
        arguments = "op", "arena", "rom", "units"
        self.k = k = Kernel("multiply_pixels", _ABOUT, arguments, machine)
        op, arena, rom, units = k.arguments
        self.op = op
        self.record = r = Record(k, op, CONV)
        self.pixel = k.var("pixel", units.lsr(10))
        self.left = k.var("left", units.field(0, 10))
        self.depth = k.var("depth", r.input_channels)
        self.window = k.var("window", self.depth * r.filter_width * r.filter_height)
        self.lanes = k.var("lanes", arena + (r.scratch >> 2))
        self.unpacked = k.var("unpacked", self.lanes + (self.window << 3))
        self.unpacked_end = k.var("unpacked_end", self.unpacked + (self.window << 3))
        self.pair_bytes = k.var("pair_bytes", self.window << 2)
        before = (-(self.window >> 1)).field(0, 3)  # copies that the first pass omits
        self.entry = k.var("entry", before * _WORD_BYTES)
        self.image = r.operand("input", arena, rom)
        self.weights = r.operand("weights", arena, rom)
        self.bias = k.var("bias", 0)
        with k.If(r.bias != ABSENT):
            self.bias.set(r.operand("bias", arena, rom))
        self.pixel_bytes = k.var("pixel_bytes", r.output_channels << 1)
        self.output = k.var("output", arena + (r.output >> 2) + self.pixel * self.pixel_bytes)
        self.multiplier_step = k.var("multiplier_step", r.per_channel << 3)

    def kernel(self):
        k = self.k
        with k.loop("block", times=2) as block:
            count = k.var("count", self.left.min(_BLOCK))
            self._copy(count)
            self._groups(count)
            self.pixel += count
            self.output += count * self.pixel_bytes
            self.left -= count
            block.repeat_if(self.left > 0)
        return k.finish()

    # Copy the inputs of `count` pixels to lanes.
    def _copy(self, count):
        k, r = self.k, self.record
        last = k.var("last", self.pixel + count - 1)
        pixel = k.var("source_pixel", self.pixel)
        start = k.var("start", self.lanes)
        gap = k.var("gap", 4)  # to the lanes of the next pixel
        end = k.var("lanes_end", self.lanes + (count + 1).lsr(1) * self.pair_bytes)
        with k.loop("pixel", times=4) as loop:
            row, line, batch, y, x = k.vars("row line batch y x")
            at = pixel.min(last)
            k.emit("divu", [row], [at, r.output_width])
            k.emit("divu", [batch], [row, r.output_height])
            y.set((row - batch * r.output_height) * r.stride_height - r.padding_height)
            x.set((at - row * r.output_width) * r.stride_width - r.padding_width)
            line.set(batch * r.input_height)
            to = k.var("to", start)
            rows = k.var("rows", r.filter_height)
            with k.loop("row", times=3) as rows_loop:
                source_at = ((line + y) * r.input_width + x) * self.depth
                source = k.var("source", self.image + (source_at << 1))
                column = k.var("column", x)
                cells = k.var("cells", r.filter_width)
                with k.loop("cell", times=2) as cell:
                    self._copy_cell(to, source, y, column)
                    column += 1
                    cells -= 1
                    cell.repeat_if(cells > 0)
                y += r.dilation_height
                rows -= 1
                rows_loop.repeat_if(rows > 0)
            pixel += 1
            start += gap
            gap.set(self.pair_bytes - gap)
            loop.repeat_if(start.below(end))

    # Copy a cell at `source`; both addresses advance.
    def _copy_cell(self, to, source, y, x):
        k, r = self.k, self.record
        end = k.var("cell_end", to + (self.depth << 2))
        outside, done = k.new_label("outside"), k.new_label("copied")
        k.branch(y.not_below(r.input_height), outside)
        k.branch(x.not_below(r.input_width), outside)
        with k.loop("copy", times=8) as copy:
            first, second = source[0], source[4]
            even, odd = k.reg(), k.reg()
            k.tile(pair_lanes, [even, odd], [first, second], size=8)
            to[0] = even
            to[8] = odd
            to += 16
            source += 8
            copy.repeat_if(to.below(end))
        k.goto(done)
        k.label(outside)
        source += self.depth << 1
        zero = k.var("zero", 0)
        with k.loop("clear", times=1) as clear:
            to[0] = zero
            to += 8
            clear.repeat_if(to.below(end))
        k.label(done)

    # Compute all channels of the block's pixels.
    def _groups(self, count):
        k, r = self.k, self.record
        weights = k.var("row", self.weights)
        end = k.var("weights_end", weights + r.output_channels * self.window)
        bias = k.var("next_bias", self.bias)
        multiplier = k.var("multiplier", self.op + r.offset("pairs") + 4)
        output = k.var("group_output", self.output)
        with k.loop("group", times=8) as group:
            self._unpack_group(weights)
            lanes = k.var("x", self.lanes)
            pixel_output = k.var("pixel_output", output)
            left = k.var("pixels_left", count)
            with k.loop("pair", times=2) as pair:
                sums = self._sums(lanes)
                self._outputs(sums[:_GROUP], bias, multiplier, pixel_output)
                pixel_output += self.pixel_bytes
                with k.If(left > 1):
                    self._outputs(sums[_GROUP:], bias, multiplier, pixel_output)
                    pixel_output += self.pixel_bytes
                left -= 2
                pair.repeat_if(left > 0)
            multiplier += self.multiplier_step << 2
            with k.If(bias != 0):
                bias += 8 * _GROUP
            output += 2 * _GROUP
            group.repeat_if(weights.below(end))

    # Unpack the weights of four channels; `weights` advances to the next ones.
    def _unpack_group(self, weights):
        k = self.k
        rows = [k.var("row0", weights)]
        for i in range(1, _GROUP):
            rows.append(k.var(f"row{i}", rows[-1] + self.window))
        weights.set(rows[-1] + self.window)
        end = k.var("row_end", rows[1])
        to = k.var("to", self.unpacked)
        with k.loop("unpack", times=16) as unpack:
            for i, row in enumerate(rows):
                word = row.next(k.reg())
                even, odd = k.reg(), k.reg()
                k.tile(_unpack, [even, odd], [word], size=8)
                to[4 * i] = even
                to[4 * (i + _GROUP)] = odd
            to += 8 * _GROUP
            unpack.repeat_if(rows[0].below(end))

    # Return the sums of four channels of one pixel and of the other; `lanes` advances.
    def _sums(self, lanes):
        k = self.k
        sums = [k.var(f"sum{i}", 0) for i in range(2 * _GROUP)]
        w = k.var("w", self.unpacked - 4)
        words = k.new_copies(_COPIES)
        k.enter(words, self.entry, _WORD_BYTES)
        with k.loop("words", times=8) as loop:
            with k.repeated(words):
                spare = [k.reg() for _ in range(4)]
                k.tile(_word, spare, [], [*sums, lanes, w], size=_WORD_BYTES)
            loop.repeat_if(w.below(self.unpacked_end - 4))
        return sums

    # Store four outputs of a pixel.
    def _outputs(self, sums, bias, multiplier, output):
        k, r = self.k, self.record
        at = k.var("factors", multiplier)
        for i, acc in enumerate(sums):
            low, high = k.var("low", 0), k.var("high", 0)
            with k.If(bias != 0):
                low.set(bias[8 * i])
                high.set(bias[8 * i + 4])
            k.tile(_add, [], [acc], [low, high], size=8)
            product, value = k.reg(), k.reg()
            k.tile(multiply_dsp, [product, value], [low, high, at[0]], size=8)
            shift = at[4]
            far, done = k.new_label("far"), k.new_label("shifted")
            left = 32 - shift
            k.branch(left < 0, far)
            k.tile(shift_dsp, [], [shift, left], [product, value], size=12)
            k.goto(done)
            k.label(far)
            k.tile(_shift_far, [], [shift - 32], [value], size=8)
            k.label(done)
            value += r.output_zero_point
            value = value.max(r.activation_min).min(r.activation_max)
            output.put("u16", value, 2 * i)
            at += self.multiplier_step


def multiply_pixels():
    machine = MACHINES["armv7em"]()
    return machine.compile(_Pixels(machine).kernel())
