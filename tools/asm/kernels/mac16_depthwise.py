# Functions of 3x3 DEPTHWISE_CONV_2D, int8, for MAC16, in the kernel language
# MIT license; Copyright (c) 2026 the tflm authors

from .lanes import Parameters
from .mac16_outputs import Outputs
from .parameters import DEPTHWISE

_PARAMETERS = """The arguments are the arena, the offset of a block of
parameters in it (DEPTHWISE in tools/asm/kernels/parameters.py), and the memory of {}.
"""
_ROWS = f"""
The rows of a channel, 3x3 with {{}}, from a plane of
halfwords with 128 added. {_PARAMETERS.format("the stream (prepare/mac16.py)")}"""
_PLANE = f"""
The plane of one channel: word (j, x) has rows 2 * j and 2 * j + 1 of column x as halfwords,
and zero points outside of the image. {_PARAMETERS.format("the image")}"""


# The weights of the upper two rows are pairs in m0 to m2, one for each column. The weights of the
# lowest row are two words: (left, middle) in m3, and (right, 0) in `corner`.
def _load_weights(t, stream):
    for weights in ("m0", "m1", "m2", "m3"):
        t.ldinc(weights, stream)


# The sum of an output whose window begins in the upper or (odd) in the lower row of a word. words:
# three of the upper two rows of the plane, three of the lower ones.
def _sum(t, total, bias, corner, *words_and_odd):
    *words, odd = words_and_odd
    lowest = ("m3", "l"), ("m3", "h"), (corner, "l")
    t.wsr_acclo(bias)
    for column in range(3):
        upper, lower = words[column], words[3 + column]
        rows = ((upper, "l"), (upper, "h"), (lower, "l"), (lower, "h"))[odd : odd + 3]
        pair = f"m{column}"
        for weight, word in zip(((pair, "l"), (pair, "h"), lowest[column]), rows, strict=True):
            # Only m0 and m1 can come first.
            one, other = (weight, word) if weight[0] in ("m0", "m1") else (word, weight)
            t.mula(one[1] + other[1], one[0], other[0])
    t.rsr_acclo(total)


class _Rows:
    """count: rows of the output that are computed together."""

    def __init__(self, name, about, count, machine):
        arguments = "arena", "offset", "memory", "taps"
        self.p = p = Parameters(name, _ROWS.format(about), DEPTHWISE, machine, arguments)
        self.k, self.count = p.k, count
        self.plane, self.output = p.in_arena("plane"), p.in_arena("output")
        self.rows, self.plane_row, self.width = p.rows, p.plane_row, p.width
        self.output_step, self.output_row = p.output_step, p.output_row
        self.column_step, self.outputs = p.column_step, Outputs(p.k, p)

    def kernel(self):
        k, stream = self.k, self.p.in_memory("stream") - 4  # LDINC advances before it loads
        k.tile(_load_weights, [], [], [stream], 12)
        names = "corner", "bias", "factor", "shift", "half"
        self.corner, self.bias, factor, shift, half = k.words(stream, 4, *names)
        self.outputs.begin(factor, half)
        folded, self.done = k.new_label("folded"), k.new_label("done")
        k.branch(shift < 0, folded)
        self.outputs.set_shift(shift)
        self._each_row(self.outputs.twice)
        k.label(folded)
        self._each_row(self.outputs.folded)
        k.label(self.done)
        return k.finish()

    def _each_row(self, requantize):
        k = self.k
        with k.loop("row", 8) as row:
            xs = [k.var("upper", self.plane), k.var("lower", self.plane + self.plane_row)]
            self.plane.set(xs[1])
            end, to = k.var("row_end", xs[0] + self.width), k.var("to", self.output)
            with k.loop("pixel", 16) as pixel:
                self._pixel(xs, to, requantize)
                to += self.output_step
                for x in xs:
                    x += self.column_step
                pixel.repeat_if(xs[0].below(end))
            self.rows -= self.count
            k.branch(self.rows <= 0, self.done)
            self.output += self.output_row << self.count - 1
            row.repeat()

    def _pixel(self, xs, to, requantize):
        k, alone = self.k, self.k.new_label("alone")
        words = [x[4 * column] for x in xs for column in range(3)]
        for odd in range(self.count):
            if odd:
                k.branch(self.rows - 1 == 0, alone)
                to = to + self.output_row
            total = k.reg("total")
            k.tile(_sum, [total], [self.bias, self.corner, *words], [], 33, (odd,))
            requantize(total)
            to.put("u8", total)
        k.label(alone)


# Halfwords have 128 added; prepare/mac16.py has subtracted that from the bias.
class _Plane:
    def __init__(self, machine):
        self.p = p = Parameters("build_plane", _PLANE, DEPTHWISE, machine)
        self.k, self.to = p.k, p.in_arena("plane")
        self.half, self.row = p.k.var("half", 0x00800080), p.first_row
        self.height, self.line_step = p.height, p.line_step

    def kernel(self):
        k, p = self.k, self.p
        line, pairs = p.in_memory("line") + self.line_step, p.pair_rows
        row_bytes, columns = p.row_bytes, p.columns
        with k.loop("pair", 8) as pair:
            self._fill("left")
            sources = [self._row_of(line), self._row_of(line + row_bytes)]
            line += row_bytes << 1
            end = k.var("plane_end", self.to + (columns << 2))
            with k.loop("column", 32) as column:
                low, high = (source.get("u8") for source, _ in sources)
                for source, step in sources:
                    source += step
                low += high << 16
                low ^= self.half
                self.to.put_next(low)
                column.repeat_if(self.to != end)
            self._fill("right")
            pairs -= 1
            pair.repeat_if(pairs != 0)
        return k.finish()

    # Return the address and the step of the next row. A missing row reads the byte of the zero
    # point repeatedly.
    def _row_of(self, line):
        k, p = self.k, self.p
        source, step = k.var("source", line), k.var("step", self.line_step)
        with k.If(self.row.not_below(self.height)):  # rows above the image are large
            source.set(p.address + p.offset("fill"))
            step.set(0)
        self.row += 1
        return source, step

    # Store the words of zero points that a parameter counts.
    def _fill(self, name):
        end = self.to + (getattr(self.p, name) << 2)
        zeros = self.p.fill + self.half
        with self.k.While(lambda: self.to != end, "fill", times=1):
            self.to.put_next(zeros)


def plane_kernel(machine):
    return _Plane(machine).kernel()


def rows_kernel(machine):
    return _Rows("rows_3x3", "stride 1, two rows at a time", 2, machine).kernel()


def rows_stride_2_kernel(machine):
    return _Rows("rows_3x3_stride_2", "a vertical stride of 2", 1, machine).kernel()
