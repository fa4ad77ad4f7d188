# CONV_2D and FULLY_CONNECTED, int8: multiply halfwords by a stream, for MAC16, in the language
# MIT license; Copyright (c) 2026 the tflm authors

from .lanes import Parameters
from .mac16_outputs import Outputs
from .parameters import MULTIPLY

_ABOUT = """
Outputs of groups of four channels for pixels in halfwords, with 128 added. The arguments are the
arena, the offset of a block of parameters in it (MULTIPLY in tools/asm/kernels/parameters.py), and
the memory of the stream (prepare/mac16.py). Addresses among the parameters are offsets in these
two.
"""
_NUMBERS = 16  # bytes of a channel's own numbers, after its weights


# One word after the weights and one word after the inputs is also read: the first of the channel's
# own numbers, and the word of scratch after the inputs. LDINC advances before it loads.
def _begin(t, w, x, bias):
    t.wsr_acclo(bias)
    t.ldinc("m0", w)
    t.ldinc("m2", x)


def _four_products(t, w, x):
    t.mula_ldinc("ll", "m1", w, "m0", "m2")
    t.mula_ldinc("hh", "m3", x, "m0", "m2")
    t.mula_ldinc("ll", "m0", w, "m1", "m3")
    t.mula_ldinc("hh", "m2", x, "m1", "m3")


def _sum(t, total):
    t.rsr_acclo(total)


# Add what the lower half has borrowed from the upper one.
def _add_borrowed(t, borrowed, value, sign):
    t.and_(borrowed, value, sign)
    t.addx2(value, borrowed, value)


class _Multiply:
    def __init__(self, machine):
        self.p = p = Parameters("multiply", _ABOUT, MULTIPLY, machine)
        self.k = k = p.k
        self.window = p.window
        self.lanes, self.lanes_end = (
            k.var(name, p.in_arena(name) - 4) for name in ("lanes", "lanes_end")
        )
        self.output, self.stream = p.in_arena("output"), p.in_memory("stream")
        self.group = p.in_arena("group", optional=True)
        self.passes = k.var("passes", self.window.lsr(3))
        self.rows, self.row_step = p.rows, p.row_step
        self.lanes_step, self.output_step = p.lanes_step, p.output_step
        self.outputs = Outputs(k, p)

    # 1. For each channel: unpack its weights, if they have one byte.
    # 2. For each pixel of each row: the sum of products, then the output.
    def kernel(self):
        k, left = self.k, self.k.var("channels", self.p.groups << 2)
        with k.loop("channel", 8) as channel:
            self.weights, numbers = k.vars("weights numbers")
            with k.If(self.group == 0):
                self.weights.set(self.stream)
                numbers.set(self.stream + self.window)
                self.stream.set(numbers + _NUMBERS)
            with k.Else():
                self._widen()
                self.weights.set(self.group)
                numbers.set(self.group + self.window)
            self.weights -= 4
            names = "bias", "factor", "shift", "half"
            self.bias, factor, shift, half = k.words(numbers, 0, *names)
            self.outputs.begin(factor, half)
            folded, done = k.new_label("folded"), k.new_label("channel_done")
            k.branch(shift < 0, folded)
            self.outputs.set_shift(shift)
            self._pixels(self.outputs.twice)
            k.goto(done)
            k.label(folded)
            self._pixels(self.outputs.folded)
            k.label(done)
            self.output += 1
            left -= 1
            channel.repeat_if(left != 0)
        return k.finish()

    # Unpack a channel whose weights have one byte, with 128 added, to halfwords of twice the value
    # in scratch memory. `stream` advances.
    def _widen(self):
        k = self.k
        mask, bias = k.var("mask", 0x00FF00FF), k.var("too_large", 0x01000100)
        to, sign = k.var("widened_to", self.group), k.var("sign", 1 << 15)
        source = k.var("source", self.stream)
        end = k.var("widened_end", to + self.window)
        with k.loop("weights", 16) as loop:
            even = source.next(k.reg())
            for i, value in enumerate((even, even.lsr(8))):
                value &= mask
                value += value
                value -= bias
                k.tile(_add_borrowed, [k.reg()], [sign], [value], 6)
                to[4 * i] = value
            to += 8
            loop.repeat_if(to != end)
        words = [source[4 * i] for i in range(_NUMBERS // 4)]
        self.stream.set(source + _NUMBERS)
        for i, word in enumerate(words):
            to[4 * i] = word

    # Compute all pixels of all rows with `requantize`.
    def _pixels(self, requantize):
        k = self.k
        to, row, rows_left = (
            k.var("to", self.output),
            k.var("row", self.lanes),
            k.var("rows_left", self.rows),
        )
        x, end = k.var("x", row), k.var("row_end", self.lanes_end)
        with k.loop("row", 4) as rows:
            with k.loop("pixel", 16) as pixel:
                w, at = k.var("w", self.weights), k.var("at", x)
                k.tile(_begin, [], [self.bias], [w, at], 9)
                with k.repeat(self.passes, "products", 16):
                    k.tile(_four_products, [], [], [w, at], 12)
                total = k.reg("total")
                k.tile(_sum, [total], [], [], 3)
                requantize(total)
                to.put("u8", total)
                x += self.lanes_step
                to += self.output_step
                pixel.repeat_if(x != end)
            rows_left -= 1
            rows.leave_if(rows_left == 0)
            row += self.row_step
            end += self.row_step
            x.set(row)
            rows.repeat()


def multiply_kernel(machine):
    return _Multiply(machine).kernel()
