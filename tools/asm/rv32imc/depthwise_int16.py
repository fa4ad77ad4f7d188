# Generator of the assembler kernel of DEPTHWISE_CONV_2D, int16, for RV32
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.conv_int16 import DEPTHWISE

from ..common.record import word_of
from .outputs_int16 import (
    OUTPUT_SLOTS,
    SUMS,
    begin_outputs,
    clear_sums,
    first_output,
    store_sums,
    write_outputs,
)
from .record_float import RECORD, coordinates, find_cells, next_pixel, operands
from .rv32 import Rv32

_ABOUT = """
Pixels of DEPTHWISE_CONV_2D, int16 with weights of int8. `a0` is the address of the record
(DEPTHWISE in prepare/conv_int16.py), `a1` of the arena, `a2` of the model. `a3` is the first pixel
* 1024 + the number of pixels. A filter has at most 511 cells.
"""

_SLOTS = (
    *OUTPUT_SLOTS,
    "left",  # pixels
    "channels",
    "channels_left",
    "multiplier_of_depth",  # output channels of an input channel
    "uses_left",  # of the input channel
    "block",  # channels that are summed up together
    "x",  # of the output
    "y",
    "batch",
    "window",  # address of the next channel's first input in the image
    "filter",  # address of its weight
    "input_step",  # bytes from one cell of a row to the next
    "run",  # bytes of a row of the window
    "rows",
    "input_gap",  # bytes from the end of a run to the next one
    "weights_gap",
)

_BLOCKS = 8, 4, 1  # channels that are summed up together; 1 with a depth multiplier

_X, _WEIGHTS, _END, _INPUT_GAP, _WEIGHTS_GAP = "s0", "s1", "s2", "s4", "s5"
_INPUT_STEP, _WEIGHTS_STEP, _RUN, _ROWS_LEFT = "s6", "s7", "s8", "s9"
_VALUES, _FACTORS = ("t0", "t1"), ("t2", "t3")
_CELLS = "t5"  # the subroutine for the block


# Find the window of the output pixel.
def _find_window(t):
    t.load(RECORD, "record")
    find_cells(t, DEPTHWISE)
    t.lw("t3", RECORD, word_of(DEPTHWISE, "input_channels"))
    t.slli("t3", "t3", 1)
    t.mul("t0", "t0", "t3")
    t.load("a0", "input")
    t.add("t0", "t0", "a0")
    t.store("t0", "window")
    t.load("a1", "channels")
    t.mul("t2", "t2", "a1")
    t.load("a0", "weights")
    t.add("t2", "t2", "a0")
    t.store("t2", "filter")
    t.load("a0", "input_step")
    t.mul("a0", "a0", "a4")
    t.store("a0", "run")
    t.lw("a2", RECORD, word_of(DEPTHWISE, "dilation_height"))
    t.mul("a2", "a2", "t1")
    t.mul("a2", "a2", "t3")
    t.sub("a2", "a2", "a0")
    t.store("a2", "input_gap")
    t.sub("t4", "t4", "a4")
    t.mul("t4", "t4", "a1")
    t.store("t4", "weights_gap")


# Store the arguments, and begin with the first pixel.
def _begin(t):
    t.mv(RECORD, "a0")
    t.store("a0", "record")
    operands(t, "a1", "a2", DEPTHWISE)
    begin_outputs(t, DEPTHWISE)
    t.store("zero", "has_high")
    t.srli("a0", "a3", 10)
    t.andi("a3", "a3", 1023)
    t.store("a3", "left")
    t.lw("a4", RECORD, word_of(DEPTHWISE, "output_channels"))
    t.store("a4", "channels")
    t.mul("a1", "a4", "a0")
    t.slli("a1", "a1", 1)
    t.load("a2", "output")
    t.add("a1", "a1", "a2")
    t.store("a1", "output")
    t.lw("a5", RECORD, word_of(DEPTHWISE, "input_channels"))
    t.divu("a4", "a4", "a5")
    t.store("a4", "multiplier_of_depth")
    t.lw("a1", RECORD, word_of(DEPTHWISE, "dilation_width"))
    t.mul("a5", "a5", "a1")
    t.slli("a5", "a5", 1)
    t.store("a5", "input_step")
    coordinates(t, DEPTHWISE)


