# Generator of the sums of float32 operators with int8 weights, for Xtensa with MAC16
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.hybrid import HYBRID

from .channels_float import ARGUMENTS, operand, word_of
from .fpu import Fpu
from .hybrid_windows import clip_window

_ABOUT = """
Sums of products of quantized inputs, less their zero points, and weights of int8, stored as int32
in the place of the outputs `start` to `stop` - 1. There is one group, and the cells of a row touch
each other in the image. `op` is the record (HYBRID in prepare/hybrid.py).
"""
FRAME = (
    "record",
    "quantized",
    "offsets",  # address of the zero points
    "weights",
    "output",  # address of the next output
    "start",  # the next output
    "stop",
    "pixel",  # the next one
    "channel",  # of the next output
    "count",  # outputs of the pixel
    "zero_point",  # that is subtracted from an input whose sign bit is flipped
    "batch",
    "column",
    "first_height",
    "count_height",
    "at_height",
    "first_width",
    "count_width",
    "at_width",
)
_SLOTS = (
    *FRAME,
    "row_taps",
    "row_step",  # bytes of the input from one row of the window to the next
    "before",  # taps of a row at the left of the image
    "inside",  # taps of a row in the image
    "row",  # the window's row of the next tap
    "tap",  # the next one in its row
    "line",  # address of the row's first input in the image
    "window",  # address of the weight of the next tap in the first channel
    "left",  # taps
    "piece",  # taps that are summed up together
    "is_more",  # 0 for the first piece of a pixel
    "taps",  # of the window
    "copy_bytes",  # of the copied inputs of a pixel that is computed with others
    "copy",  # address of these inputs of the first pixel
    "gather_to",  # address of the next copied inputs
    "pixels",  # that are computed together, or 0
    "waiting",  # pixels of them whose inputs are not copied
)
# Taps of a piece. A product is 256 times as large, because a weight is the upper byte of a
# halfword. The lower word of the accumulator holds 256 products.
_PIECE = 160
_LEAST, _MOST = 3, 16  # pixels that are computed together
_X, _W, _WORD, _EVEN, _ODD, _MASK = "a2", "a3", "a4", "a5", "a6", "a7"
_GROUPS, _FEW, _GAP, _ZERO, _TO, _LEFT = "a8", "a9", "a10", "a11", "a12", "a13"
_BUFFER, _IS_MORE = "a14", "a15"


def begin(t):
    """Store the arguments and operands, and find the pixel and the channel of the first output.

    a2 is the record. Uses a3 to a8.
    """
    t.store("a2", "record")
    t.store("a5", "start")
    t.store("a6", "stop")
    for name in ("quantized", "offsets", "weights", "output"):
        operand(t, HYBRID, name, ("a2", "a3", "a4", "a7", "a8"))
    t.load("a7", "output")
    t.addx4("a7", "a5", "a7")
    t.store("a7", "output")
    t.l32i("a7", "a2", word_of(HYBRID, "output_channels"))
    t.quou("a8", "a5", "a7")
    t.store("a8", "pixel")
    t.mull("a8", "a8", "a7")
    t.sub("a8", "a5", "a8")
    t.store("a8", "channel")


def begin_pixel(t, end):
    """Begin with the next pixel, or go to `end`. a2 becomes the record. Uses a3 to a10."""
    t.load("a2", "record")
    t.load("a3", "start")
    t.load("a4", "stop")
    t.far("bge", "a3", "a4", end)
    t.l32i("a5", "a2", word_of(HYBRID, "output_channels"))
    t.load("a6", "channel")
    t.sub("a5", "a5", "a6")
    t.sub("a4", "a4", "a3")
    t.min("a4", "a4", "a5")
    t.store("a4", "count")
    t.add("a3", "a3", "a4")
    t.store("a3", "start")
    t.load("a10", "pixel")
    clip_window(t, HYBRID, "a10")
    t.load("a3", "offsets")
    t.load("a4", "batch")
    t.addx4("a3", "a4", "a3")
    t.l32i("a3", "a3", 0)
    t.movi("a4", 0x80)
    t.add("a3", "a3", "a4")
    t.store("a3", "zero_point")


