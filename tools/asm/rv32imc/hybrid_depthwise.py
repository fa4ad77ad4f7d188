# Generator of the sums of DEPTHWISE_CONV_2D, float32 with weights of int8, for RV32
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.hybrid import HYBRID

from .hybrid_sums import PIXEL_SLOTS, SUMS, ZERO_POINT, begin, begin_pixel, store_block
from .record_float import RECORD, at, in_image, next_pixel
from .rv32 import Rv32

_ABOUT = """
Sums of products of quantized inputs, less their zero points, and weights of int8, stored as int32
in the place of the outputs. Each group has one input channel. `a0` is the address of the record
(HYBRID in prepare/hybrid.py), `a1` of the arena, `a2` of the model. `a3` is the first output *
1024 + the number of outputs.
"""

_SLOTS = (
    *PIXEL_SLOTS,
    "rows",  # of the filter in the image
    "window",  # address of the first input of the next channel
    "group_left",  # output channels of this group
)

_INPUTS, _WEIGHTS = "s0", "s1"
_INPUT_STEP, _WEIGHT_STEP = "s2", "s4"  # bytes from one cell to the next
_CELLS, _CELLS_LEFT, _ROWS_LEFT = "s9", "s5", "s6"  # of the filter in the image
_INPUT_GAP, _WEIGHT_GAP = "s7", "s8"  # bytes from the end of a row of cells to the next one
_GROUP = "s10"
_X, _W = ("t0", "t1"), ("t2", "t3")


# Find the window of the output pixel.
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
    t.mv(_CELLS, "a4")
    t.add("t0", "t0", "a0")
    t.add("t2", "t2", "a1")
    t.lw("a2", RECORD, at(HYBRID, "input_channels"))
    t.mul("t0", "t0", "a2")
    t.load("a0", "input")
    t.add("a0", "a0", "t0")
    t.store("a0", "window")
    t.lw(_WEIGHT_STEP, RECORD, at(HYBRID, "cell_step"))
    t.mul("t2", "t2", _WEIGHT_STEP)
    t.load("a0", "weights")
    t.add("a0", "a0", "t2")
    t.store("a0", "filter")
    t.lw(_INPUT_STEP, RECORD, at(HYBRID, "dilation_width"))
    t.mul(_INPUT_STEP, _INPUT_STEP, "a2")
    t.lw("a0", RECORD, at(HYBRID, "dilation_height"))
    t.mul("a0", "a0", "t1")
    t.mul("a0", "a0", "a2")
    t.mul("a1", _INPUT_STEP, _CELLS)
    t.sub(_INPUT_GAP, "a0", "a1")
    t.sub("t3", "t3", _CELLS)
    t.mul(_WEIGHT_GAP, "t3", _WEIGHT_STEP)


# Find the group of the first channel of the pixel, which is in the slot `channel`.
def _find_group(t):
    t.lw(_GROUP, RECORD, at(HYBRID, "group_channels"))
    t.load("a0", "channel")
    t.divu("a1", "a0", _GROUP)
    t.remu("a0", "a0", _GROUP)
    t.sub("a0", _GROUP, "a0")
    t.store("a0", "group_left")
    t.load("a0", "window")
    t.add("a0", "a0", "a1")
    t.store("a0", "window")


# Add the products of a cell for `count` channels, which share an input or have one each.
def _cell(t, count, is_shared):
    if is_shared:
        t.lb(_X[0], _INPUTS)
        t.sub(_X[0], _X[0], ZERO_POINT)
    for first in range(0, count, 2):
        pair = [(i, _X[0 if is_shared else i - first], _W[i - first], SUMS[i])
                for i in range(first, min(count, first + 2))]  # fmt: skip
        for i, x, w, _ in pair:
            if not is_shared:
                t.lb(x, _INPUTS, i)
            t.lb(w, _WEIGHTS, i)
        if not is_shared:
            for _, x, _, _ in pair:
                t.sub(x, x, ZERO_POINT)
        for _, x, w, _ in pair:
            t.mul(w, w, x)
        for _, _, w, total in pair:
            t.add(total, total, w)


