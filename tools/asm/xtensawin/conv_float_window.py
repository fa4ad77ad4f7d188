# The windows of CONV_2D, float32, for Xtensa with an FPU: slots of the frame, runs of taps
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.conv_float import CONV

from ..common.record import word_of
from .windows_float import FRAME, first_input, first_weight, store_rows

SLOTS = (
    *FRAME,
    "channels_end",  # of the tile
    "pixel_output",  # address of channel 0 of the tile's first pixel
    "source",  # address of the tile's first input that is inside of the image
    "window",  # offset of the first weight inside of the image in a channel's weights, in bytes
    "rows",  # of the filter inside of the image
    "runs",  # of contiguous inputs in a row of the filter
    "taps",  # of a run
    "run_gap",  # bytes of the input from the end of a run to the next run
    "row_gap",  # bytes of the input from the end of a row's last gap to the next row
    "weight_gap",  # bytes of the weights from the end of a row to the next row
    "filter_bytes",  # of a channel
    "left",  # channels from the first one of four or eight to the last one of their group
    "pairs",  # of pixels left
    "x",  # address of the next pixel's inputs, less the index of the first weight
    "y",  # address of the next pixel's outputs
    "pixel_step",  # bytes of the input
    "output_step",  # bytes from one pixel to the next
)

INDEX, TAPS = "a8", "a9"


# Run `products` for all runs of all rows of the filter. inputs: registers with addresses.
# spare: registers for rows and runs that are left, and for anything.
def add_rows(t, products, inputs, spare):
    rows, runs, x = spare
    row, run, done = map(t.new_label, ("row", "run", "rows_end"))
    t.load(rows, "rows")
    t.far_zero("beqz", rows, done)
    t.label(row)
    t.load(runs, "runs")
    t.label(run)
    t.load(TAPS, "taps")
    products()
    t.load(x, "run_gap")
    for address in inputs:
        t.add(address, address, x)
    t.addi(runs, runs, -1)
    t.bnez(runs, run)
    t.load(x, "row_gap")
    for address in inputs:
        t.add(address, address, x)
    t.load(x, "weight_gap")
    t.add(INDEX, INDEX, x)
    t.addi(rows, rows, -1)
    t.bnez(rows, row)
    t.label(done)


# Set the slots of a tile from the clipped window; a2 is the record. Uses a3 to a12.
def set_window(t):
    word = {name: word_of(CONV, name) for name in CONV}
    x, channels, depth, width, columns, line = "a3", "a10", "a5", "a6", "a7", "a8"
    t.l32i(channels, "a2", word["input_channels"])
    t.l32i(depth, "a2", word["filter_channels"])
    t.load(columns, "count_width")
    first_input(t, CONV, channels, 2, width)
    # window = 4 * (first row * filter width + first column) * depth
    first_weight(t, CONV, depth, line, "a9")
    t.slli(line, line, 2)
    t.store(line, "window")
    t.sub("a9", "a9", columns)
    t.mull("a9", "a9", depth)
    t.slli("a9", "a9", 2)
    t.store("a9", "weight_gap")
    # Runs: all columns of a row are one if they touch each other.
    separate = t.new_label("separate_runs")
    taps, gap = "a4", "a11"
    t.mov(taps, depth)
    t.l32i(gap, "a2", word["dilation_width"])
    t.addi(x, gap, -1)
    t.mull(gap, gap, channels)
    t.sub(gap, gap, depth)
    t.slli(gap, gap, 2)
    t.store(columns, "runs")
    t.bnez(x, separate)
    t.bne(channels, depth, separate)
    t.mull(taps, depth, columns)
    t.movi(gap, 0)
    t.movi(x, 1)
    t.store(x, "runs")
    t.label(separate)
    t.store(taps, "taps")
    t.store(gap, "run_gap")
    # row_gap = bytes of dilated rows - runs * (bytes of a run and its gap) - weight_gap
    t.addx4(taps, taps, gap)
    t.load(x, "runs")
    t.mull(taps, taps, x)
    t.add(taps, taps, "a9")
    t.l32i(x, "a2", word["dilation_height"])
    t.mull(x, x, width)
    t.mull(x, x, channels)
    t.slli(x, x, 2)
    t.sub(x, x, taps)
    t.store(x, "row_gap")
    store_rows(t, columns)
