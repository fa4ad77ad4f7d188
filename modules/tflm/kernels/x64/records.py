# tflm: x86-64: the words, of 64 bits, of the records that the machine code reads
# MIT license; Copyright (c) 2026 the tflm authors

# Sizes and distances are in bytes. Addresses stay valid, because the heap moves nothing.

# CONV_2D and FULLY_CONNECTED (tools/asm/x64/windows.py). A row is a row of output pixels.
WINDOWS = (
    "input",  # operand word, as in the record of Prepare
    "output",  # place in the arena
    "input_height",
    "input_row",  # from one row of the input to the next
    "output_height",
    "output_row",
    "output_pixel",
    "pixels",  # of a row
    "pixel_step",  # from the window of one pixel to the next, in the copied row if there is one
    "row_step",  # input rows from one row of windows to the next
    "padding_height",
    "dilation_height",
    "filter_height",
    "cells",  # runs of taps that a row of the filter has
    "cell_step",  # from one run to the next
    "length",  # of a run: taps of float32, or pairs of taps
    "runs",  # address of a table: where the runs of a row's windows begin
    "sums",  # address of a buffer for the sums of some pixels
    "blocks",  # number of channel blocks
    "block_list",  # address of their words
    "copies",  # 1 where rows are copied or converted before windows read them
    "copied_rows",  # that are kept
    "copied_row",  # bytes of one
    "copies_at",  # address of the first one
    "padding_row",  # address of a row of padding
    "copied_start",  # bytes of padding before the first pixel
    "copied_count",  # bytes, or elements, that are copied or converted
    "limits",  # address: the lowest and the highest value, as vectors of 32-bit elements
    "zero_points",  # address: the input's zero point, a vector of 16-bit elements
    "batch_scales",  # hybrid operators: place in the arena of a float32 for each batch
    "batch_offsets",  # place of an int32 zero point for each batch
)
BATCH_SCALE = 64  # offset, from "limits", of a vector for the scale of a batch
# A channel block: `vectors` of output channels that are computed at a time.
BLOCK = (
    "vectors",
    "weights",  # address
    "constants",  # address: what makes outputs of sums
    "input_start",  # place of its channels in a pixel of the input
    "output_start",
    "channels",
)

# UNIDIRECTIONAL_SEQUENCE_LSTM, float32. Gates have whole vectors of rows, `gate_bytes` each.
LSTM = (
    "input",  # operand word
    "hidden",  # places in the arena
    "cell",
    "output",
    "input_size",
    "state_size",
    "state_bytes",
    "steps",
    "batches",
    "activation",
    "clip",
    "gate_bytes",
    "gates",  # addresses of buffers
    "cell_copy",
    "limits",  # address: vectors of the lowest and highest float32, then of the clip
    "blocks",  # number of blocks of rows
    "block_list",  # address of their words
)
LSTM_BLOCK = ("vectors", "input_weights", "recurrent_weights", "bias", "gates")
