# CONV_2D, int8, with the DSP extension: gathers and multiplies pixels, in the kernel language
# MIT license; Copyright (c) 2026 the tflm authors

from ..language.kernel import Kernel
from ..language.macros import Record
from .outputs_dsp import clamp, fold, join, multiply_add, requantize, unpack

# Words of the parameters of gather().
GATHER = (
    "source",  # address of the first window in its first row that is in the image
    "lanes",  # target
    "pairs",
    "pixel_step",  # bytes of the image from one pixel of a pair to the other
    "pair_step",  # bytes of the image from one pair to the next
    "run",  # bytes of a window in one row
    "row_step",  # bytes from one row of the window to the next
    "above",  # bytes of the window above the image
    "rows",  # rows of the window in the image
    "below",  # bytes of the window below the image
    "at",  # byte of the image's row where the first window begins; may be negative
    "last",  # where the last window that is completely in the image begins
    "row_bytes",  # of the image
    "fill",  # zero points: two halfwords
    "fill_bytes",  # zero points: four bytes
    "is_whole",  # 1: runs are whole words
    "window",  # bytes of a window, rounded up to whole words
    "spare",  # memory for two windows
)
# Words of the parameters of multiply().
MULTIPLY = (
    "stream",  # address of the first group of channels
    "lanes",  # of the first pair of pixels
    "output",  # of the first pixel and group
    "lanes_end",  # end of the lanes of the last pair
    "groups",
    "output_step",  # bytes from one pixel to the next; 0: the pair is one pixel, twice
    "skipped",  # bytes of code before the first word in the unrolled loop
    "weights",  # bytes of a group's weights
    "zero_point",
    "clamped",  # 0: the output has the full range of its type
    "minimum",  # four times in one word
    "maximum",
)
UNROLLED = 16  # words of lanes of a pixel in one turn of the inner loop
WORD_BYTES = 52  # of code for one word of lanes
_GATHER = """
Unpacks the windows of pairs of pixels, int8, to lanes: for each two elements a word of one pixel,
then one of the other. The parameters are GATHER of tools/asm/kernels/conv_dsp.py.
"""
_MULTIPLY = """
Outputs of groups of four channels for pairs of pixels in lanes. The parameters are MULTIPLY of
tools/asm/kernels/conv_dsp.py.
"""


class _Gather:
    def __init__(self, machine):
        self.k = k = Kernel("gather", _GATHER, ("parameters",), machine)
        self.p = p = Record(k, k.arguments[0], GATHER, first=0)
        self.to, self.window, self.at, self.pairs = p.lanes, p.source, p.at, p.pairs
        self.above, self.below, self.rows, self.run = p.above, p.below, p.rows, p.run
        self.fill, self.fill_bytes, self.spare = p.fill, p.fill_bytes, p.spare
        self.row_step, self.row_bytes, self.pixel_step = p.row_step, p.row_bytes, p.pixel_step

    # Windows of whole words in the image become lanes at once. The bytes of others are copied to
    # spare memory first.
    def kernel(self):
        k, p = self.k, self.p
        pair_step, last, is_whole = p.pair_step, p.last, p.is_whole
        with k.loop("pair") as pair:
            apart, ready = k.new_label("apart"), k.new_label("ready")
            k.branch(is_whole == 0, apart)
            # Without sign: windows that begin left of the image are large.
            k.branch(self.at.above(last), apart)
            k.branch((self.at + self.pixel_step).above(last), apart)
            self._fill_lanes(self.above)
            row, rows = k.var("row", self.window), k.var("rows_left", self.rows)
            with k.While(lambda: rows != 0, "row", times=3):
                self._interleave(row, row + self.pixel_step, row + self.run)
                row += self.row_step
                rows -= 1
            self._fill_lanes(self.below)
            k.goto(ready)
            k.label(apart)
            with k.weighted(1 / 4):
                self._copied()
            k.label(ready)
            self.window += pair_step
            self.at += pair_step
            self.pairs -= 1
            pair.repeat_if(self.pairs != 0)
        return k.finish()

    # Unpack the words of two pixels until the first address is `end`.
    def _interleave(self, one, other, end):
        k = self.k
        one, other = k.var("one", one), k.var("other", other)
        with k.loop("quads", times=16) as quads:
            first, second = one.next(k.reg()), other.next(k.reg())
            even, odd = unpack(k, first)
            other_even, other_odd = unpack(k, second)
            self.to.put_next(even, other_even, odd, other_odd)
            quads.repeat_if(one.below(end))

    # Fill the lanes of a number of bytes of both windows, a multiple of 4.
    def _fill_lanes(self, size):
        k, left = self.k, self.k.var("fill_left", size)
        with k.If(left != 0):
            fill = [k.var("fill", self.fill) for _ in range(4)]
            with k.loop("fill", times=4) as loop:
                self.to.put_next(*fill)
                left -= 4
                loop.repeat_if(left != 0)

    # Copy the bytes of both windows, then unpack them.
    def _copied(self):
        k, p = self.k, self.p
        size = p.window
        copy, window, at = k.var("copy", self.spare), k.var("from", self.window), self.at
        x, half = k.var("x", at), k.var("half", self.spare + size)
        with k.loop("window", times=2) as loop:
            self._bytes(k.var("to", copy), window, x)
            loop.leave_if(copy == half)
            copy.set(half)
            window += self.pixel_step
            x += self.pixel_step
            loop.repeat()
        self._interleave(self.spare, half, half)

    # Copy the bytes of one window, whose first byte is byte `x` of a row of the image.
    def _bytes(self, to, row, x):
        k = self.k
        self._fill_bytes(to, k.var("fill_left", self.above))
        row, rows = k.var("row", row), k.var("rows_left", self.rows)
        left = k.var("left", (-x).max(0).min(self.run))
        inside = k.var("inside", (self.row_bytes - x).max(0).min(self.run) - left)
        right = k.var("right", self.run - left - inside)
        with k.While(lambda: rows != 0, "row", times=3):
            self._fill_bytes(to, k.var("fill_left", left))
            copy(self.k, to, row + left, inside)
            self._fill_bytes(to, k.var("fill_left", right))
            row += self.row_step
            rows -= 1
        self._fill_bytes(to, k.var("fill_left", self.below))

    # `count` becomes 0.
    def _fill_bytes(self, to, count):
        with self.k.While(lambda: count != 0, "fill", times=1):
            to.put("u8", self.fill_bytes)
            to += 1
            count -= 1