def first_input(t, to, size):
    """Compute the address of the window's first input in the image.

    size: becomes the channels of the input. a2 is the record. Uses a3 and a4.
    """
    t.l32i(to, "a2", word_of(HYBRID, "input_height"))
    t.load("a3", "batch")
    t.mull(to, to, "a3")
    for side, length in (("height", "input_width"), ("width", "input_channels")):
        t.load("a3", "at_" + side)
        t.add(to, to, "a3")
        t.l32i(size, "a2", word_of(HYBRID, length))
        t.mull(to, to, size)
    t.load("a3", "quantized")
    t.add(to, to, "a3")


def end_pixel(t, pixel):
    """Advance to the first channel of the next pixel, and go to `pixel`. Uses a2 to a4."""
    t.load("a2", "output")
    t.load("a3", "count")
    t.addx4("a2", "a3", "a2")
    t.store("a2", "output")
    t.movi("a2", 0)
    t.store("a2", "channel")
    t.load("a2", "pixel")
    t.addi("a2", "a2", 1)
    t.store("a2", "pixel")
    t.j(pixel)


# Set the slots of a pixel from the clipped window. a2 is the record. Uses a3 to a8.
def _window_slots(t):
    first_input(t, "a5", "a6")
    t.load("a7", "first_height")
    t.load("a8", "row_step")
    t.mull("a7", "a7", "a8")
    t.sub("a5", "a5", "a7")
    t.store("a5", "line")
    for name, slot in (("first_width", "before"), ("count_width", "inside")):
        t.load("a7", name)
        t.mull("a7", "a7", "a6")
        t.store("a7", slot)
    t.load("a5", "channel")
    t.l32i("a6", "a2", word_of(HYBRID, "channel_step"))
    t.mull("a5", "a5", "a6")
    t.load("a6", "weights")
    t.add("a5", "a5", "a6")
    t.store("a5", "window")
    t.load("a5", "taps")
    t.store("a5", "left")
    t.movi("a5", 0)
    for slot in ("row", "tap", "is_more"):
        t.store("a5", slot)


# Copy the inputs of the next piece to the address `gather_to`, as halfwords less the zero point; 0
# outside of the image.
def _gather(t):
    to, left, row, tap, line = "a2", "a3", "a4", "a5", "a6"
    before, inside, row_taps, run, at = "a7", "a8", "a9", "a10", "a11"
    x, value, zero_point, sign = "a12", "a13", "a14", "a15"
    run_start, in_columns, zeros, copied, filled, next_run, same, done = map(
        t.new_label,
        ("run", "in_columns", "zeros", "copied", "filled", "next", "same_row", "gathered"),
    )
    t.movi(value, _PIECE)
    t.load(left, "left")
    t.min(value, value, left)
    t.store(value, "piece")
    t.sub(left, left, value)
    t.store(left, "left")
    t.mov(left, value)
    t.far_zero("beqz", left, done)
    t.load(to, "gather_to")
    for register, slot in ((row, "row"), (tap, "tap"), (line, "line"), (before, "before"),
                           (inside, "inside"), (row_taps, "row_taps"),
                           (zero_point, "zero_point")):  # fmt: skip
        t.load(register, slot)
    t.movi(sign, 0x80)
    t.label(run_start)
    t.sub(run, row_taps, tap)
    t.load(x, "first_height")
    t.load(value, "count_height")
    t.sub(x, row, x)
    t.bgeu(x, value, zeros)
    t.sub(at, tap, before)
    t.bgez(at, in_columns)
    t.neg(at, at)
    t.min(run, run, at)
    t.j(zeros)
    t.label(in_columns)
    t.bgeu(at, inside, zeros)
    t.add(x, line, at)
    t.sub(value, inside, at)
    t.min(run, run, value)
    t.min(run, run, left)
    t.loopnez(run, copied)
    t.l8ui(value, x)
    t.addi(x, x, 1)
    t.xor(value, value, sign)
    t.sub(value, value, zero_point)
    t.s16i(value, to)
    t.addi(to, to, 2)
    t.label(copied)
    t.j(next_run)
    t.label(zeros)
    t.min(run, run, left)
    t.movi(value, 0)
    t.loopnez(run, filled)
    t.s16i(value, to)
    t.addi(to, to, 2)
    t.label(filled)
    t.label(next_run)
    t.sub(left, left, run)
    t.add(tap, tap, run)
    t.bne(tap, row_taps, same)
    t.load(value, "row_step")
    t.movi(tap, 0)
    t.addi(row, row, 1)
    t.add(line, line, value)
    t.label(same)
    t.far_zero("bnez", left, run_start)
    for register, slot in ((row, "row"), (tap, "tap"), (line, "line")):
        t.store(register, slot)
    t.label(done)


