# Generator of the sums of CONV_2D and FULLY_CONNECTED, float32 with weights of int8, for RV32
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.hybrid import HYBRID

from .record import RECORD, address, at, coordinates, in_image, next_pixel
from .rv32 import Rv32

_ABOUT = """
Sums of products of quantized inputs, less their zero points, and weights of int8, stored as int32
in the place of the outputs. `a0` is the address of the record (HYBRID in prepare/hybrid.py), `a1`
of the arena, `a2` of the model. `a3` is the first output * 1024 + the number of outputs.
"""

# Slots that begin(), begin_pixel() and store_block() require.
PIXEL_SLOTS = (
    "record",
    "input",
    "weights",
    "offsets",  # address of the zero points
    "output",  # address of the next output
    "left",  # outputs
    "channels",
    "channel",  # the first one of the pixel
    "channels_left",  # of the pixel
    "x",  # of the output
    "y",
    "batch",
    "filter",  # address of the first weight of the next channel
    "filter_step",  # bytes from one channel to the next
)
_SLOTS = (
    *PIXEL_SLOTS,
    "rows",  # of the window in the image
    "window",  # address of the first input in the image
)

_BLOCKS = 8, 4, 1  # numbers of channels that are summed up together
UNROLLED = 4  # inputs
SUMS = tuple(f"a{i}" for i in range(8))
_ROWS = tuple(f"s{i}" for i in range(8))  # addresses of the weights of a block's channels
_INPUTS, _END_FOUR, _END = "s8", "s9", "s10"
ZERO_POINT = "s11"
_RUN, _INPUT_GAP, _WEIGHTS_GAP = "t4", "t5", "t6"  # see _find_window
_ROWS_LEFT = "ra"
_X, _W = "t0", ("t1", "t2")


def begin(t):
    """Store the arguments, and begin with the first output."""
    t.mv(RECORD, "a0")
    t.store(RECORD, "record")
    for name, slot in (("quantized", "input"), ("weights", "weights"), ("offsets", "offsets"),
                       ("output", "output")):  # fmt: skip
        address(t, "t2", at(HYBRID, name), "a1", "a2")
        t.store("t2", slot)
    t.srli("a0", "a3", 10)
    t.andi("a3", "a3", 1023)
    t.store("a3", "left")
    t.slli("a1", "a0", 2)
    t.add("t2", "t2", "a1")
    t.store("t2", "output")
    t.lw("a1", RECORD, at(HYBRID, "channel_step"))
    t.store("a1", "filter_step")
    t.lw("a1", RECORD, at(HYBRID, "output_channels"))
    t.store("a1", "channels")
    t.remu("a2", "a0", "a1")
    t.store("a2", "channel")
    t.divu("a0", "a0", "a1")
    coordinates(t, HYBRID)


def begin_pixel(t):
    """Begin with the channels of a pixel that are wanted, and load ZERO_POINT.

    The slot `filter` has the address of the first channel. Uses a0 to a2.
    """
    some = t.new_label("some")
    t.load("a0", "channel")
    t.store("zero", "channel")
    t.load("a1", "filter_step")
    t.mul("a1", "a1", "a0")
    t.load("a2", "filter")
    t.add("a2", "a2", "a1")
    t.store("a2", "filter")
    t.load("a1", "channels")
    t.sub("a1", "a1", "a0")
    t.load("a0", "left")
    t.branch("bgeu", "a0", "a1", some)
    t.mv("a1", "a0")
    t.label(some)
    t.store("a1", "channels_left")
    t.sub("a0", "a0", "a1")
    t.store("a0", "left")
    t.load("a0", "batch")
    t.slli("a0", "a0", 2)
    t.load("a1", "offsets")
    t.add("a0", "a0", "a1")
    t.lw(ZERO_POINT, "a0")


def store_block(t, count, block, done):
    """Store the first `count` of SUMS, and go to `block` or, after the pixel, to `done`.

    Uses t0 and t1.
    """
    t.load("t0", "output")
    for i, total in enumerate(SUMS[:count]):
        t.sw(total, "t0", 4 * i)
    t.addi("t0", "t0", 4 * count)
    t.store("t0", "output")
    t.load("t0", "filter_step")
    if count > 1:
        t.slli("t0", "t0", count.bit_length() - 1)
    t.load("t1", "filter")
    t.add("t0", "t0", "t1")
    t.store("t0", "filter")
    t.load("t0", "channels_left")
    t.addi("t0", "t0", -count)
    t.store("t0", "channels_left")
    more = t.new_label("more")
    t.branch("bne", "t0", "zero", more)
    t.jump(done)
    t.label(more)
    t.jump(block)


