# Kernels of DEPTHWISE_CONV_2D, int8: a plane for each channel of the image, in the kernel language
# MIT license; Copyright (c) 2026 the tflm authors

from ..language.macros import Cursor, Record

PLANE = 128  # offset of the plane in the scratch buffer
_LANES = 0x10001


def _pack(t, to, bottom, top):
    t.pkhbt(to, bottom, top)


def _run_pack(bottom, top):
    return (bottom & 0xFFFF | top << 16,)


class Planes:
    """The channels of an image in bands of rows; a subclass computes the outputs of a channel.

    Word (j, x) of a plane has rows 2 * j and 2 * j + 1 of column x of the image as lanes (as
    halfwords with the DSP extension), and zero points outside of the image.

    layout: of the record; it has the fields `input` to `output_channels` of prepare's DEPTHWISE.
    units: first output channel and end. filter_height, stride: numbers or names of fields.
    """

    def __init__(self, k, units, layout, filter_height, stride):
        self.k = k
        op, arena, rom, *_ = k.arguments
        self.record = r = Record(k, op, layout)
        start, stop = units
        self.height, self.stride = (
            getattr(r, size) if isinstance(size, str) else size for size in (filter_height, stride)
        )
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
        self.plane_row = k.var("plane_row", r.plane_columns << 2)
        self.left = r.padding_width
        self.columns = k.var("columns", (r.plane_columns - self.left).min(r.input_width))
        self.beside = k.var("beside", r.plane_columns - self.columns)
        zero_point = r.input_zero_point
        self.fill = k.var("fill", zero_point + (zero_point << 16))
        if k.machine.name == "armv7em":
            self.fill.set(self._joined(zero_point, zero_point))
        self.zero = r.operand("scratch", arena, rom)
        self.zero[0] = zero_point
        self.plane = k.var("plane", self.zero + PLANE)
        if k.machine.name == "xtensawin":
            self.half = k.var("half", 0x80 * _LANES)

    def stream_bytes(self):
        """Return the bytes of a channel in the stream."""
        raise NotImplementedError

    def rows(self, out, rows):
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
        with k.loop("channel", times=16) as channel:
            self._build(line, top, plane_end)
            k.label(built)
            self.rows(out, rows)
            out += 1
            count -= 1
            channel.leave_if(count == 0)
            uses_left -= 1
            k.branch(uses_left != 0, built)
            line += 1
            uses_left.set(self.record.multiplier)
            channel.repeat()
        self.stream.set(first_stream)

    # Zero points at the right of a row and at the left of the next row are written together. The
    # ones after the last row fit the scratch buffer.
    def _build(self, line, top, plane_end):
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
                self._load_columns(to, lines, 1)
            count = k.var("column_pairs", self.columns.lsr(1))
            with k.While(lambda: count != 0, "columns", times=4):
                self._load_columns(to, lines, 2)
                count -= 1
            self._fill(to, self.beside)
            pair.repeat_if(to.below(plane_end))

    def _fill(self, to, count):
        end = self.k.var("fill_end", to + (count << 2))
        with self.k.While(lambda: to != end, "fill", times=1):
            to.put_next(self.fill)

    def _load_columns(self, to, lines, count):
        writer = Cursor(self.k, to)
        for _ in range(count):
            writer.put(self._joined(*[self._next(*line) for line in lines]))
        writer.advance()

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
        k = self.k
        if k.machine.name == "armv7em":
            word = k.reg()
            k.tile(_pack, [word], [upper, lower], size=4, run=_run_pack)
            return word
        word = upper + (lower << 16)
        return (word ^ self.half) - self.half if k.machine.name == "xtensawin" else word
