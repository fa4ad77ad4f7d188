# Generator of the assembler kernel of CONV_2D and FULLY_CONNECTED, int16, for RV32
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.conv_int16 import CONV
from tflm.prepare.fully_connected_int16 import LAYOUT

from ..common.record import word_of
from .outputs_int16 import (
    MAX_PRODUCTS,
    OUTPUT_SLOTS,
    SUMS,
    begin_outputs,
    clear_sums,
    clear_words,
    first_output,
    flush_sums,
    store_sums,
    write_outputs,
)
from .record_float import RECORD, coordinates, find_row, next_pixel, operands
from .rv32 import Rv32

_ABOUT = """
Outputs of CONV_2D or FULLY_CONNECTED, int16 with weights of int8. `a0` is the address of the
record (CONV in prepare/conv_int16.py), `a1` of the arena, `a2` of the model. `a3` is the first
pixel * 1024 + the number of pixels. For LAYOUT in prepare/fully_connected_int16.py it is the
complement of the first channel * 32768 + the channel after the last one.
"""

_SLOTS = (
    *OUTPUT_SLOTS,
    "is_connected",  # -1: FULLY_CONNECTED
    "left",  # pixels
    "channels",
    "channels_left",  # of the pixel
    "block",  # channels that are summed up together
    "x",  # of the output
    "y",
    "batch",
    "line",  # address of the first row of the image in the window
    "filter_line",  # address of the first channel's weights for this row
    "filter_step",  # bytes from one channel to the next
    "rows",  # of the window in the image
    "window",  # address of the first input in the image
    "filter",  # address of its weight in the next channel
    "run",  # elements of the window in one row of the image
    "input_gap",  # bytes from the end of a run to the next one
    "weights_gap",
    "run_left",
    "products_left",  # that a word can still sum up
    "output_gap",  # bytes between the outputs of two batches of FULLY_CONNECTED
)

_BLOCKS = 8, 4, 2, 1  # channels that are summed up together
_UNROLLED = 4

_ROWS = tuple(f"s{i}" for i in range(8))  # addresses of the weights of each channel
_X, _INPUT_GAP, _WEIGHTS_GAP, _ROWS_LEFT = "s8", "s9", "s10", "s11"
_END, _COUNT, _VALUE, _WEIGHTS = "t0", "t1", "t2", ("t3", "t4")
_TAPS, _RUN = "t5", "t6"  # the subroutine for the block, and the elements of a run


# Find the rows of the image in the window of the output's row.
def _find_line(t):
    t.load(RECORD, "record")
    find_row(t, CONV)
    t.lw("t2", RECORD, word_of(CONV, "input_channels"))
    t.mul("t0", "t0", "t2")
    t.slli("t0", "t0", 1)
    t.load("t1", "input")
    t.add("t0", "t0", "t1")
    t.store("t0", "line")
    t.lw("t0", RECORD, word_of(CONV, "filter_width"))
    t.mul("a1", "a1", "t0")
    t.mul("a1", "a1", "t2")
    t.load("t1", "weights")
    t.add("a1", "a1", "t1")
    t.store("a1", "filter_line")