# Find the window of the output pixel. At most one run of the window is in a row of the image,
# because its cells touch each other. _RUN becomes the bytes of a run, _INPUT_GAP and _WEIGHTS_GAP
# the bytes from the end of a run to the next one.
def _find_window(t):
    t.load(RECORD, "record")
    t.load("a0", "y")
    in_image(t, HYBRID, "height")
    t.store("a4", "rows")
    t.load("t0", "batch")
    t.lw("t1", RECORD, at(HYBRID, "input_height"))
    t.mul("t0", "t0", "t1")
    t.add("t0", "t0", "a0")
    t.lw("t1", RECORD, at(HYBRID, "input_width"))
    t.mul("t0", "t0", "t1")  # the pixel where the row begins
    t.lw("t3", RECORD, at(HYBRID, "filter_width"))
    t.mul("t2", "a1", "t3")  # the cell of the filter
    t.load("a0", "x")
    in_image(t, HYBRID, "width")
    t.add("t0", "t0", "a0")
    t.add("t2", "t2", "a1")
    t.lw("a2", RECORD, at(HYBRID, "input_channels"))
    t.mul("t0", "t0", "a2")
    t.load("a0", "input")
    t.add("a0", "a0", "t0")
    t.store("a0", "window")
    t.mul("t2", "t2", "a2")
    t.load("a0", "weights")
    t.add("a0", "a0", "t2")
    t.store("a0", "filter")
    t.mul(_RUN, "a4", "a2")
    t.lw("a0", RECORD, at(HYBRID, "dilation_height"))
    t.mul("a0", "a0", "t1")
    t.mul("a0", "a0", "a2")
    t.sub(_INPUT_GAP, "a0", _RUN)
    t.mul("t3", "t3", "a2")
    t.sub(_WEIGHTS_GAP, "t3", _RUN)


# Add the products of the input at `offset` from _INPUTS and of the weights of `count` channels.
def _tap(t, count, offset):
    t.lb(_X, _INPUTS, offset)
    t.sub(_X, _X, ZERO_POINT)
    for first in range(0, count, 2):
        pair = list(zip(_W, _ROWS[first:count], SUMS[first:count], strict=False))
        for w, row, _ in pair:
            t.lb(w, row, offset)
        for w, _, _ in pair:
            t.mul(w, w, _X)
        for w, _, total in pair:
            t.add(total, total, w)


# Sum up the products of the window and `count` channels: several inputs at a time, then the rest
# of each run.
def _sum_up(t, count):
    names = ("row", "taps", "rest", "tap", "run_end", "done")
    row, taps, rest, tap, run_end, done = map(t.new_label, names)
    for total in SUMS[:count]:
        t.li(total, 0)
    t.branch("beq", _RUN, "zero", done)
    t.load(_ROWS_LEFT, "rows")
    t.branch("beq", _ROWS_LEFT, "zero", done)
    t.load(_INPUTS, "window")
    t.load(_ROWS[0], "filter")
    if count > 1:
        t.load("t0", "filter_step")
    for one, before in zip(_ROWS[1:count], _ROWS, strict=False):
        t.add(one, before, "t0")
    t.label(row)
    t.andi(_END_FOUR, _RUN, -UNROLLED)
    t.add(_END_FOUR, _END_FOUR, _INPUTS)
    t.add(_END, _RUN, _INPUTS)
    t.branch("beq", _INPUTS, _END_FOUR, rest)
    t.label(taps)
    for i in range(UNROLLED):
        _tap(t, count, i)
    for pointer in (_INPUTS, *_ROWS[:count]):
        t.addi(pointer, pointer, UNROLLED)
    t.branch("bne", _INPUTS, _END_FOUR, taps)
    t.label(rest)
    t.branch("beq", _INPUTS, _END, run_end)
    t.label(tap)
    _tap(t, count, 0)
    for pointer in (_INPUTS, *_ROWS[:count]):
        t.addi(pointer, pointer, 1)
    t.branch("bne", _INPUTS, _END, tap)
    t.label(run_end)
    t.addi(_ROWS_LEFT, _ROWS_LEFT, -1)
    t.branch("beq", _ROWS_LEFT, "zero", done)
    t.add(_INPUTS, _INPUTS, _INPUT_GAP)
    for pointer in _ROWS[:count]:
        t.add(pointer, pointer, _WEIGHTS_GAP)
    t.jump(row)
    t.label(done)


def sums():
    t = Rv32("sums", _ABOUT, 4, _SLOTS)
    window, block, pixel_end, done = map(t.new_label, ("window", "block", "pixel_end", "done"))
    begin(t)
    t.label(window)
    _find_window(t)
    begin_pixel(t)
    t.label(block)
    t.load("t0", "channels_left")
    for count in _BLOCKS:
        fewer = t.new_label("fewer")
        if count > 1:
            t.li("t1", count)
            t.branch("blt", "t0", "t1", fewer)
        _sum_up(t, count)
        store_block(t, count, block, pixel_end)
        t.label(fewer)
    t.label(pixel_end)
    t.load("a0", "left")
    t.branch("beq", "a0", "zero", done)
    t.load(RECORD, "record")
    next_pixel(t, HYBRID, window)
    t.label(done)
    return t.text()