# Choose the channels of the next block: their number, their subroutine, and their addresses.
def _begin_block(t, subroutines):
    single, chosen = t.new_label("single"), t.new_label("chosen")
    t.load("t0", "channels_left")
    t.load("t1", "multiplier_of_depth")
    t.li("t2", 1)
    t.branch("bne", "t1", "t2", single)
    for count in _BLOCKS:
        if count == 1:
            t.label(single)
        t.li("t1", count)
        t.load_address(_CELLS, subroutines[count])
        if count > 1:
            t.branch("bge", "t0", "t1", chosen)
    t.label(chosen)
    t.store("t1", "block")
    clear_sums(t)
    for register, slot in (
        (_X, "window"),
        (_WEIGHTS, "filter"),
        (_INPUT_STEP, "input_step"),
        (_WEIGHTS_STEP, "channels"),
        (_INPUT_GAP, "input_gap"),
        (_WEIGHTS_GAP, "weights_gap"),
        (_ROWS_LEFT, "rows"),
        (_RUN, "run"),
    ):
        t.load(register, slot)


# The subroutine that visits the cells of a row, and then goes to the next row.
def _cells(t, label, channels):
    cell = t.new_label("cell")
    t.label(label)
    t.add(_END, _X, _RUN)
    t.label(cell)

    # The next operands are loaded before a product, for cores that wait for loaded values.
    def load(k):
        t.lh(_VALUES[k % 2], _X, 2 * k)
        t.lb(_FACTORS[k % 2], _WEIGHTS, k)

    load(0)
    for k, total in enumerate(SUMS[:channels]):
        if k + 1 < channels:
            load(k + 1)
        value, factor = _VALUES[k % 2], _FACTORS[k % 2]
        t.mul(value, value, factor)
        t.add(total, total, value)
    t.add(_X, _X, _INPUT_STEP)
    t.add(_WEIGHTS, _WEIGHTS, _WEIGHTS_STEP)
    t.branch("bne", _X, _END, cell)
    t.add(_X, _X, _INPUT_GAP)
    t.add(_WEIGHTS, _WEIGHTS, _WEIGHTS_GAP)
    t.ret()


# Advance to the next block's channels, or to `end` after the last ones.
def _next_block(t, block, end):
    same, last = t.new_label("same_input"), t.new_label("last")
    t.load("t0", "block")
    t.load("t1", "filter")
    t.add("t1", "t1", "t0")
    t.store("t1", "filter")
    t.load("t1", "uses_left")
    t.addi("t1", "t1", -1)
    t.branch("bne", "t1", "zero", same)
    t.load("t2", "window")
    t.slli("t1", "t0", 1)
    t.add("t2", "t2", "t1")
    t.store("t2", "window")
    t.load("t1", "multiplier_of_depth")
    t.label(same)
    t.store("t1", "uses_left")
    t.load("t1", "channels_left")
    t.sub("t1", "t1", "t0")
    t.store("t1", "channels_left")
    t.branch("beq", "t1", "zero", last)
    t.jump(block)
    t.label(last)
    t.load("t0", "left")
    t.addi("t0", "t0", -1)
    t.store("t0", "left")
    t.branch("beq", "t0", "zero", end)


def depthwise():
    t = Rv32("depthwise", _ABOUT, 4, _SLOTS)
    window, block, row, summed, end = map(t.new_label, ("window", "block", "row", "summed", "end"))
    subroutines = {count: t.new_label(f"cells_{count}") for count in _BLOCKS}
    _begin(t)
    t.label(window)
    _find_window(t)
    first_output(t)
    t.load("t0", "channels")
    t.store("t0", "channels_left")
    t.load("t0", "multiplier_of_depth")
    t.store("t0", "uses_left")
    t.label(block)
    _begin_block(t, subroutines)
    t.branch("beq", _RUN, "zero", summed)
    t.branch("beq", _ROWS_LEFT, "zero", summed)
    t.label(row)
    t.call_register(_CELLS)
    t.addi(_ROWS_LEFT, _ROWS_LEFT, -1)
    t.branch("bne", _ROWS_LEFT, "zero", row)
    t.label(summed)
    store_sums(t)
    write_outputs(t, "block")
    _next_block(t, block, end)
    t.load(RECORD, "record")
    next_pixel(t, DEPTHWISE, window)
    for count, label in subroutines.items():
        _cells(t, label, count)
    t.label(end)
    return t.text()
