# Function of CONV_2D and FULLY_CONNECTED, float32 with weights of int8, for MAC16, in the language
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.hybrid import HYBRID

from ..language.calls import begin_units
from ..language.macros import Record

_ABOUT = """
Sums of products of quantized inputs, less their zero points, and weights of int8, stored as int32
in the place of the outputs. There is one group, and the cells of a row touch each other in the
image. Units are outputs. op: HYBRID of prepare/hybrid.py.
"""
# Taps of a piece. A product is 256 times as large, because a weight is the upper byte of a
# halfword. The lower word of the accumulator holds 256 products.
_PIECE = 160
_LEAST, _MOST = 3, 16  # pixels that are computed together
_BUFFER = 2 * _PIECE + 8  # bytes; LDINC loads a word after the last one


# Begin a sum. LDINC advances before it loads.
def _begin(t, x, zero):
    t.wsr_acclo(zero)
    t.ldinc("m0", x)
    t.ldinc("m1", x)


def _begin_pixel(t, x, w, zero):
    t.wsr_acclo(zero)
    t.ldinc("m0", x)
    t.ldinc("m2", w)


def _result(t, total):
    t.rsr_acclo(total)
    t.srai(total, total, 8)


# The weights 0 and 2 of a word in `even`, and 1 and 3 in `odd`, as upper bytes of halfwords.
def _split(t, even, odd, word, mask):
    t.slli(even, word, 8)
    t.and_(odd, word, mask)
    t.and_(even, even, mask)


# Products of eight taps whose weights are words; the first four inputs are in m0 and m1. No
# register is loaded twice in the loop: qemu 7.2 would use its old value.
def _word_taps(t, word, even, odd, x, w, mask):
    t.l32i(word, w)
    _split(t, even, odd, word, mask)
    t.mula_ldinc("ll", "m2", x, "m0", even)
    t.mula_ldinc("hl", "m3", x, "m0", odd)
    t.l32i(word, w, 4)
    t.mula_ldinc("lh", "m0", x, "m1", even)
    t.mula_ldinc("hh", "m1", x, "m1", odd)
    t.addi(w, w, 8)
    _split(t, even, odd, word, mask)
    t.mula("ll", even, "m2")
    t.mula("lh", odd, "m2")
    t.mula("hl", even, "m3")
    t.mula("hh", odd, "m3")


# Products of four taps whose weights are at any address.
def _byte_taps(t, word, even, _odd, x, w, _mask):
    for i in range(2):
        t.l8ui(word, w, 2 * i)
        t.l8ui(even, w, 2 * i + 1)
        if i:
            t.addi(w, w, 4)
        t.slli(word, word, 8)
        t.slli(even, even, 8)
        t.mula("ll", f"m{i}", word)
        t.mula_ldinc("hl", f"m{i}", x, f"m{i}", even)


def _tap(t, value, weight, x, w):
    t.l8ui(weight, w)
    t.l16ui(value, x)
    t.addi(w, w, 1)
    t.slli(weight, weight, 8)
    t.addi(x, x, 2)
    t.mula("ll", weight, value)


# Products of four inputs and weights, which are halfwords.
def _four_taps(t, x, w):
    t.mula_ldinc("ll", "m1", x, "m0", "m2")
    t.mula_ldinc("hh", "m3", w, "m0", "m2")
    t.mula_ldinc("ll", "m0", x, "m1", "m3")
    t.mula_ldinc("hh", "m2", w, "m1", "m3")


# Return what macros.in_image() does. Two divisions take fewer instructions than its loops.
def _in_image(k, r, side, position):
    step, size, limit = (getattr(r, f"{name}_{side}") for name in ("dilation", "filter", "input"))
    stride, padding = getattr(r, f"stride_{side}"), getattr(r, f"padding_{side}")
    at, first, count = k.var("at", position * stride - padding), k.var("first", 0), k.reg("count")
    with k.If(at < 0):
        k.emit("divu", [first], [step - 1 - at, step])
        at += first * step
    k.emit("divu", [count], [(limit - at + (step - 1)).max(0), step])
    return at, first, k.var("cells", count.min(size - first).max(0))


