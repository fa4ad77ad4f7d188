# Kernels of DEPTHWISE_CONV_2D, int8, for the DSP extension, in the kernel language
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.depthwise_dsp import DEPTHWISE, WINDOW

from ..language.calls import begin_eval
from .depthwise_planes import DSP_COLUMN, Planes
from .outputs_dsp import fold, requantize

_ABOUT = """
DEPTHWISE_CONV_2D, int8, with {}. Units are output channels. op: {} of
prepare/depthwise_dsp.py.
"""
_STREAM = 40  # bytes of a channel with a 3x3 filter
_MAX_WIDTH = 7  # of other filters
_WIDTHS = 5, 3, 1, 4, 2, 6  # narrower ones, in the order of tests


# SMLAD, or SMLA of the bottom (b) or top (t) halfwords.
def _multiply(t, total, x, weight, halves):
    if halves == "both":
        t.smlad(total, x, weight, total)
    else:
        t.smla(halves, total, x, weight)


def _run_multiply(total, x, weight, halves):
    for of_x, of_weight in ("bb", "tt") if halves == "both" else (halves,):
        one, other = (
            word >> 16 if half == "t" else (word & 0xFFFF ^ 0x8000) - 0x8000
            for half, word in ((of_x, x), (of_weight, weight))
        )
        total += one * other
    return total


class _Dsp(Planes):
    """Two columns of outputs at a time, in two rows with stride 1, else in one row.

    If only one column or row is left, the outputs beside it go to the same bytes and are
    overwritten by the valid outputs.
    """

    def __init__(self, name, about, machine, is_3x3):
        layout = DEPTHWISE if is_3x3 else WINDOW
        about = _ABOUT.format(about, "DEPTHWISE" if is_3x3 else "WINDOW")
        k, start, stop = begin_eval(name, about, machine)
        super().__init__(k, (start, stop), layout, 3 if is_3x3 else "filter_height")
        r = self.record
        self.zero_point = r.output_zero_point
        self.low, self.high = r.activation_min, r.activation_max
        self.clamped = k.var("clamped", (self.low + 128) | (self.high - 127))
        self.pair_bytes = k.var("pair_bytes", r.output_width.lsr(1) * r.stride_width)
        self.pair_bytes <<= 5  # two columns
        self.odd = k.var("odd", r.output_width & 1)

    # Compute rows, `count` at a time. sums(x, step): compute the sums of windows that begin at x
    # in a plane and are `step` columns apart (None: the record has the number); x advances.
    def _rows(self, out, rows, plane, count, step, sums):
        k = self.k
        row, row_out, left = k.var("row", plane), k.var("row_out", out), k.var("rows_left", rows)
        row_step = k.var("row_step", self.output_row) if count == 2 else None
        with k.loop("row", times=8) as loop:
            if count == 2:
                with k.If(left == 1):
                    row_step.set(0)
            x, out_at = k.var("x", row), k.var("out_at", row_out)
            end, column_step = k.var("end", row + self.pair_bytes), k.var("step", self.output_step)
            odd, tested = k.var("odd_left", self.odd), k.new_label("tested")
            k.branch(x == end, tested)
            with k.loop("pixel", times=8) as pixel:
                found = sums(x, step)
                self._outputs(found)
                beside = k.var("beside", out_at + column_step)
                if count == 2:
                    beside.put("u8", found[3], row_step)
                    beside.put("u8", found[2])
                    out_at.put("u8", found[1], row_step)
                else:
                    beside.put("u8", found[1])
                out_at.put("u8", found[0])
                out_at.set(beside + column_step)
                pixel.repeat_if(x.below(end))
                k.label(tested)
                pixel.leave_if(odd == 0)
                odd.set(0)
                column_step.set(0)
                pixel.repeat()
            left -= count
            loop.leave_if(left <= 0)
            row_out += self.output_row << count - 1
            row += self.plane_row
            loop.repeat()

    # Make outputs of sums, with one multiplication, or rounded twice as in TFLM.
    def _outputs(self, sums):
        k = self.k
        done = k.new_label("outputs")
        with k.If(self.kind == 0, rare=True):
            requantize(k, sums, self.factor, self.shift, self.zero_point)
            with k.If(self.clamped != 0):
                for total in sums:
                    total.set(total.max(self.low).min(self.high))
            k.goto(done)
        fold(k, sums, self.factor, self.zero_point)
        k.label(done)

    def _multiply(self, total, x, weight, halves="both"):
        self.k.tile(_multiply, [], [x, weight], [total], 4, (halves,), _run_multiply)

    def _biases(self, bias, count):
        return [self.k.var(f"sum{i}", bias) for i in range(count)]


