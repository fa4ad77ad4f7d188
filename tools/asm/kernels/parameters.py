# Words of the parameter blocks that kernels pass to assembler functions of several targets
# MIT license; Copyright (c) 2026 the tflm authors

# Block of gather(), which unpacks columns of an image to lanes.
GATHER = (
    "source",  # the first column in its first row that is in the image
    "lanes",  # target
    "columns",
    "column_step",  # bytes of the image
    "run",  # bytes of a column in one row
    "row_step",  # bytes from one row of the filter to the next
    "rows_above",  # rows of the filter above the image
    "rows",  # rows of the filter in the image
    "rows_below",  # rows of the filter below the image
    "at",  # byte of the image's row where the first column begins; may be negative
    "last",  # where the last column that is completely in the image begins
    "fill",  # lanes of the input's zero point
    "row_bytes",  # of the image; this word and the following ones: only for gather_bytes()
    "column_bytes",  # in all rows, rounded up to whole words
    "spare",  # memory for the bytes of one column
)

# Block of multiply(), which multiplies lanes by a stream of weights.
MULTIPLY = (
    "stream",  # the first group of channels
    "lanes",  # of the first pixel
    "output",  # of the first pixel and group
    "lanes_end",  # lanes + lanes_step * pixels of a row
    "groups",
    "lanes_step",  # bytes from one pixel to the next
    "output_step",
    "window",  # bytes of lanes of one pixel
    "output_zero_point",
    "activation_min",
    "activation_max",
    "group",  # memory for the unpacked stream of one group if weights have one byte, else 0
    "rows",  # of pixels
    "row_step",  # bytes of lanes from one row to the next
    "source",  # bytes of pixels to be unpacked block by block
    "source_end",  # 0: all lanes are unpacked already; the last two words: not for MAC16
)

# Block of multiply() for the vector unit of the ESP32-S3.
PIE_MULTIPLY = (
    "stream",  # address of the first channel
    "inputs",  # of the first pixel
    "output",  # of the first pixel and channel
    "channels",
    "pixels",  # of a row
    "rows",
    "pixel_step",  # bytes from one pixel's inputs to the next
    "row_step",  # bytes from one row's inputs to the next
    "output_step",  # bytes from one pixel to the next
    "window",  # bytes of one pixel's inputs
    "output_zero_point",
    "activation_min",
    "activation_max",
)

# Block of the functions of 3x3 DEPTHWISE_CONV_2D for the vector unit: a plane has three rows of
# the image; a row has all columns of 16 channels, then all columns of the next 16 channels.
PIE_DEPTHWISE = (
    "row",  # address of the row of the plane to load
    "source",  # address of this row in the image
    "left",  # columns of the plane at the left of the image
    "columns",  # columns of the plane in the image, 0 for a row outside of it
    "right",  # columns of the plane at the right of the image
    "channels",
    "block_step",  # bytes of the plane from 16 channels to the next
    "fill",  # zero point of the input in each byte
    "plane",
    "moved_from",  # rows that move to the beginning of the plane before the new row is loaded
    "moved_bytes",
    "stream",
    "output",
    "width",  # of the output
    "pixel_step",  # bytes of the plane from one window to the next
    "plane_row",  # bytes of a row of the plane
    "output_step",  # bytes of the output from one pixel to the next
)

# Block of the functions of DEPTHWISE_CONV_2D: the plane of each channel and its rows of outputs.
DEPTHWISE = (
    "stream",  # address of the first channel's weights
    "channels",
    "line",  # one column before the first row of the image that is in the plane
    "line_step",  # bytes from one column of the image to the next
    "row_bytes",  # of the image
    "height",  # of the image
    "first_row",  # of the image in the plane; may be negative
    "left",  # columns of the plane at the left of the image
    "columns",  # columns of the plane in the image
    "right",  # columns of the plane at the right of the image
    "fill",  # lanes of the input's zero point
    "plane",  # target
    "plane_row",  # bytes of a row of the plane, which holds two of the image
    "pair_rows",
    "output",
    "output_step",  # bytes from one column of the output to the next
    "output_row",  # bytes
    "rows",  # of the output
    "width",  # bytes of the plane from the first window of a row to the end of the last one
    "column_step",  # bytes of the plane from one window to the next
    "multiplier",  # output channels for each input channel
    "uses",  # output channels of the first input channel that are left
    "output_zero_point",
    "activation_min",
    "activation_max",
    "stride_height",  # this word and the following ones: for filters of any size
    "filter_width",
    "even_rows",  # rows of the plane under a window that begins at an even row of the image
    "odd_rows",  # rows of the plane under a window that begins at an odd row of the image
    "odd_set",  # offset of the weights for odd rows in a channel's stream, in bytes
    "table",  # offset of the multiplier in a channel's stream, in bytes
    "unpacked",  # 3x3: memory for a channel's unpacked stream if weights have one byte, else 0
)


def at(layout, name):
    """Return the offset of a parameter in bytes."""
    return 4 * layout.index(name)