# 1. For each pixel: find the cells of the filter in the image.
# 2. For each piece of the window: copy its inputs, then add the products of each channel.
# 3. If the windows are short, copy the inputs of several pixels, then add the products of each
#    channel for all of them.
class _Sums:
    def __init__(self, machine):
        self.k, self.start, self.stop = begin_units("sums", _ABOUT, machine)
        k = self.k
        op, arena, rom, *_ = k.arguments
        self.r = r = Record(k, op, HYBRID)
        self.quantized = r.operand("quantized", arena, rom)
        self.offsets = r.operand("offsets", arena, rom)
        self.weights = r.operand("weights", arena, rom)
        self.output = k.var("to", r.operand("output", arena, rom) + (self.start << 2))
        self.channels, self.channel_step = r.output_channels, r.channel_step
        self.pixel = k.reg("pixel")
        k.emit("divu", [self.pixel], [self.start, self.channels])
        self.channel = k.var("channel", self.start - self.pixel * self.channels)
        self.row_taps = k.var("row_taps", r.filter_width * r.input_channels)
        self.taps = k.var("taps", self.row_taps * r.filter_height)
        self.copy_bytes = k.var("copy_bytes", (self.taps + 3).lsr(2) << 3)
        step = r.dilation_height * r.input_width * r.input_channels
        self.row_step = k.var("row_step", step)
        self.buffer = k.reserve(_BUFFER)
        self.gather_to, self.pixels, self.waiting, self.copies = k.vars(
            "gather_to pixels waiting copies"
        )

    def kernel(self):
        k, end = self.k, self.k.new_label("all_done")
        with k.loop("next", 4) as following:
            self._choose_pixels()
            with k.loop("pixel", 4) as pixel:
                k.branch(self.start >= self.stop, end)
                self._begin_pixel()
                with k.loop("piece", 1) as piece:
                    self._gather()
                    alone = k.new_label("alone")
                    k.branch(self.pixels == 0, alone)
                    self.pixel += 1
                    self.gather_to += self.copy_bytes
                    self.waiting -= 1
                    pixel.repeat_if(self.waiting != 0)
                    self._compute_together()
                    following.repeat()
                    k.label(alone)
                    self._compute_piece()
                    piece.repeat_if(self.left != 0)
                self.output += self.count << 2
                self.channel.set(0)
                self.pixel += 1
                following.repeat()
        k.label(end)
        return k.finish()

    # Choose how many pixels are computed together. Their copied inputs are in the place of later
    # outputs of this call, with a word after them that LDINC loads.
    def _choose_pixels(self):
        k, single = self.k, self.k.new_label("single")
        self.gather_to.set(self.buffer())
        self.pixels.set(0)
        self.waiting.set(0)
        k.branch(self.channel != 0, single)
        k.branch(self.taps > _PIECE, single)
        size = (self.stop - self.start << 2) - 8
        k.branch(size < 0, single)
        step, count = self.channels << 2, k.reg("count_together")
        k.emit("divu", [count], [size, self.copy_bytes + step])
        count.set(count.min(_MOST))
        k.branch(count < _LEAST, single)
        self.pixels.set(count)
        self.waiting.set(count)
        self.copies.set(self.output + count * step)
        self.gather_to.set(self.copies)
        k.label(single)

    # `line` is the address of the inputs of the filter's row number `row`, from the first one in
    # the image on.
    def _begin_pixel(self):
        k, r = self.k, self.r
        self.count = k.var("count", (self.channels - self.channel).min(self.stop - self.start))
        self.start += self.count
        y, batch = k.vars("y batch")
        k.emit("divu", [y], [self.pixel, r.output_width])
        x = k.var("x", self.pixel - y * r.output_width)
        k.emit("divu", [batch], [y, r.output_height])
        y -= batch * r.output_height
        offset = self.offsets.get("w", batch, scale=2)
        self.zero_point = k.var("zero_point", offset + 0x80)
        at_y, self.first_row, self.rows = _in_image(k, r, "height", y)
        at_x, first, cells = _in_image(k, r, "width", x)
        depth = r.input_channels
        line = ((batch * r.input_height + at_y) * r.input_width + at_x) * depth
        line += self.quantized - self.first_row * self.row_step
        self.line = k.var("line", line)
        self.before, self.inside = k.var("before", first * depth), k.var("inside", cells * depth)
        self.window = k.var("window", self.weights + self.channel * self.channel_step)
        self.left = k.var("left", self.taps)
        self.row, self.tap, self.is_more = k.vars("row tap is_more", 0)

    # Copy the inputs of the next piece to `gather_to`, as halfwords less the zero point; 0 outside
    # of the image.
    def _gather(self):
        k = self.k
        self.piece = k.var("piece", self.left.min(_PIECE))
        self.left -= self.piece
        left, to = k.var("piece_left", self.piece), k.var("copy_to", self.gather_to)
        with k.While(lambda: left != 0, "run", 3):
            zeros, copied, inside = map(k.new_label, ("zeros", "copied", "inside"))
            run = k.var("run", self.row_taps - self.tap)
            run.set(run.min(left))
            k.branch((self.row - self.first_row).not_below(self.rows), zeros)
            at = k.var("at", self.tap - self.before)
            k.branch(at >= 0, inside)
            run.set(run.min(-at))
            k.goto(zeros)
            k.label(inside)
            k.branch(at >= self.inside, zeros)
            run.set(run.min(self.inside - at))
            self._copy(run, self.line + at, to)
            k.goto(copied)
            k.label(zeros)
            with k.repeat(run, "zero"):
                to.put("u16", 0)
                to += 2
            k.label(copied)
            left -= run
            self.tap += run
            with k.If(self.tap == self.row_taps):
                self.tap.set(0)
                self.row += 1
                self.line += self.row_step

    def _copy(self, run, source, to):
        k, sign = self.k, self.k.var("sign", 0x80)
        source = k.var("source", source)
        with k.repeat(run, "copy", 64):
            value = source.get("u8")
            source += 1
            value ^= sign
            value -= self.zero_point
            to.put("u16", value)
            to += 2

    # Add the products of a piece to the sums of all channels.
    def _compute_piece(self):
        k = self.k
        self.mask = k.var("mask", 0xFF00FF00 - (1 << 32))
        bytes_, done = k.new_label("bytes"), k.new_label("piece_done")
        k.branch((self.window | self.channel_step).field(0, 2) != 0, bytes_)
        self._channels(_word_taps, 3, 54)
        k.goto(done)
        k.label(bytes_)
        self._channels(_byte_taps, 2, 39)
        k.label(done)
        self.window += self.piece
        self.is_more.set(1)

    # write: tile with the products of 1 << bits taps. size: of its bytes.
    def _channels(self, write, bits, size):
        k = self.k
        groups, few = (
            k.var("groups", self.piece.lsr(bits)),
            k.var("few", self.piece.field(0, bits)),
        )
        w, gap = k.var("w", self.window), k.var("gap", self.channel_step - self.piece)
        to, left, zero = k.var("sum_to", self.output), k.var("sums_left", self.count), k.const(0)
        first = k.var("first", self.buffer() - 4)
        with k.loop("channel", 64) as channel:
            x = k.var("input", first)
            k.tile(_begin, [], [zero], [x], 9)
            with k.repeat(groups, "groups", 16):
                k.tile(write, [k.reg() for _ in range(3)], [self.mask], [x, w], size)
            with k.If(few != 0):
                x -= 4
                with k.repeat(few, "few", 2):
                    k.tile(_tap, [k.reg(), k.reg()], [], [x, w], 18)
            total = k.reg("total")
            k.tile(_result, [total], [], [], 6)
            with k.If(self.is_more != 0):
                total += to[0]
            to.put_next(total)
            w += gap
            left -= 1
            channel.repeat_if(left != 0)

    # Sums of all channels of several pixels. The weights of a channel become halfwords in the
    # buffer first, so that four instructions load and multiply four taps.
    def _compute_together(self):
        k, zero = self.k, self.k.const(0)
        step, source = k.var("step", self.channels << 2), k.var("source", self.weights)
        gap = k.var("gap", self.channel_step - self.taps)
        fours, few = k.var("fours", self.taps.lsr(2)), k.var("few", self.taps.field(0, 2))
        groups = k.var("groups", (self.taps + 3).lsr(2))
        # Up to three weights after the last one are 0.
        spare = self.buffer() + (self.taps << 1)
        for i in range(3):
            spare.put("u16", zero, 2 * i)
        weights = k.var("halves", self.buffer() - 4)
        first, left = k.var("first", self.output), k.var("channels_left", self.channels)
        with k.loop("channel", 16) as channel:
            self._unpack(source, weights, fours, few)
            source += gap
            x, to, pixels = (
                k.var("copy", self.copies),
                k.var("sum_to", first),
                k.var("pixels_left", self.pixels),
            )
            first += 4
            with k.loop("together", 12) as pixel:
                x -= 4
                w = k.var("w", weights)
                k.tile(_begin_pixel, [], [zero], [x, w], 9)
                with k.repeat(groups, "groups", 16):
                    k.tile(_four_taps, [], [], [x, w], 12)
                total = k.reg("total")
                k.tile(_result, [total], [], [], 6)
                to[0] = total
                to += step
                pixels -= 1
                pixel.repeat_if(pixels != 0)
            left -= 1
            channel.repeat_if(left != 0)
        self.output += self.pixels * step

    def _unpack(self, source, weights, fours, few):
        k, to = self.k, self.k.var("halves_to", weights + 4)

        def move(count):
            for i in range(0, count, 2):
                values = [source.get("u8", i + j) for j in range(min(2, count - i))]
                for j, value in enumerate(values):
                    value <<= 8
                    to.put("u16", value, 2 * (i + j))
            to.set(to + 2 * count)
            source.set(source + count)

        with k.repeat(fours, "fours", 16):
            move(4)
        with k.repeat(few, "few", 1):
            move(1)


def sums_kernel(machine):
    return _Sums(machine).kernel()