# Load the registers that sum up the channels of a piece: _EVEN has the bits that make an address
# unaligned, _GROUPS the number of taps, _GAP the bytes from a channel's last weight to the next
# channel's first one.
def _begin_channels(t):
    t.load("a2", "record")
    t.l32i(_GAP, "a2", word_of(HYBRID, "channel_step"))
    t.load(_W, "window")
    t.or_(_EVEN, _GAP, _W)
    t.extui(_EVEN, _EVEN, 0, 2)
    t.load(_GROUPS, "piece")
    t.sub(_GAP, _GAP, _GROUPS)
    t.load(_TO, "output")
    t.load(_LEFT, "count")
    t.load(_IS_MORE, "is_more")
    t.buffer_address(_BUFFER)
    t.addi(_BUFFER, _BUFFER, -4)  # LDINC advances before it loads
    t.lanes(_MASK, 0xFF, _WORD)
    t.slli(_MASK, _MASK, 8)
    t.movi(_ZERO, 0)


# The weights 0 and 2 of a word in _EVEN, and 1 and 3 in _ODD, as upper bytes of halfwords.
def _split(t):
    t.slli(_EVEN, _WORD, 8)
    t.and_(_ODD, _WORD, _MASK)
    t.and_(_EVEN, _EVEN, _MASK)


# Products of eight taps whose weights are words. No register is loaded twice in the loop: qemu 7.2
# would use its old value.
def _word_taps(t):
    t.l32i(_WORD, _W)
    _split(t)
    t.mula_ldinc("ll", "m2", _X, "m0", _EVEN)
    t.mula_ldinc("hl", "m3", _X, "m0", _ODD)
    t.l32i(_WORD, _W, 4)
    t.mula_ldinc("lh", "m0", _X, "m1", _EVEN)
    t.mula_ldinc("hh", "m1", _X, "m1", _ODD)
    t.addi(_W, _W, 8)
    _split(t)
    t.mula("ll", _EVEN, "m2")
    t.mula("lh", _ODD, "m2")
    t.mula("hl", _EVEN, "m3")
    t.mula("hh", _ODD, "m3")


# Products of four taps whose weights are at any address.
def _byte_taps(t):
    for i in range(2):
        t.l8ui(_WORD, _W, 2 * i)
        t.l8ui(_EVEN, _W, 2 * i + 1)
        if i:
            t.addi(_W, _W, 4)
        t.slli(_WORD, _WORD, 8)
        t.slli(_EVEN, _EVEN, 8)
        t.mula("ll", f"m{i}", _WORD)
        t.mula_ldinc("hl", f"m{i}", _X, f"m{i}", _EVEN)


# Sums of all channels of a piece. taps(t): products of 2 ** bits taps, whose first inputs are in
# m0 and m1. It moves _X and _W on.
def _channels(t, taps, bits):
    channel, groups_end, taps_end, few, first = map(
        t.new_label, ("channel", "groups_end", "taps_end", "few", "first")
    )
    t.extui(_FEW, _GROUPS, 0, bits)
    t.srli(_GROUPS, _GROUPS, bits)
    t.label(channel)
    t.mov(_X, _BUFFER)
    t.wsr_acclo(_ZERO)
    t.ldinc("m0", _X)
    t.ldinc("m1", _X)
    t.loopnez(_GROUPS, groups_end)
    taps(t)
    t.label(groups_end)
    t.beqz(_FEW, few)
    t.addi(_X, _X, -4)
    t.loopnez(_FEW, taps_end)
    t.l8ui(_WORD, _W)
    t.l16ui(_EVEN, _X)
    t.addi(_W, _W, 1)
    t.slli(_WORD, _WORD, 8)
    t.addi(_X, _X, 2)
    t.mula("ll", _WORD, _EVEN)
    t.label(taps_end)
    t.label(few)
    t.rsr_acclo(_WORD)
    t.srai(_WORD, _WORD, 8)
    t.beqz(_IS_MORE, first)
    t.l32i(_EVEN, _TO)
    t.add(_WORD, _WORD, _EVEN)
    t.label(first)
    t.s32i(_WORD, _TO)
    t.addi(_TO, _TO, 4)
    t.addi(_LEFT, _LEFT, -1)
    t.add(_W, _W, _GAP)
    t.bnez(_LEFT, channel)


