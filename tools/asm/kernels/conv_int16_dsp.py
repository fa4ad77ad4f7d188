# Kernel of CONV_2D, int16, of pairs of pixels, in the kernel language
# MIT license; Copyright (c) 2026 the tflm authors

# Steps for a block of pixels, whose number is blocks() of prepare/conv_int16.py:
# 1. Copy the windows of each group of channels to lanes, in which words of the two pixels of a
#    pair alternate. Cells outside of the image are 0. A last pixel without a partner forms a pair
#    with itself.
# 2. For each four channels, unpack the weights to words of two, and make one number of 64 bits of
#    bias and rounding.
# 3. For each pair, multiply: 16 products in 14 cycles of a Cortex-M33. Sums are words; Prepare
#    checks that they fit.
# 4. An output is the upper word of sum * factor + number.

from types import SimpleNamespace

from tflm.prepare.conv_int16 import CONV, LANE_BYTES

from ..language.calls import begin_eval
from ..language.macros import Record
from ..language.windows import Window, each_window
from .conv_dsp import WORD_BYTES, add_products
from .outputs_int16 import multiply_dsp, run_multiply

_ABOUT = """
CONV_2D, int16 with weights of int8 and biases of int64. Units are output pixels of batches. op:
CONV of prepare/conv_int16.py, for which _has_pairs() there is true.
"""
_GROUP = 4  # channels that are summed up together
_UNROLLED = 8  # words of lanes of a pixel in one turn of the inner loop


# Bytes 0 and 1, and 2 and 3, of a word as halfwords.
def _unpack(t, even, odd, word):
    t.sxtb16(even, word)
    t.sxtb16(odd, word, 8)
    t.pkhbt(word, even, odd)
    t.pkhtb(odd, odd, even)


def _run_unpack(word):
    values = [(word >> 8 * i & 0xFF ^ 0x80) - 0x80 & 0xFFFF for i in range(4)]
    return 0, values[2] | values[3] << 16, values[0] | values[1] << 16


def _scale(t, one, other, low, high, other_low, other_high, factor):
    t.smlal(low, high, one, factor)
    t.smlal(other_low, other_high, other, factor)
    t.ssat(one, high, 16)
    t.ssat(other, other_high, 16)


def _run_scale(one, other, low, high, other_low, other_high, factor):
    values = []
    for total, bottom, top in ((one, low, high), (other, other_low, other_high)):
        upper = (top << 32) + (bottom & 0xFFFFFFFF) + total * factor >> 32
        value = (upper + (1 << 31) & 0xFFFFFFFF) - (1 << 31)
        values.append(max(-0x8000, min(0x7FFF, value)))
    return *values, 0, 0, 0, 0


def _clamp_pair(t, spare, one, other, low, high):
    t.pkhbt(one, one, other)
    t.at_least(one, low, spare, 16)
    t.at_most(one, high, spare, 16)


def _run_clamp_pair(one, other, low, high):
    low, high = ((limit & 0xFFFF ^ 0x8000) - 0x8000 for limit in (low, high))
    one, other = (max(low, min(high, value)) & 0xFFFF for value in (one, other))
    return 0, one | other << 16