# Find the columns of the image in the window of the output pixel. The cells of a row of the filter
# touch each other in the image, so that they are one run.
def _find_window(t):
    padded, inside, some = map(t.new_label, ("padded", "inside", "some"))
    t.load(RECORD, "record")
    t.load("a0", "x")
    t.lw("a2", RECORD, word_of(CONV, "stride_width"))
    t.mul("a0", "a0", "a2")
    t.lw("a2", RECORD, word_of(CONV, "padding_width"))
    t.sub("a0", "a0", "a2")  # the first column of the image
    t.li("a1", 0)  # the first one of the filter
    t.branch("bge", "a0", "zero", padded)
    t.sub("a1", "zero", "a0")
    t.li("a0", 0)
    t.label(padded)
    t.lw("a3", RECORD, word_of(CONV, "filter_width"))
    t.lw("a2", RECORD, word_of(CONV, "input_width"))
    t.sub("a4", "a3", "a1")
    t.sub("a5", "a2", "a0")
    t.branch("bge", "a4", "a5", inside)
    t.mv("a5", "a4")
    t.label(inside)
    t.branch("bge", "a5", "zero", some)
    t.li("a5", 0)
    t.label(some)
    t.lw("a6", RECORD, word_of(CONV, "input_channels"))
    t.mul("a5", "a5", "a6")
    t.store("a5", "run")
    t.mul("a3", "a3", "a6")
    t.sub("a3", "a3", "a5")
    t.store("a3", "weights_gap")
    t.lw("a4", RECORD, word_of(CONV, "dilation_height"))
    t.mul("a2", "a2", "a4")
    t.mul("a2", "a2", "a6")
    t.sub("a2", "a2", "a5")
    t.slli("a2", "a2", 1)
    t.store("a2", "input_gap")
    t.mul("a0", "a0", "a6")
    t.slli("a0", "a0", 1)
    t.load("a2", "line")
    t.add("a0", "a0", "a2")
    t.store("a0", "window")
    t.mul("a1", "a1", "a6")
    t.load("a2", "filter_line")
    t.add("a1", "a1", "a2")
    t.store("a1", "filter")


# Store the elements of a filter, a1. Uses t0.
def _store_filter_step(t):
    t.store("a1", "filter_step")
    t.li("t0", MAX_PRODUCTS)
    t.sltu("t0", "t0", "a1")
    t.store("t0", "has_high")


# Begin with the pixel in the upper bits of a3.
def _begin_conv(t):
    begin_outputs(t, CONV)
    t.srli("a0", "a3", 10)
    t.andi("a3", "a3", 1023)
    t.store("a3", "left")
    t.lw("a4", RECORD, word_of(CONV, "output_channels"))
    t.store("a4", "channels")
    t.mul("a4", "a4", "a0")
    t.slli("a4", "a4", 1)
    t.load("a1", "output")
    t.add("a4", "a4", "a1")
    t.store("a4", "output")
    coordinates(t, CONV)
    t.lw("a1", RECORD, word_of(CONV, "filter_height"))
    for name in ("filter_width", "input_channels"):
        t.lw("a0", RECORD, word_of(CONV, name))
        t.mul("a1", "a1", "a0")
    _store_filter_step(t)


# Begin with the channels in a3, in each of the batches.
def _begin_connected(t):
    words, unbiased = t.new_label("words"), t.new_label("unbiased")
    begin_outputs(t, LAYOUT)
    t.srli("a4", "a3", 15)  # the first channel
    t.slli("a3", "a3", 17)
    t.srli("a3", "a3", 17)
    t.sub("a3", "a3", "a4")
    t.store("a3", "channels")
    t.lw("a0", RECORD, word_of(LAYOUT, "output_channels"))
    t.sub("a0", "a0", "a3")
    t.slli("a0", "a0", 1)
    t.store("a0", "output_gap")
    t.lw("a0", RECORD, word_of(LAYOUT, "batches"))
    t.store("a0", "left")
    t.lw("a1", RECORD, word_of(LAYOUT, "depth"))
    t.store("a1", "run")
    _store_filter_step(t)
    t.li("a0", 1)
    t.store("a0", "rows")
    t.mul("a2", "a1", "a4")
    t.load("a0", "weights")
    t.add("a0", "a0", "a2")
    t.store("a0", "filter_line")
    t.load("a0", "input")
    t.store("a0", "window")
    t.slli("a2", "a4", 1)
    t.load("a0", "output")
    t.add("a0", "a0", "a2")
    t.store("a0", "output")
    t.load("a0", "multiplier_step")
    t.mul("a0", "a0", "a4")
    t.load("a2", "first_multiplier")
    t.add("a0", "a0", "a2")
    t.store("a0", "first_multiplier")
    t.load("a0", "bias")
    t.branch("beq", "a0", "zero", unbiased)
    t.slli("a4", "a4", 2)
    t.load("a2", "has_words")
    t.branch("bne", "a2", "zero", words)
    t.slli("a4", "a4", 1)
    t.label(words)
    t.add("a0", "a0", "a4")
    t.store("a0", "bias")
    t.label(unbiased)


