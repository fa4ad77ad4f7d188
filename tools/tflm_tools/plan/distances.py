# tflm_tools: Distances: how near to its input an operator may write its output
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass

from .windows import DEPTHWISE_CONV_2D, rows_of

# Kernels run their units in ascending order, and once the outputs of a unit are written read no
# more what only earlier units need (docs/architecture.md). So an output may lie over an input,
# if what unit r writes ends before the first byte that units from r on still read. A kernel that
# is not listed here is never placed so.

# Units, or what a kernel goes through in order inside its units, are rows of the output.
_ROWS = {
    "conv.eval_int8",
    "conv_dsp.eval_int8",
    "conv_lanes.eval_int8",
    "pooling.eval_int8",
    "pooling_int16.eval_int16",
}
# Units are pixels of an output that has one for each pixel of the input.
_PIXELS = {"conv_dsp.eval_pixels_int8", "conv_lanes.eval_pixels_int8"}
# Channel by channel over all rows: the bytes of a channel must lie over those of the same one.
_CHANNELS = {
    "depthwise_conv.eval_int8",
    "depthwise_conv_dsp.eval_3x3_int8",
    "depthwise_conv_dsp.eval_3x3_stride_2_int8",
    "depthwise_conv_lanes.eval_int8",
    "depthwise_conv_lanes.eval_3x3_int8",
    "depthwise_conv_lanes.eval_3x3_stride_2_int8",
}
# Units are elements; each is read before it is written.
_ELEMENTS = {
    "add.eval_int8",
    "add_table.eval_int8",
    "copy.eval_bytes",
    "lookup.eval_int8",
    "maximum_minimum.eval_int8",
    "mul.eval_int8",
}

KERNELS = _ROWS | _PIXELS | _CHANNELS | _ELEMENTS


@dataclass(frozen=True)
class Distance:
    """The input begins at least `least` bytes behind the output, by a multiple of `step`."""

    source: object  # Tensor
    target: object
    least: int
    step: int = 1


# The bytes that an output of `units` units (`size` bytes each) must begin before its input;
# `first(unit)` is the first byte of the input that this unit needs, ascending with it.
def _least(units, size, first):
    return max((unit + 1) * size - first(unit) for unit in range(units))


# The first byte of the input that row `row` (over all batches) of the output needs.
def _first_byte(rows, row_bytes, row):
    batch, y = divmod(row, rows.output_rows)
    return (batch * rows.input_rows + rows.first(y)) * row_bytes


# A convolution or pool that goes by rows.
def _by_rows(node, step=1):
    rows = rows_of(node)
    if rows is None:
        return []
    source, target = node.inputs[0], node.outputs[0]
    input_row = source.nbytes() // (rows.batches * rows.input_rows)
    output_row = target.nbytes() // (rows.batches * rows.output_rows)
    units = rows.batches * rows.output_rows
    least = _least(units, output_row, lambda row: _first_byte(rows, input_row, row))
    return [Distance(source, target, least, step)]


def distances_of(node, kernel):
    """A list of Distance for a node whose only record calls `kernel`; pairs not told of are apart.

    Fit for any kernel of that name, whatever the instruction set.
    """
    target = node.outputs[0] if len(node.outputs) == 1 else None
    if target is None or not target.nbytes():
        return []
    if kernel in _ELEMENTS:
        return [
            Distance(source, target, 0)
            for source in node.inputs
            if source is not None and source.nbytes() == target.nbytes()
        ]
    source = node.inputs[0]
    if source is None or source.is_constant() or not source.nbytes():
        return []
    if kernel in _PIXELS:
        size, step = target.shape[-1], source.shape[-1]
        least = _least(target.elements() // size, size, lambda pixel: pixel * step)
        return [Distance(source, target, least)]
    if kernel in _ROWS:
        return _by_rows(node)
    if (
        kernel in _CHANNELS
        and node.builtin_code == DEPTHWISE_CONV_2D
        and source.shape[-1] == target.shape[-1]
    ):
        return _by_rows(node, source.shape[-1])
    return []