# Choose how many pixels are computed together. Their copied inputs are in the place of later
# outputs of this call, with a word after them that LDINC loads.
def _choose_pixels(t, chosen):
    single = t.new_label("single")
    t.buffer_address("a3")
    t.store("a3", "gather_to")
    t.movi("a3", 0)
    t.store("a3", "pixels")
    t.load("a2", "record")
    t.load("a3", "channel")
    t.bnez("a3", chosen)
    t.load("a3", "taps")
    t.movi("a4", _PIECE)
    t.blt("a4", "a3", chosen)
    t.load("a3", "start")
    t.load("a4", "stop")
    t.sub("a4", "a4", "a3")
    t.slli("a4", "a4", 2)
    t.addi("a4", "a4", -8)
    t.bltz("a4", single)
    t.l32i("a5", "a2", word_of(HYBRID, "output_channels"))
    t.slli("a5", "a5", 2)
    t.load("a6", "copy_bytes")
    t.add("a6", "a6", "a5")
    t.quou("a4", "a4", "a6")
    t.movi("a6", _MOST)
    t.min("a4", "a4", "a6")
    t.movi("a6", _LEAST)
    t.blt("a4", "a6", single)
    t.store("a4", "pixels")
    t.store("a4", "waiting")
    t.mull("a4", "a4", "a5")
    t.load("a5", "output")
    t.add("a4", "a4", "a5")
    t.store("a4", "copy")
    t.store("a4", "gather_to")
    t.label(single)


# Go to the next pixel if inputs of pixels are missing.
def _next_copy(t, pixel):
    t.load("a2", "pixel")
    t.addi("a2", "a2", 1)
    t.store("a2", "pixel")
    t.load("a2", "gather_to")
    t.load("a3", "copy_bytes")
    t.add("a2", "a2", "a3")
    t.store("a2", "gather_to")
    t.load("a2", "waiting")
    t.addi("a2", "a2", -1)
    t.store("a2", "waiting")
    t.far_zero("bnez", "a2", pixel)