# Advance to the next batch of FULLY_CONNECTED. Uses t0 and t1.
def _next_batch(t):
    t.load("t0", "window")
    t.load("t1", "run")
    t.slli("t1", "t1", 1)
    t.add("t0", "t0", "t1")
    t.store("t0", "window")
    t.load("t0", "output")
    t.load("t1", "output_gap")
    t.add("t0", "t0", "t1")
    t.store("t0", "output")


# Choose the channels of the next block: their number, their subroutine, and their addresses.
def _begin_block(t, subroutines):
    chosen = t.new_label("chosen")
    t.load("t0", "channels_left")
    for count in _BLOCKS:
        t.li("t1", count)
        t.load_address(_TAPS, subroutines[count])
        if count > 1:
            t.branch("bge", "t0", "t1", chosen)
    t.label(chosen)
    t.store("t1", "block")
    t.load(_ROWS[0], "filter")
    t.load("t0", "filter_step")
    for before, row in zip(_ROWS, _ROWS[1:], strict=False):
        t.add(row, before, "t0")
    clear_sums(t)
    t.load(_X, "window")
    t.load(_INPUT_GAP, "input_gap")
    t.load(_WEIGHTS_GAP, "weights_gap")
    t.load(_ROWS_LEFT, "rows")
    t.load(_RUN, "run")


# The subroutine that adds the products of _COUNT (more than 0) inputs and the weights of a number
# of channels, and advances their addresses and the gaps.
def _taps(t, label, channels):
    fours, rest, single, end = map(t.new_label, ("fours", "rest", "single", "end"))
    rows = _ROWS[:channels]

    # The next weight is loaded before a product, for cores that wait for loaded values.
    def tap(i):
        t.lh(_VALUE, _X, 2 * i)
        t.lb(_WEIGHTS[0], rows[0], i)
        for k, total in enumerate(SUMS[:channels]):
            weight = _WEIGHTS[k % 2]
            if k + 1 < channels:
                t.lb(_WEIGHTS[1 - k % 2], rows[k + 1], i)
            t.mul(weight, weight, _VALUE)
            t.add(total, total, weight)

    def advance(count):
        t.addi(_X, _X, 2 * count)
        for row in rows:
            t.addi(row, row, count)

    t.label(label)
    t.srli(_END, _COUNT, 2)
    t.slli(_END, _END, 3)
    t.add(_END, _END, _X)
    t.branch("beq", _END, _X, rest)
    t.label(fours)
    for i in range(_UNROLLED):
        tap(i)
    advance(_UNROLLED)
    t.branch("bne", _X, _END, fours)
    t.label(rest)
    t.andi(_COUNT, _COUNT, _UNROLLED - 1)
    t.branch("beq", _COUNT, "zero", end)
    t.slli(_COUNT, _COUNT, 1)
    t.add(_END, _X, _COUNT)
    t.label(single)
    tap(0)
    advance(1)
    t.branch("bne", _X, _END, single)
    t.label(end)
    t.add(_X, _X, _INPUT_GAP)
    for row in rows:
        t.add(row, row, _WEIGHTS_GAP)
    t.ret()


# Sum up all rows of the window; a word has the whole sum.
def _sum_up(t, done):
    row = t.new_label("row")
    t.branch("beq", _RUN, "zero", done)
    t.branch("beq", _ROWS_LEFT, "zero", done)
    t.label(row)
    t.mv(_COUNT, _RUN)
    t.call_register(_TAPS)
    t.addi(_ROWS_LEFT, _ROWS_LEFT, -1)
    t.branch("bne", _ROWS_LEFT, "zero", row)
    t.label(done)
    store_sums(t)


