# tflm: how CONV_2D copies its input to vectors for the vector unit of the ESP32-S3
# MIT license; Copyright (c) 2026 the tflm authors

from .lanes import SCRATCH_WORDS

VECTOR = 16  # bytes
SCRATCH_BYTES = 4 * SCRATCH_WORDS  # parameters
MAX_BLOCK_BYTES = 8192  # if _BLOCK_BYTES does not hold a single window
_BLOCK_BYTES = 2048  # of inputs that are copied at a time


# Return the length of `size` rounded up to whole vectors.
def padded(size):
    return (size + VECTOR - 1) & (0 - VECTOR)


# How the input is cut into columns.
def geometry_of(fields, height, width, depth):
    stride = fields["stride_width"]
    geometry = {
        "filter_height": height,
        "row_bytes": fields["input_width"] * depth,
        "padding_bytes": fields["padding_width"] * depth,
    }
    run, columns, step, column_step = depth * width, 1, 1, stride * depth
    is_whole = depth % 4 == 0
    if is_whole and stride < width:
        run, columns, step, column_step = depth, width, stride, depth
    elif is_whole and width > 1:  # a run may be partly outside of the image
        end = (fields["output_width"] - 1) * stride + width
        is_whole = not fields["padding_width"] and end <= fields["input_width"]
    geometry.update(
        {
            "column_step": column_step,
            "run": run,
            "column_bytes": padded(height * run),
            "is_whole": 1 if is_whole else 0,
            "window_columns": columns,
            "pixel_columns": step,
        }
    )
    return geometry


# Return (pixels that are copied at a time: some whole rows or a part of a row; their rows; bytes
# of scratch). The kernel reads one vector after the last one.
def block_of(rows, pixels, window, step):
    row = window + (pixels - 1) * step
    count = 1
    if row <= _BLOCK_BYTES:
        count = min(rows, _BLOCK_BYTES // row)
        block = count * pixels
    else:
        block = max(1, 1 + (_BLOCK_BYTES - window) // step)
        row = window + (block - 1) * step
    return block, count, SCRATCH_BYTES + count * row + VECTOR