# Sums of all channels of several pixels. The weights of a channel become halfwords in the buffer
# first, so that four instructions load and multiply four taps.
def _pixels_together(t):
    x, w, weights, zero, groups, step, to, left = (f"a{i}" for i in range(2, 10))
    pixels, value, source, gap, first, channels = (f"a{i}" for i in range(10, 16))
    channel, few, unpacked, fours_end, pixel, end = map(
        t.new_label, ("channel", "few", "unpacked", "fours_end", "pixel", "taps_end")
    )
    t.load("a2", "record")
    t.l32i(gap, "a2", word_of(HYBRID, "channel_step"))
    t.l32i(channels, "a2", word_of(HYBRID, "output_channels"))
    t.slli(step, channels, 2)
    t.load(groups, "taps")
    t.sub(gap, gap, groups)
    t.load(source, "weights")
    t.load(first, "output")
    t.load(pixels, "pixels")
    t.buffer_address(weights)
    # Up to three weights after the last one are 0.
    t.addx2(w, groups, weights)
    t.movi(zero, 0)
    for i in range(3):
        t.s16i(zero, w, 2 * i)
    t.addi(weights, weights, -4)  # LDINC advances before it loads
    t.label(channel)
    t.addi(w, weights, 4)
    t.load(left, "taps")
    t.srli(groups, left, 2)
    t.extui(left, left, 0, 2)
    t.loopnez(groups, fours_end)
    for i in range(0, 4, 2):
        t.l8ui(value, source, i)
        t.l8ui(to, source, i + 1)
        if i:
            t.addi(source, source, 4)
        t.slli(value, value, 8)
        t.slli(to, to, 8)
        t.s16i(value, w, 2 * i)
        t.s16i(to, w, 2 * i + 2)
        if i:
            t.addi(w, w, 8)
    t.label(fours_end)
    t.beqz(left, few)
    t.addi(groups, groups, 1)
    t.loopnez(left, unpacked)
    t.l8ui(value, source)
    t.addi(source, source, 1)
    t.slli(value, value, 8)
    t.s16i(value, w)
    t.addi(w, w, 2)
    t.label(unpacked)
    t.label(few)
    t.add(source, source, gap)
    t.load(x, "copy")
    t.mov(to, first)
    t.addi(first, first, 4)
    t.mov(left, pixels)
    t.label(pixel)
    t.addi(x, x, -4)
    t.mov(w, weights)
    t.wsr_acclo(zero)
    t.ldinc("m0", x)
    t.ldinc("m2", w)
    t.loopnez(groups, end)
    t.mula_ldinc("ll", "m1", x, "m0", "m2")
    t.mula_ldinc("hh", "m3", w, "m0", "m2")
    t.mula_ldinc("ll", "m0", x, "m1", "m3")
    t.mula_ldinc("hh", "m2", w, "m1", "m3")
    t.label(end)
    t.rsr_acclo(value)
    t.addi(left, left, -1)
    t.srai(value, value, 8)
    t.s32i(value, to)
    t.add(to, to, step)
    t.bnez(left, pixel)
    t.addi(channels, channels, -1)
    t.far_zero("bnez", channels, channel)
    t.mull("a2", pixels, step)
    t.load("a3", "output")
    t.add("a2", "a2", "a3")
    t.store("a2", "output")


# Steps:
# 1. Find the addresses of the operands.
# 2. For each pixel: clip its window to the image.
# 3. For each piece of the window: copy its inputs, then add the products of each channel.
# 4. If the windows are short, copy the inputs of several pixels, then add the products of each
#    channel for all of them.
def sums():
    t = Fpu("sums", _ABOUT, ARGUMENTS, _SLOTS, buffer=2 * _PIECE + 8)
    labels = "next", "pixel", "piece", "alone", "unaligned", "joined", "end"
    following, pixel, piece, alone, unaligned, joined, end = map(t.new_label, labels)
    begin(t)
    t.l32i("a3", "a2", word_of(HYBRID, "input_channels"))
    t.l32i("a4", "a2", word_of(HYBRID, "filter_width"))
    t.mull("a4", "a4", "a3")
    t.store("a4", "row_taps")
    t.l32i("a5", "a2", word_of(HYBRID, "filter_height"))
    t.mull("a4", "a4", "a5")
    t.store("a4", "taps")
    t.addi("a4", "a4", 3)
    t.srli("a4", "a4", 2)
    t.slli("a4", "a4", 3)
    t.store("a4", "copy_bytes")
    for name in ("input_width", "dilation_height"):
        t.l32i("a4", "a2", word_of(HYBRID, name))
        t.mull("a3", "a3", "a4")
    t.store("a3", "row_step")
    t.label(following)
    _choose_pixels(t, pixel)
    t.label(pixel)
    begin_pixel(t, end)
    _window_slots(t)
    t.label(piece)
    _gather(t)
    t.load("a2", "pixels")
    t.far_zero("beqz", "a2", alone)
    _next_copy(t, pixel)
    _pixels_together(t)
    t.j(following)
    t.label(alone)
    _begin_channels(t)
    t.far_zero("bnez", _EVEN, unaligned)
    _channels(t, _word_taps, 3)
    t.j(joined)
    t.label(unaligned)
    _channels(t, _byte_taps, 2)
    t.label(joined)
    t.movi("a2", 1)
    t.store("a2", "is_more")
    t.load("a2", "window")
    t.load("a3", "piece")
    t.add("a2", "a2", "a3")
    t.store("a2", "window")
    t.load("a2", "left")
    t.far_zero("bnez", "a2", piece)
    end_pixel(t, following)
    t.label(end)
    return t.text()