class _Side3(_Dsp):
    """3x3 filters. The weights of a column are two words, (w0, w1) and (w1, w2)."""

    def __init__(self, name, machine, count):
        self.window_rows = count
        about = f"3x3 filters and a vertical stride of {3 - count}"
        super().__init__(name, about, machine, True)

    def stream_bytes(self):
        return self.k.var("stream_bytes", _STREAM)

    def rows(self, out, rows, plane):
        k = self.k
        names = "kind", "bias", *[f"weight{i}" for i in range(6)], "factor", "shift"
        words = k.words(self.stream, 0, *names)
        self.kind, self.bias, *self.weights, self.factor, self.shift = words
        self.stream += _STREAM
        if self.window_rows == 2:
            return self._rows(out, rows, plane, 2, 1, self._sums)
        narrow, done = k.new_label("narrow"), k.new_label("rows_done")
        k.branch(self.record.stride_width == 1, narrow)
        self._rows(out, rows, plane, 1, 2, self._sums)
        k.goto(done)
        k.label(narrow)
        self._rows(out, rows, plane, 1, 1, self._sums)
        k.label(done)
        return None

    # Each word is loaded two words before it is used.
    def _sums(self, x, step):
        k, width = self.k, 3 + step
        sums = self._biases(self.bias, 2 * self.window_rows)
        lower = k.var("lower", x + self.plane_row)
        words = []
        for i in range(-2, 2 * width):
            ahead = i + 2
            if ahead < 2 * width:
                line = lower if ahead >= width else x
                words.append(line[DSP_COLUMN * (ahead % width)])
            if ahead == width - 1:
                x += 2 * DSP_COLUMN * step
            if i >= 0:
                self._products(sums, words[i], i >= width, i % width, step)
        return sums

    # Add the products of a word of a plane. Of two outputs below each other, the upper one reads
    # rows 0, 1 and 2 of the plane, and the lower one rows 1, 2 and 3.
    def _products(self, sums, word, is_lower, column, step):
        halves = ("bt", "both") if is_lower else ("both", "tb")
        for x in range(2):
            if 0 <= column - step * x < 3:
                weight = self.weights[2 * (column - step * x) + is_lower]
                for y in range(self.window_rows):
                    self._multiply(sums[x * self.window_rows + y], word, weight, halves[y])


class _AnySize(_Dsp):
    """Filters of other sizes: each window of `count` rows of outputs covers whole words.

    A column of a row of the plane has a word of weights for each row of outputs.
    """

    def __init__(self, name, machine):
        super().__init__(name, "filters of any size", machine, False)
        k, r = self.k, self.record
        self.width = r.filter_width
        self.missing = k.var("missing", (_MAX_WIDTH - self.width) * DSP_COLUMN)
        self.distance = k.var("distance", r.stride_width << 4)

    # kind, bias, two words for outputs, then the weights.
    def stream_bytes(self):
        k, r = self.k, self.record
        sets = k.var("sets", 3 - r.stride_height)
        self.lines = k.var("lines", (r.filter_height + sets).lsr(1))
        self.line_bytes = k.var("line_bytes", r.filter_width * sets << 2)
        return k.var("stream_bytes", self.lines * self.line_bytes + 16)

    def rows(self, out, rows, plane):
        k = self.k
        one, done = k.new_label("one_row"), k.new_label("rows_done")
        words = k.words(self.stream, 0, "kind", "bias", "factor", "shift")
        self.kind, self.bias, self.factor, self.shift = words
        self.first_weight = k.var("first_weight", self.stream + 16)
        self.stream += self.channel_bytes
        k.branch(self.record.stride_height != 1, one)
        self._rows(out, rows, plane, 2, None, self._sums_of_two)
        k.goto(done)
        k.label(one)
        self._rows(out, rows, plane, 1, None, self._sums_of_one)
        k.label(done)

    def _sums_of_two(self, x, _step):
        sums = self._sums(x, 2)
        x += 2 * DSP_COLUMN
        return sums

    def _sums_of_one(self, x, _step):
        sums = self._sums(x, 1)
        x += self.record.stride_width << 5
        return sums

    # For each row of the plane under a window, jump into the code for _MAX_WIDTH columns.
    def _sums(self, x, count):
        k = self.k
        sums = self._biases(self.bias, 2 * count)
        w, left = k.var("weight_at", self.first_weight), k.var("lines_left", self.lines)
        at = k.var("line", x - self.missing)
        with k.loop("line", times=3) as loop:
            if count == 2:
                words = [k.var("word", at.get("w", self.missing))]
                words.append(k.var("other_word", words[0]))  # for either first column
            else:
                other = k.var("other_line", at + self.distance)
            columns = [k.new_label("column") for _ in range(_MAX_WIDTH)]
            for width in _WIDTHS:
                k.branch(self.width == width, columns[-width])
            for i, label in enumerate(columns):
                k.label(label)
                if count == 2:
                    one, two = w.next(k.reg(), k.reg())
                    here, beside = words[i % 2], words[1 - i % 2]
                    at.get("w", DSP_COLUMN * (i + 1), beside)
                    products = zip(sums, (here, here, beside, beside), (one, two) * 2, strict=True)
                else:
                    weight = w.next(k.reg())
                    pair = other[DSP_COLUMN * i], at[DSP_COLUMN * i]
                    products = zip(sums, reversed(pair), (weight, weight), strict=True)
                for product in products:
                    self._multiply(*product)
            at += self.plane_row
            left -= 1
            loop.repeat_if(left != 0)
        return sums


def eval_planes_3x3_int8(machine):
    return _Side3("eval_planes_3x3_int8", machine, 2).kernel()


def eval_planes_3x3_stride_2_int8(machine):
    return _Side3("eval_planes_3x3_stride_2_int8", machine, 1).kernel()


def eval_planes_int8(machine):
    return _AnySize("eval_planes_int8", machine).kernel()