# Sum up the products of the window for `count` channels.
def _sum_up(t, count, is_shared):
    row, cell, done = map(t.new_label, ("row", "cell", "done"))
    for total in SUMS[:count]:
        t.li(total, 0)
    t.branch("beq", _CELLS, "zero", done)
    t.load(_ROWS_LEFT, "rows")
    t.branch("beq", _ROWS_LEFT, "zero", done)
    t.load(_INPUTS, "window")
    t.load(_WEIGHTS, "filter")
    t.label(row)
    t.mv(_CELLS_LEFT, _CELLS)
    t.label(cell)
    _cell(t, count, is_shared)
    t.add(_INPUTS, _INPUTS, _INPUT_STEP)
    t.add(_WEIGHTS, _WEIGHTS, _WEIGHT_STEP)
    t.addi(_CELLS_LEFT, _CELLS_LEFT, -1)
    t.branch("bne", _CELLS_LEFT, "zero", cell)
    t.add(_INPUTS, _INPUTS, _INPUT_GAP)
    t.add(_WEIGHTS, _WEIGHTS, _WEIGHT_GAP)
    t.addi(_ROWS_LEFT, _ROWS_LEFT, -1)
    t.branch("bne", _ROWS_LEFT, "zero", row)
    t.label(done)


# Advance the inputs by `count` channels. Uses t0 to t2.
def _next_inputs(t, count, is_shared):
    names = ("groups", "same_group", "advanced")
    groups, same, advanced = map(t.new_label, names)
    t.load("t0", "window")
    if not is_shared:
        t.li("t1", 1)
        t.branch("bne", _GROUP, "t1", groups)
        t.addi("t0", "t0", count)
        t.jump(advanced)
        t.label(groups)
    t.load("t2", "group_left")
    t.addi("t2", "t2", -count)
    t.branch("bne", "t2", "zero", same)
    t.addi("t0", "t0", 1)
    t.mv("t2", _GROUP)
    t.label(same)
    t.store("t2", "group_left")
    t.label(advanced)
    t.store("t0", "window")


# Sum up the next channels of the pixel: 8, 4 or 1 with an input each, 4 or 1 that share an input.
def _block(t, block, pixel_end):
    names = ("four", "shared", "single", "fewer")
    four, shared, single, fewer = map(t.new_label, names)
    blocks = ((None, 8, False), (four, 4, False), (shared, 4, True), (single, 1, False))
    t.load("t0", "channels_left")
    t.li("t1", 1)
    t.branch("bne", _GROUP, "t1", shared)
    t.li("t1", 4)
    t.branch("blt", "t0", "t1", single)
    t.slli("t1", "t1", 1)
    t.branch("blt", "t0", "t1", four)
    for label, count, is_shared in blocks:
        if label:
            t.label(label)
        if is_shared:
            t.load("t1", "group_left")
            t.branch("bgeu", "t1", "t0", fewer)
            t.mv("t0", "t1")
            t.label(fewer)
            t.li("t1", count)
            t.branch("blt", "t0", "t1", single)
        _sum_up(t, count, is_shared)
        _next_inputs(t, count, is_shared)
        store_block(t, count, block, pixel_end)


def depthwise():
    t = Rv32("depthwise", _ABOUT, 4, _SLOTS)
    window, block, pixel_end, done = map(t.new_label, ("window", "block", "pixel_end", "done"))
    begin(t)
    t.label(window)
    _find_window(t)
    _find_group(t)
    begin_pixel(t)
    t.label(block)
    _block(t, block, pixel_end)
    t.label(pixel_end)
    t.load("a0", "left")
    t.branch("beq", "a0", "zero", done)
    t.load(RECORD, "record")
    next_pixel(t, HYBRID, window)
    t.label(done)
    return t.text()