class _Pixels:
    def __init__(self, machine):
        self.k, self.start, self.stop = begin_eval("eval_int16", _ABOUT, machine)
        k, start = self.k, self.start
        op, arena, rom, *_ = k.arguments
        self.op, self.record = op, Record(k, op, CONV)
        r = self.record
        self.depth, self.channels = r.filter_channels, r.group_channels
        self.area = k.var("filter_area", r.filter_height * r.filter_width)
        self.window = k.var("window", self.area * self.depth)
        self.words = k.var("words", self.window + 1 >> 1)  # of lanes of a pixel
        self.groups = k.reg("groups")
        k.emit("divu", [self.groups], [r.output_channels, self.channels])
        self.pair_bytes = k.var("pair_bytes", self.words << 3)
        pairs = k.reg("pairs")
        k.emit("divu", [pairs], [k.const(LANE_BYTES), self.pair_bytes * self.groups])
        self.block = k.var("block", pairs.max(2).min(op[0] + 1 >> 1) << 1)
        self.lanes_bytes = k.var("lanes_bytes", (self.block >> 1) * self.pair_bytes)
        self.lanes = k.var("lanes", arena + (r.scratch >> 2))
        self.unpacked = k.var("unpacked", self.lanes + self.lanes_bytes * self.groups)
        self.numbers = k.var("numbers", self.unpacked + self.pair_bytes * 2)
        self.skipped = k.var("skipped", (-self.words).field(0, 3) * WORD_BYTES)
        self.image = r.operand("input", arena, rom)
        self.weights = r.operand("weights", arena, rom)
        self.bias = r.optional_operand("bias", arena, rom)
        self.pixel_bytes = k.var("pixel_bytes", r.output_channels << 1)
        self.output = k.var("output", arena + (r.output >> 2) + start * self.pixel_bytes)
        self.factor_step = k.var("factor_step", r.per_channel << 3)
        self.cell_gap = k.var("cell_gap", r.dilation_width * r.input_channels - self.depth << 1)
        self.input_pixel = k.var("input_pixel", r.input_channels << 1)
        reach = (r.filter_width - 1) * r.dilation_width
        self.last_inside = k.var("last_inside", r.input_width - 1 - reach)
        row = r.dilation_height * r.input_width - r.filter_width * r.dilation_width
        self.gap = k.var("full_gap", row * self.input_pixel)
        limits = r.activation_min, r.activation_max
        self.limits = [k.var("limit", limit.field(0, 16) + (limit << 16)) for limit in limits]
        self.left = k.var("pixels_left", self.stop - start)

    def kernel(self):
        k = self.k
        r, self.done = self.record, k.new_label("done")
        self.slot, self.count = k.var("slot", self.lanes), k.var("count", 0)
        operands = self.image, None
        each_window(k, r, self.start, operands, 1, self.depth, self._pixel, self._window_of)
        k.label(self.done)
        return k.finish()

    # Return the window of a pixel. Most are inside of the image on both sides.
    def _window_of(self, k, r, shift, line, x, weight_step):
        rows, line_input, position = line
        window = SimpleNamespace(rows=rows)
        for name in ("input", "filter", "cells", "gap", "weight_gap", "area"):
            setattr(window, name, k.reg(name))
        column = k.var("column", x * r.stride_width - r.padding_width)
        border, found = k.new_label("border"), k.new_label("found")
        k.branch(column < 0, border)
        k.branch(column > self.last_inside, border)
        window.input.set(line_input + column * self.input_pixel)
        window.filter.set(position)
        window.cells.set(r.filter_width)
        window.gap.set(self.gap)
        window.weight_gap.set(0)
        window.area.set(rows * window.cells)
        k.goto(found)
        k.label(border)
        with k.weighted(1 / 8):
            other = Window(k, r, shift, line, x, weight_step)
            for name in ("input", "filter", "cells", "gap", "weight_gap", "area"):
                getattr(window, name).set(getattr(other, name))
        k.label(found)
        return window

    # Copy the window of a pixel, and compute a block that is complete.
    def _pixel(self, window, _batch):
        k = self.k
        start, source = k.var("start", self.slot), k.var("source", window.input)
        groups_left = k.var("groups_left", self.groups)
        with k.loop("group", times=1) as group:
            with k.If(window.area != self.area):
                self._clear(start)
            with k.If(window.area != 0):
                self._copy_window(window, start, k.var("from", source))
            start += self.lanes_bytes
            source += self.depth << 1
            groups_left -= 1
            group.repeat_if(groups_left != 0)
        self.count += 1
        self.left -= 1
        complete, more = k.new_label("complete"), k.new_label("more")
        k.branch(self.left == 0, complete)
        k.branch(self.count == self.block, complete)
        # The second pixel of a pair, or the next pair.
        self.slot += 4
        with k.If(self.count.field(0, 1) == 0):
            self.slot += self.pair_bytes - 8
        k.goto(more)
        k.label(complete)
        with k.weighted(1 / 8):
            self._all_channels()
        k.branch(self.left == 0, self.done)
        self.slot.set(self.lanes)
        self.count.set(0)
        k.label(more)

    def _clear(self, start):
        k = self.k
        to, zero = k.var("to", start), k.var("zero", 0)
        end = k.var("lanes_end", to + self.pair_bytes)
        with k.loop("clear", times=8) as clear:
            to[0] = zero
            to += 8
            clear.repeat_if(to != end)

    # Cells that touch each other in the image are one run. Others are a word each, words, or
    # single inputs if their number is odd.
    def _copy_window(self, window, start, source):
        k, copied = self.k, self.k.new_label("copied")
        labels = [k.new_label(name) for name in ("run", "odd", "word")]
        k.branch(self.cell_gap == 0, labels[0])
        k.branch(self.depth.field(0, 1) != 0, labels[1])
        k.branch(self.depth == 2, labels[2])
        self._copy_cells(window, start, source, self._copy_words)
        for label, copy in zip(labels[1:], (self._copy_inputs, self._copy_word), strict=True):
            k.goto(copied)
            k.label(label)
            self._copy_cells(window, start, source, copy)
        k.goto(copied)
        k.label(labels[0])
        self._copy_runs(window, start, source)
        k.label(copied)

    def _copy_cells(self, window, start, source, copy):
        k, r = self.k, self.record
        position, rows = k.var("position", window.filter), k.var("rows_left", window.rows)
        with k.loop("row", times=3) as row:
            to = k.var("to", start + (position >> 1 << 3))
            if copy == self._copy_inputs:
                to += position.field(0, 1) << 1
            cells = k.var("cells_left", window.cells)
            with k.loop("cell", times=3) as cell:
                copy(to, source)
                source += self.cell_gap
                cells -= 1
                cell.repeat_if(cells != 0)
            source += window.gap
            position += r.filter_width * self.depth
            rows -= 1
            row.repeat_if(rows != 0)

    # These copy a cell; the addresses advance.
    def _copy_word(self, to, source):
        to[0] = source.next(self.k.reg())
        to += 8

    def _copy_words(self, to, source):
        end = self.k.var("cell_end", source + (self.depth << 1))
        with self.k.loop("words", times=2) as words:
            self._copy_word(to, source)
            words.repeat_if(source != end)

    def _copy_inputs(self, to, source):
        end = self.k.var("cell_end", source + (self.depth << 1))
        with self.k.loop("inputs", times=2) as inputs:
            to.put("u16", source.get("u16"))
            source += 2
            to += (to.field(1, 1) << 2) + 2
            inputs.repeat_if(source != end)

    def _copy_runs(self, window, start, source):
        k = self.k
        position, rows = k.var("position", window.filter), k.var("rows_left", window.rows)
        with k.loop("row", times=3) as row:
            size = k.var("size", window.cells * self.depth)
            self._copy(k.var("to", start + (position >> 1 << 3)), source, position, size)
            position += size
            source += window.gap
            position += window.weight_gap
            rows -= 1
            row.repeat_if(rows != 0)

    # Copy `size` inputs; `source` advances. Words of the image may be unaligned, words of lanes
    # are not.
    def _copy(self, to, source, position, size):
        k = self.k
        left = k.var("left", size)
        with k.If(position.field(0, 1) != 0):
            to.put("u16", source.get("u16"), 2)
            source += 2
            to += 8
            left -= 1
        for words in (4, 1):
            left -= 2 * words
            with k.While(lambda left=left: left >= 0, "words", times=2):
                for i in range(words):
                    to[8 * i] = source.next(k.reg())
                to += 8 * words
                left -= 2 * words
            left += 2 * words
        with k.If(left != 0):
            to.put("u16", source.get("u16"))
            source += 2

    # Compute all channels of the block's pixels; `output` advances.
    def _all_channels(self):
        k, r = self.k, self.record
        weights, lanes = k.var("row", self.weights), k.var("x", self.lanes)
        bias, output = k.var("next_bias", self.bias), k.var("channel_output", self.output)
        factor = k.var("factor", self.op + r.offset("pairs") + 4)
        pairs_end = k.var("pairs_end", (self.count + 1 >> 1) * self.pair_bytes)
        groups_left = k.var("groups_left", self.groups)
        with k.loop("group", times=1) as group:
            left = k.var("channels_left", self.channels)
            with k.loop("four", times=4) as four:
                self._unpack_weights(weights, left)
                self._find_numbers(bias, factor, left)
                self._multiply(lanes, lanes + pairs_end, output, left)
                output += left.min(_GROUP) << 1
                left -= _GROUP
                four.repeat_if(left > 0)
            lanes += self.lanes_bytes
            groups_left -= 1
            group.repeat_if(groups_left != 0)
        self.output += self.count * self.pixel_bytes

    # Unpack the rows of up to four channels, the last one again if there are fewer; `weights`
    # advances. The last word of a row may have one weight.
    def _unpack_weights(self, weights, left):
        k = self.k
        to, channel = k.var("to", self.unpacked), k.var("channel", 0)
        with k.loop("unpack_row", times=4) as rows:
            at, slot = k.var("at", weights), k.var("weight_to", to)
            taps = k.var("taps", self.window)
            for words in (2, 1):
                taps -= 4 * words
                times = 8 if words > 1 else 1
                with k.While(lambda taps=taps: taps >= 0, "unpack", times=times):
                    loaded = [at.next(k.reg()) for _ in range(words)]
                    for i, word in enumerate(loaded):
                        even, odd = k.reg(), k.reg()
                        k.tile(_unpack, [even, odd], [], [word], size=16, run=_run_unpack)
                        slot[32 * i], slot[32 * i + 16] = word, odd
                    slot += 32 * words
                    taps -= 4 * words
                taps += 4 * words
            with k.While(lambda: taps > 0, "rest", times=1):
                second = k.var("second", 0)
                with k.If(taps > 1):
                    second.set(at.get("s8", 1) << 16)
                slot[0] = (at.get("s8") & 0xFFFF) + second
                at += 2
                slot += 16
                taps -= 2
            to += 4
            channel += 1
            with k.If(channel < left):
                weights += self.window
            rows.repeat_if(channel != _GROUP)
        with k.If(left <= _GROUP):
            weights += self.window

    # For the same channels: a number of 64 bits with bias and rounding, and the factor, because
    # (v * factor + (1 << shift - 1)) >> shift is the upper word of
    # v * (factor << 32 - shift) + (1 << 31).
    def _find_numbers(self, bias, factors, left):
        k = self.k
        to, channel = k.var("number_to", self.numbers), k.var("channel", 0)
        with k.loop("number", times=4) as numbers:
            low, high = k.var("low", 0), k.var("high", 0)
            with k.If(self.bias != 0):
                low.set(bias[0])
                high.set(bias[4])
            factor, shift = k.var("factor", factors[0]), k.var("shift", factors[4])
            product, upper = k.reg(), k.reg()
            ins = low, high, factor
            k.tile(multiply_dsp, [product, upper], ins, size=8, run=run_multiply)
            more = 32 - shift
            upper.set((upper << more) + product.lsr(1).lsr(31 - more))
            product <<= more
            upper += product.lsr(31)
            to.put_next(product ^ -(1 << 31), upper, factor << more)
            channel += 1
            with k.If(channel < left):
                self._next_channel(bias, factors)
            numbers.repeat_if(channel != _GROUP)
        with k.If(left <= _GROUP):
            self._next_channel(bias, factors)

    def _next_channel(self, bias, factors):
        factors += self.factor_step
        with self.k.If(self.bias != 0):
            bias += 8

    # Compute up to four channels of all pairs.
    def _multiply(self, lanes, lanes_end, output, left):
        k = self.k
        x, out = k.var("pair", lanes), k.var("out", output)
        pixels, end = k.var("pixels", self.count), k.var("pairs_end", lanes_end)
        with k.loop("pair", times=8) as pair:
            w, weights_end = k.var("w", self.unpacked), self.numbers
            sums = [k.var(f"sum{i}", 0) for i in range(2 * _GROUP)]
            copies = k.new_copies(_UNROLLED, "word")
            k.enter(copies, self.skipped, WORD_BYTES)
            with k.loop("words", times=2) as words:
                with k.repeated(copies), k.weighted(_UNROLLED):
                    add_products(k, x, w, sums)
                words.repeat_if(w.below(weights_end))
            numbers = k.var("numbers_at", self.numbers)
            for i in range(_GROUP):
                at = 12 * i
                changed = [*sums[i::_GROUP], *(numbers[at + j] for j in (0, 4, 0, 4))]
                k.tile(_scale, [], [numbers[at + 8]], changed, size=16, run=_run_scale)
            self._store(sums, out, pixels, left)
            out += self.pixel_bytes << 1
            pixels -= 2
            pair.repeat_if(x.below(end))

    # Store the second pixel first, because a last pixel without a partner is stored twice.
    def _store(self, sums, out, pixels_left, left):
        k = self.k
        for first in range(0, 2 * _GROUP, 2):
            one, other = sums[first : first + 2]
            ins = other, *self.limits
            k.tile(_clamp_pair, [k.reg()], ins, [one], size=20, run=_run_clamp_pair)
        second = k.var("second", out)
        with k.If(pixels_left > 1):
            second += self.pixel_bytes
        pixels = (second, sums[_GROUP:]), (out, sums[:_GROUP])
        few, stored = k.new_label("few"), k.new_label("stored")
        k.branch(left < _GROUP, few)
        for to, (low, _, high, _) in pixels:
            to[0] = low
            to[4] = high
        k.goto(stored)
        k.label(few)
        for to, (low, _, high, _) in pixels:
            next_pixel = k.new_label("next_pixel")
            to.put("u16", low)
            k.branch(left < 2, next_pixel)
            to.put("u16", low >> 16, 2)
            k.branch(left < 3, next_pixel)
            to.put("u16", high, 4)
            k.label(next_pixel)
        k.label(stored)


def eval_int16(machine):
    return _Pixels(machine).kernel()