def copy(k, to, source, size):
    """Copy bytes; `to` advances. Words need not be aligned."""
    source, left, rest = k.var("source", source), k.var("left", size - 4), k.new_label("rest")
    k.branch(left < 0, rest)
    with k.loop("words", times=2) as words:
        to.put_next(source.next(k.reg()))
        left -= 4
        words.repeat_if(left >= 0)
    k.label(rest)
    left += 4
    with k.While(lambda: left != 0, "byte", times=2):
        to.put("u8", source.get("u8"))
        source += 1
        to += 1
        left -= 1


# Multiply a word of lanes of two pixels by the words of four channels: 16 products in 14 cycles of
# a Cortex-M33. At least one instruction separates the load of a weight from its use and from the
# next load, because they wait otherwise.
def add_products(k, lanes, at, sums):
    weights = [at.next(k.reg())]
    words = lanes.next(k.reg(), k.reg())
    weights.append(at.next(k.reg()))
    for channel in range(4):
        for pixel, word in zip((0, 4), words, strict=True):
            multiply_add(k, sums[pixel + channel], word, weights[channel])
        if channel < 2:
            weights.append(at.next(k.reg()))


# 1. For each group of channels and each pair of pixels: the sums of products. A jump skips words
#    of the loop's first turn, so that its last turn is a whole one.
# 2. Outputs: with one multiplication, or rounded twice as in TFLM.
def multiply_kernel(machine):
    k = Kernel("multiply", _MULTIPLY, ("parameters",), machine)
    p = Record(k, k.arguments[0], MULTIPLY, first=0)
    stream, first, output, lanes_end, left = p.stream, p.lanes, p.output, p.lanes_end, p.groups
    output_step, skipped, weights, zero_point = p.output_step, p.skipped, p.weights, p.zero_point
    clamped, low, high = p.clamped, p.minimum, p.maximum
    with k.loop("group") as groups:
        lanes, out, kind = k.var("lanes", first), k.var("out", output), k.reg("kind")
        output += 4
        stream.next(kind)
        end = k.var("weights_end", stream + weights + 16)
        with k.loop("pair") as pairs:
            at = k.var("at", stream)
            sums = [k.reg(f"sum{i}") for i in range(8)]
            for i, total in enumerate(sums[4:]):
                at.get("w", 4 * i, total)
            at.next(*sums[:4])
            copies = k.new_copies(UNROLLED, "word")
            k.enter(copies, skipped, WORD_BYTES)
            with k.loop("words") as words:
                with k.repeated(copies), k.weighted(UNROLLED):
                    add_products(k, lanes, at, sums)
                words.repeat_if(at.below(end))
            # Both are loaded before the branch waits for one.
            is_folded, zero = k.var("is_folded", kind), k.var("zero", zero_point)
            with k.If(is_folded == 0):
                for channel in range(4):
                    multiplier, shift = at[8 * channel], at[8 * channel + 4]
                    requantize(k, sums[channel::4], multiplier, shift, zero)
                join(k, sums[:4])
                join(k, sums[4:])
                with k.If(clamped != 0):
                    clamp(k, sums[0], low, high)
                    clamp(k, sums[4], low, high)
            with k.Else():
                for one in (0, 2):
                    factors = at[4 * one], at[4 * one + 4]
                    for i, factor in enumerate(factors):
                        fold(k, sums[one + i :: 4], factor, zero)
                join(k, sums[:4])
                join(k, sums[4:])
            second = out + output_step
            out[0] = sums[0]
            second[0] = sums[4]
            out.set(second + output_step)
            pairs.repeat_if(lanes.below(lanes_end))
        stream.set(at + 32)
        left -= 1
        groups.repeat_if(left != 0)
    return k.finish()


def gather_kernel(machine):
    return _Gather(machine).kernel()
