# CONV_2D and FULLY_CONNECTED, int8: multiply lanes by a stream of weights, in the kernel language
# MIT license; Copyright (c) 2026 the tflm authors

from ..language.macros import Cursor
from .lanes import Parameters, Quads, add_upper
from .outputs_int8 import ChannelOutputs
from .parameters import MULTIPLY

_ABOUT = """
Outputs of groups of four channels for pixels in lanes. The upper half of a product of two words,
rounded, is the sum of two products of int8 (prepare/lanes.py). The parameters are MULTIPLY of
tools/asm/kernels/parameters.py.
"""
_BIASES, _TABLE = 16, 48  # bytes of a group before and after its weights
_UNROLLED = 32  # words in a turn of a loop that is entered in the middle
_WORD_BYTES = 32  # of its machine code for a word


class Multiplier:
    """Outputs of groups of four channels: some words of a pixel at a time, then the last two.

    record: has LIMITS. window: bytes of lanes of one pixel. lanes_step, output_step: from one
    pixel to the next. widened: memory for a group's stream if weights have one byte, else 0.
    pixels: number of pixels that are multiplied by a weight when it is loaded.
    """

    words, pixels = 4, 1

    def __init__(self, k, record, window, lanes_step, output_step, widened):
        self.k, self.window, self.lanes_step = k, window, lanes_step
        self.output_step, self.widened = output_step, widened
        self.outputs = ChannelOutputs(k, record, is_repeated=self.pixels > 1)
        self.begin()
        # Of a stream of weights of one byte: half of the lanes.
        self.group_bytes = k.var("group_bytes", self.window << 1)
        with k.If(self.widened == 0):
            self.group_bytes <<= 1
        self.group_bytes += _BIASES + _TABLE

    def begin(self):
        """Compute values for all groups."""
        k = self.k
        self.round = k.var("round", 0x8000)
        self.rest = k.var("rest", self.window & 8)
        self.whole = k.var("whole", self.window - self.rest)
        self.gap = k.var("gap", self.lanes_step - self.window)

    def enter(self, *lanes):
        """Change addresses of lanes to what row() expects."""

    def next_group(self, stream):
        """Go to the group at `stream`, which advances; unpack weights of one byte."""
        k = self.k
        self.weights = k.var("weights", stream)
        stream += self.group_bytes
        with k.If(self.widened != 0):
            self._widen()

    def _widen(self):
        k = self.k
        to, source = k.var("widened_to", self.widened), k.var("source", self.weights)
        self._copy(source, to, 4)
        Quads(k).unpack_by_four(source, to, self.window << 1)
        self._copy(source, to, 12)
        self.weights.set(self.widened)

    def _copy(self, source, to, words):
        reader, writer = Cursor(self.k, source), Cursor(self.k, to)
        for _ in range(words // 4):
            writer.put(*reader.next(4))
        reader.advance()
        writer.advance()

    def row(self, inputs, end, out):
        """Compute pixels whose lanes are at `inputs`, which becomes `end`; `out` advances."""
        k = self.k
        self.inputs, self.out = inputs, out
        if self.pixels > 1:
            last = k.var("last", end - self.lanes_step)
            with k.While(lambda: inputs.below(last), "pixels"):
                self._pixels(self.pixels)
            with k.If(inputs.below(end)):
                self._pixels(1)
            return
        with k.loop("pixel", times=8) as pixel:
            self._pixels(1)
            pixel.repeat_if(inputs.below(end))

    def pixel(self, inputs, out):
        """Compute one pixel."""
        self.inputs, self.out = inputs, out
        self._pixels(1)

    def _pixels(self, count):
        k = self.k
        sums = [[k.reg(f"sum{c}_{i}") for c in range(4)] for i in range(count)]
        inputs = [self.inputs]
        inputs += [k.var("more_inputs", self.inputs + self.lanes_step) for _ in range(count - 1)]
        table, offset = self.sum_up(inputs, sums)
        if count > 1:
            self.inputs.set(inputs[-1])
        self.inputs += self.gap
        outs = [self.out]
        outs += [k.var("more_out", self.out + self.output_step) for _ in range(count - 1)]
        reader = Cursor(k, table)
        for channel in range(4):
            self.outputs.begin(table, offset + 12 * channel)
            for i, out in enumerate(outs):
                total = k.var("total", sums[i][channel])
                self.outputs.apply(total, reader)
                k.var("to", out).put("u8", total, channel)
        if count > 1:
            self.out.set(outs[-1])
        self.out += self.output_step

    def sum_up(self, inputs, sums):
        """Compute the sums of pixels; `inputs` advance.

        Return the address of the multipliers as a register and an offset.
        """
        k = self.k
        weights = k.var("weight_at", self.weights)
        for channel, total in enumerate(sums[0]):
            weights.get("w", 4 * channel, total)
        for others in sums[1:]:
            for total, first in zip(others, sums[0], strict=True):
                total.set(first)
        end = k.var("whole_end", inputs[0] + self.whole)
        with k.If(inputs[0] != end), k.loop("words", times=8) as loop:
            self._words(self.words, weights, inputs, sums)
            loop.repeat_if(inputs[0] != end)
        with k.If(self.rest != 0):
            self._words(2, weights, inputs, sums)
        return weights, _BIASES

    def _words(self, count, weights, inputs, sums):
        for i in range(count):
            words = [x[4 * i] for x in inputs]
            self.word(weights, _BIASES + 16 * i, words, sums)
        weights += 16 * count
        for x in inputs:
            x += 4 * count

    def word(self, weights, offset, words, sums):
        """Add the products of a word of each pixel and the words of four channels."""
        for channel in range(4):
            weight = weights[offset + 4 * channel]
            for word, totals in zip(words, sums, strict=True):
                totals[channel] += (weight * word + self.round) >> 16


class _Rv32(Multiplier):
    pixels = 2


class _Xtensa(Multiplier):
    """The channels alternate, so that no instruction waits for a load or a product.

    The limits of outputs are in slots during the loop over words.
    """

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.limits = self.outputs.limits()

    def sum_up(self, inputs, sums):
        found = super().sum_up(inputs, sums)
        self.outputs.set_limits([self.k.var("limit", limit) for limit in self.limits])
        return found

    def word(self, weights, offset, words, sums):
        values = [weights[offset + 4 * channel] for channel in range(4)]
        for value in values:
            value *= words[0]
        for value in values:
            value += self.round
        for value in values:
            value >>= 16
        for total, value in zip(sums[0], values, strict=True):
            total += value


class _Thumb(Multiplier):
    """The loop over words is entered so that its last turn is a whole one.

    `inputs` begin the number of skipped words before the first word.
    """

    def begin(self):
        k = self.k
        self.skipped = k.var("skipped", -self.window & k.const(4 * (_UNROLLED - 1)))
        self.length = k.var("length", self.window + self.skipped)
        self.skipped_code = k.var("skipped_code", self.skipped << 3)
        self.gap = k.var("gap", self.lanes_step - self.length)

    def enter(self, *lanes):
        for address in lanes:
            address -= self.skipped

    def sum_up(self, inputs, sums):
        k, (inputs,), (sums,) = self.k, inputs, sums
        weights = k.var("weight_at", self.weights)
        reader = Cursor(k, weights)
        reader.load(sums)
        end = k.var("inputs_end", inputs + self.length)
        copies = k.new_copies(_UNROLLED, "word")
        k.enter(copies, self.skipped_code, _WORD_BYTES)
        with k.loop("words", times=8) as loop:
            with k.repeated(copies) as step, k.weighted(_UNROLLED):
                word = inputs.get("w", step(0, 4))
                for pair in (sums[:2], sums[2:]):
                    weight, other = reader.next(2)
                    for total, value in zip(pair, (weight, other), strict=True):
                        value *= word
                        add_upper(k, total, value)
            inputs += k.const(4 * _UNROLLED)
            loop.repeat_if(inputs.below(end))
        # Sums that wait need no low registers: one gets the register of `end`, one a slot.
        sums[1] = end.set(sums[1])
        sums[2] = k.var("held", sums[2])
        return weights, 0


MULTIPLIERS = {"armv6m": _Thumb, "rv32imc": _Rv32, "xtensawin": _Xtensa}


class _Function:
    """The function multiply()."""

    def __init__(self, machine):
        self.p = p = Parameters("multiply", _ABOUT, MULTIPLY, machine)
        self.k = p.k
        self.rows, self.row_step = p.rows, p.row_step
        widened = p.in_arena("group", optional=True)
        steps = p.window, p.lanes_step, p.output_step
        self.multiplier = MULTIPLIERS[machine.name](self.k, p, *steps, widened)

    # Compute all outputs of the pixels in lanes, or unpack and compute one block after the other.
    def kernel(self):
        k, p = self.k, self.p
        with k.loop("block", times=1) as block:
            lanes, end = p.in_arena("lanes"), p.in_arena("lanes_end")
            with k.If(p.source_end != 0):
                self._unpack(lanes, end)
            self.multiplier.enter(lanes, end)
            output, out = self._groups(lanes, end)
            first = p.output
            # Without bytes of pixels, the end is 0.
            block.leave_if(p.source.not_below(p.source_end))
            # The outputs of the next block follow.
            p.address[p.offset("output")] = out - (output - first) + 4
            block.repeat()
        return k.finish()

    # Unpack the next block, and let `end` be the end of its lanes.
    def _unpack(self, lanes, end):
        k, p = self.k, self.p
        size = k.var("size", (p.source_end - p.source).min((end - lanes).lsr(1)))
        source, to = p.in_arena("source"), k.var("to", lanes)
        p.address[p.offset("source")] = p.source + size
        Quads(k).unpack(source, to, size)
        end.set(to)

    # Return the address after the outputs of the first pixel, and the one after the last pixel of
    # the last group.
    def _groups(self, lanes, lanes_end):
        k, p = self.k, self.p
        stream, output, left = p.in_memory("stream"), p.in_arena("output"), p.groups
        row_gap = k.var("row_gap", self.row_step - (lanes_end - lanes))
        with k.loop("group", times=8) as group:
            self.multiplier.next_group(stream)
            out, inputs = k.var("out", output), k.var("inputs", lanes)
            end, rows_left = k.var("row_end", lanes_end), k.var("rows_left", self.rows)
            with k.loop("row", times=4) as rows:
                self.multiplier.row(inputs, end, out)
                rows_left -= 1
                rows.leave_if(rows_left == 0)
                inputs += row_gap
                end += self.row_step
                rows.repeat()
            output += 4
            left -= 1
            group.repeat_if(left != 0)
        return output, out


def multiply_kernel(machine):
    return _Function(machine).kernel()
