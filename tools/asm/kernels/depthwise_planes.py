# Kernels of DEPTHWISE_CONV_2D, int8: a plane for each channel of the image, in the kernel language
# MIT license; Copyright (c) 2026 the tflm authors

from ..language.macros import Cursor, Record

PLANE = 128  # offset of the plane in the scratch buffer
DSP_COLUMN = 16  # bytes of a column of the planes of four channels
_CHANNELS = 4
_LANES = 0x10001
_BYTES = 0x1010101


# Two words of four channels become four words of halfwords.
def _interleave(t, first, second, third, upper, lower):
    t.sxtb16(second, upper)
    t.sxtb16(upper, upper, 8)
    t.sxtb16(third, lower)
    t.sxtb16(lower, lower, 8)
    t.pkhbt(first, second, third)
    t.pkhtb(third, third, second)
    t.pkhbt(second, upper, lower)
    t.pkhtb(lower, lower, upper)


def _run_interleave(upper, lower):
    rows = [[(x >> 8 * i & 0xFF ^ 0x80) - 0x80 for i in range(4)] for x in (upper, lower)]
    first, second, third, fourth = (x & 0xFFFF | y << 16 for x, y in zip(*rows, strict=True))
    return first, second, third, 0, fourth


class Planes:
    """The channels of an image in bands of rows; a subclass computes the outputs of a channel.

    Word (j, x) of a plane has rows 2 * j and 2 * j + 1 of column x of the image as lanes, and zero
    points outside of the image. With the DSP extension rows are halfwords, and the planes of four
    input channels alternate; the last four may be channels of the ones before. The plane of an
    image of fewer than four channels is the last one of four.

    layout: of the record: of prepare/depthwise_lanes.py or prepare/depthwise_dsp.py. units: first
    output channel and end. filter_height: a number or the name of a field.
    """

    def __init__(self, k, units, layout, filter_height):
        self.k = k
        op, arena, rom, *_ = k.arguments
        self.record = r = Record(k, op, layout)
        start, stop = units
        is_field = isinstance(filter_height, str)
        self.height = getattr(r, filter_height) if is_field else filter_height
        self.stride = r.stride_height
        self.has_dsp = k.machine.name == "armv7em"
        self.shift = 4 if self.has_dsp else 2  # 1 << shift: bytes of a column
        self.channel_bytes = self.stream_bytes()
        self.stream = k.var("stream", r.operand("stream", arena, rom) + start * self.channel_bytes)
        self.count = k.var("count", stop - start)
        first = k.reg("first_channel")
        k.emit("divu", [first], [start, r.multiplier])
        self.uses = k.var("uses", (first + 1) * r.multiplier - start)
        self.depth = r.input_channels
        self.row_bytes = k.var("row_bytes", r.input_width * self.depth)
        # One column before the first one: steps come before loads.
        self.image = k.var("image", r.operand("input", arena, rom) + first - self.depth)
        self.output = k.var("band_output", r.operand("output", arena, rom) + start)
        self.output_step = r.output_channels
        self.output_row = k.var("output_row", r.output_width * self.output_step)
        self.plane_row = k.var("plane_row", r.plane_columns << self.shift)
        self.left = r.padding_width
        self.columns = k.var("columns", (r.plane_columns - self.left).min(r.input_width))
        self.beside = k.var("beside", r.plane_columns - self.columns)
        zero_point = r.input_zero_point
        self.fill = k.var("fill", zero_point + (zero_point << 16))
        self.zero = r.operand("scratch", arena, rom)
        self.zero[0] = zero_point
        self.plane = k.var("plane", self.zero + PLANE)
        if self.has_dsp:
            self.fill.set(zero_point.field(0, 16) * _LANES)
            self.zero[0] = zero_point.field(0, 8) * _BYTES
            self.first = first
        if k.machine.name == "xtensawin":
            self.half = k.var("half", 0x80 * _LANES)

    def stream_bytes(self):
        """Return the bytes of a channel in the stream."""
        raise NotImplementedError

    def rows(self, out, rows, plane):
        """Compute rows of outputs of a channel, from the address `out` on; `stream` advances."""
        raise NotImplementedError

    # 1. For each batch and band of rows:
    # 2. For each output channel: build the plane of its input channel, unless it is there.
    # 3. Compute the rows of outputs.
    def kernel(self):
        k, r = self.k, self.record
        batches = r.batches
        with k.loop("batch", times=1) as batch:
            rows_left, top = r.output_height, k.var("top", -r.padding_height)
            with k.loop("band", times=2) as band:
                rows = k.var("rows", rows_left.min(r.band_rows))
                lines = (rows - 1) * self.stride + self.height + 1
                plane_end = k.var("plane_end", self.plane + lines.lsr(1) * self.plane_row)
                self._channels(top, rows, plane_end)
                self.output += rows * self.output_row
                top += rows * self.stride
                rows_left -= rows
                band.repeat_if(rows_left > 0)
            self.image += r.input_height * self.row_bytes
            batches -= 1
            batch.repeat_if(batches != 0)
        return k.finish()

    def _channels(self, top, rows, plane_end):
        k = self.k
        line = k.var("line", self.image + top * self.row_bytes)
        out, uses_left = k.var("out", self.output), k.var("uses_left", self.uses)
        first_stream, count = k.var("first_stream", self.stream), k.var("left", self.count)
        built = k.new_label("built")
        plane, inputs = self.plane, k.var("inputs_left", self.depth)
        if self.has_dsp:
            inputs -= self.first
        with k.loop("channel", times=16) as channel:
            if self.has_dsp:
                plane = self._build_four(line, top, plane_end, inputs)
            else:
                self._build(line, top, plane_end, self._load_columns)
            k.label(built)
            self.rows(out, rows, plane)
            out += 1
            count -= 1
            channel.leave_if(count == 0)
            uses_left -= 1
            k.branch(uses_left != 0, built)
            uses_left.set(self.record.multiplier)
            line += 1
            if self.has_dsp:
                inputs -= 1
                plane += 4
                k.branch(plane != self.plane + DSP_COLUMN, built)
            channel.repeat()
        self.stream.set(first_stream)

    # Build the planes of the next input channels; return the address of the first one.
    def _build_four(self, line, top, plane_end, inputs):
        k = self.k
        plane = k.var("plane_at", self.plane + DSP_COLUMN - 4)
        few, done = k.new_label("few"), k.new_label("planes")
        k.branch(self.depth < _CHANNELS, few)
        before = (_CHANNELS - inputs).max(0)
        plane.set(self.plane + (before << 2))
        self._build(line - before, top, plane_end, self._load_four)
        k.goto(done)
        k.label(few)
        self._build(line, top, plane_end, self._load_columns)
        k.label(done)
        return plane

    # Zero points at the right of a row and at the left of the next row are written together. The
    # ones after the last row fit the scratch buffer.
    def _build(self, line, top, plane_end, load):
        k = self.k
        to, row, y = k.var("to", self.plane), k.var("line_row", line), k.var("y", top)
        self._fill(to, self.left)
        with k.loop("pair", times=4) as pair:
            lines = []
            for name in ("upper", "lower"):
                x, step = k.var(name, row), k.var(f"{name}_step", self.depth)
                with k.If(y.not_below(self.record.input_height), rare=True):
                    x.set(self.zero)
                    step.set(0)
                y += 1
                row += self.row_bytes
                lines.append((x, step))
            with k.If(self.columns << 31 != 0):
                load(to, lines, 1)
            count = k.var("column_pairs", self.columns.lsr(1))
            with k.While(lambda: count != 0, "columns", times=4):
                load(to, lines, 2)
                count -= 1
            self._fill(to, self.beside)
            pair.repeat_if(to.below(plane_end))

    def _fill(self, to, count):
        end = self.k.var("fill_end", to + (count << self.shift))
        with self.k.While(lambda: to != end, "fill", times=1):
            to.put_next(*[self.fill] * (1 << self.shift - 2))

    def _load_columns(self, to, lines, count):
        if self.has_dsp:
            for _ in range(count):
                upper, lower = (self._next(*line) for line in lines)
                to.put("u16", upper, DSP_COLUMN - 4)
                to.put("u16", lower, DSP_COLUMN - 2)
                to += DSP_COLUMN
            return
        writer = Cursor(self.k, to)
        for _ in range(count):
            writer.put(self._joined(*[self._next(*line) for line in lines]))
        writer.advance()

    # Words may be unaligned.
    def _load_four(self, to, lines, count):
        k = self.k
        for _ in range(count):
            words = []
            for x, step in lines:
                x += step
                words.append(x[0])
            outs = first, second, third = [k.reg() for _ in range(3)]
            k.tile(_interleave, outs, [], words, 32, run=_run_interleave)
            to.put_next(first, second, third, words[1])

    # Machines differ in the addresses of loads with sign.
    def _next(self, x, step):
        if self.k.machine.name in ("armv6m", "armv7em"):
            value = x.get("s8", step)
            x += step
            return value
        x += step
        return x.get("u8" if self.k.machine.name == "xtensawin" else "s8")

    # Return a word of two rows.
    def _joined(self, upper, lower):
        word = upper + (lower << 16)
        is_unsigned = self.k.machine.name == "xtensawin"
        return (word ^ self.half) - self.half if is_unsigned else word
