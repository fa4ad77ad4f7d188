# Words of the parameter blocks that kernels hand to assembler, the same on several targets
# MIT license; Copyright (c) 2026 the tflm authors

# Of gather(): columns of an image become lanes.
GATHER = (
    "source",  # address of the first column in its first row that is in the image
    "lanes",  # where the words go
    "columns",
    "column_step",  # bytes of the image
    "run",  # bytes of a column in one row
    "row_step",  # bytes from one row of the filter to the next
    "rows_above",  # rows of the filter that lie above the image,
    "rows",  # in it,
    "rows_below",  # and below it
    "at",  # byte of the image's row where the first column begins; may be negative
    "last",  # where the last column that is wholly in the image begins
    "fill",  # lanes of the input's zero point
    "row_bytes",  # of the image; this and what follows: only for gather_bytes()
    "column_bytes",  # in all rows, whole quads
    "spare",  # memory for the bytes of one column
)

# Of multiply(): lanes times a stream of weights.
MULTIPLY = (
    "stream",  # address of the first group of channels
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
    "group",  # memory for one group's stream where weights have one byte, else 0
    "rows",  # of pixels
    "row_step",  # bytes of lanes from one row to the next
    "source",  # bytes of pixels that become lanes block by block; 0 where these are there
    "source_end",  # these two: only on a Cortex-M0+
)

# Of DEPTHWISE_CONV_2D: the plane of each channel, and the rows of its outputs.
DEPTHWISE = (
    "stream",  # address of the first channel's weights
    "channels",
    "line",  # one column before the first row of the image that the plane begins with
    "line_step",  # bytes from one column of the image to the next
    "row_bytes",  # of the image
    "height",  # of the image
    "first_row",  # of the image in the plane; may be negative
    "left",  # columns of the plane beside the image at the left,
    "columns",  # in it,
    "right",  # and at its right
    "fill",  # lanes of the input's zero point
    "plane",  # where it goes
    "plane_row",  # bytes of a row of the plane, which holds two of the image
    "pair_rows",
    "output",
    "output_step",  # bytes from one column of the output to the next
    "output_row",  # bytes
    "rows",  # of the output
    "width",  # bytes of the plane from the first window of a row to behind the last
    "column_step",  # bytes of the plane from one window to the next
    "multiplier",  # output channels for each input channel
    "uses",  # of the first input channel
    "output_zero_point",
    "activation_min",
    "activation_max",
    "stride_height",  # this and what follows: for filters of any size
    "filter_width",
    "even_rows",  # rows of the plane under a window that begins at an even row of the image,
    "odd_rows",  # at an odd one
    "odd_set",  # where the weights for odd rows begin in a channel's stream, in bytes
    "table",  # and the multiplier
    "unpacked",  # 3x3: memory for a channel's stream where weights have one byte, else 0
)

# Of DEPTHWISE_CONV_2D whose window is a line of pixels, beside its record.
DEPTHWISE_COLUMN = (
    "source",  # address of the first channel in the first pixel
    "stream",
    "output",
    "channels",  # to compute
)

# Of sums of all inputs whose weights are indices of values.
DENSE_LUT = (
    "values",  # address of those of all channels, or 0
    "own_values",  # 1: each channel's stream begins with its own
    "stream",  # of the first channel
    "table",  # memory for the 256 pairs of values
    "table_end",
    "lanes",  # of the inputs, whole words of indices
    "lanes_end",
    "output",
    "channels",  # to compute
    "output_zero_point",
    "activation_min",
    "activation_max",
)

# Of ADD.
ADD = (
    "input1_end",  # addresses
    "input2_end",
    "output_end",
    "count",  # of elements
    "lookup",  # address of the words that stand for each byte of input 2
    "factor",  # of input 1
    "output_zero_point",
    "activation_min",
    "activation_max",
    "multiplier",  # three words: low half, high half, right shift
)


def at(layout, name):
    """Offset of a parameter in bytes."""
    return 4 * layout.index(name)