# Sum up at most MAX_PRODUCTS products in words, then continue with new words.
def _sum_up_in_parts(t, flush, write):
    names = "row", "piece", "whole", "gaps", "summed", "next_row", "done"
    row, piece, whole, gaps, summed, next_row, done = map(t.new_label, names)
    clear_words(t)
    t.branch("beq", _RUN, "zero", done)
    t.branch("beq", _ROWS_LEFT, "zero", done)
    t.li("t0", MAX_PRODUCTS)
    t.store("t0", "products_left")
    t.label(row)
    t.load("t0", "run")
    t.store("t0", "run_left")
    t.label(piece)
    t.load(_COUNT, "run_left")
    t.load("t2", "products_left")
    t.branch("bge", "t2", _COUNT, whole)
    t.mv(_COUNT, "t2")
    t.label(whole)
    t.sub("t2", "t2", _COUNT)
    t.store("t2", "products_left")
    t.load("t0", "run_left")
    t.sub("t0", "t0", _COUNT)
    t.store("t0", "run_left")
    t.li(_INPUT_GAP, 0)
    t.li(_WEIGHTS_GAP, 0)
    t.branch("bne", "t0", "zero", gaps)
    t.load(_INPUT_GAP, "input_gap")
    t.load(_WEIGHTS_GAP, "weights_gap")
    t.label(gaps)
    t.call_register(_TAPS)
    t.load("t0", "products_left")
    t.branch("bne", "t0", "zero", summed)
    t.li("t0", MAX_PRODUCTS)
    t.store("t0", "products_left")
    t.call(flush)
    t.label(summed)
    t.load("t0", "run_left")
    t.branch("beq", "t0", "zero", next_row)
    t.jump(piece)
    t.label(next_row)
    t.addi(_ROWS_LEFT, _ROWS_LEFT, -1)
    t.branch("beq", _ROWS_LEFT, "zero", done)
    t.jump(row)
    t.label(done)
    t.call(flush)
    t.jump(write)


# Steps:
# 1. Find the operands and the first pixel or channel.
# 2. For each pixel: find its window, then sum up blocks of channels and write their outputs.
def windows():
    t = Rv32("windows", _ABOUT, 4, _SLOTS)
    names = "line", "window", "pixel", "block", "in_parts", "sum_up", "write", "next_pixel"
    line, window, pixel, block, in_parts, sum_up, write, advance = map(t.new_label, names)
    connected, begin, flush, end = map(t.new_label, ("connected", "begin", "flush", "end"))
    subroutines = {count: t.new_label(f"taps_{count}") for count in _BLOCKS}
    t.mv(RECORD, "a0")
    t.store("a0", "record")
    operands(t, "a1", "a2", CONV)
    t.srai("t0", "a3", 31)
    t.store("t0", "is_connected")
    t.xor("a3", "a3", "t0")
    t.branch("bne", "t0", "zero", connected)
    _begin_conv(t)
    t.label(line)
    _find_line(t)
    t.label(window)
    _find_window(t)
    t.label(pixel)
    first_output(t)
    t.load("t0", "channels")
    t.store("t0", "channels_left")
    t.label(block)
    _begin_block(t, subroutines)
    t.load("t0", "has_high")
    t.branch("beq", "t0", "zero", sum_up)
    t.jump(in_parts)
    t.label(sum_up)
    _sum_up(t, t.new_label("rows_end"))
    t.label(write)
    write_outputs(t, "block")
    t.load("t0", "block")
    t.load("t1", "filter_step")
    t.mul("t1", "t1", "t0")
    t.load("t2", "filter")
    t.add("t2", "t2", "t1")
    t.store("t2", "filter")
    t.load("t1", "channels_left")
    t.sub("t1", "t1", "t0")
    t.store("t1", "channels_left")
    t.branch("bne", "t1", "zero", block)
    t.load("t0", "left")
    t.addi("t0", "t0", -1)
    t.store("t0", "left")
    t.branch("bne", "t0", "zero", advance)
    t.jump(end)
    t.label(advance)
    t.load("t0", "is_connected")
    t.branch("bne", "t0", "zero", begin)
    t.load(RECORD, "record")
    next_pixel(t, CONV, window, line)
    t.label(connected)
    _begin_connected(t)
    first = t.new_label("first_batch")
    t.jump(first)
    t.label(begin)
    _next_batch(t)
    t.label(first)
    t.load("t0", "filter_line")
    t.store("t0", "filter")
    t.jump(pixel)
    t.label(in_parts)
    _sum_up_in_parts(t, flush, write)
    t.label(flush)
    flush_sums(t)
    t.ret()
    for count, label in subroutines.items():
        _taps(t, label, count)
    t.label(end)
    return t.text()
