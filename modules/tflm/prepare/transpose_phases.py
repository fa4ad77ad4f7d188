# tflm: TRANSPOSE_CONV as ordinary convolutions, one for each phase of the stride: Prepare
# MIT license; Copyright (c) 2026 the tflm authors

from .strided import element_bytes, emit_copy
from .sub_nodes import ScratchTensor, sub_node, with_data

# With a stride of s, the outputs at the positions p + n * s for any n are a convolution of
# stride 1: every s-th cell of the filter, in reverse order. The machine code of CONV_2D computes
# each of these phases to a scratch buffer, from which a copy spreads its pixels over the output.
# CONV_2D adds the inputs of an output from the first to the last, as the kernels of TRANSPOSE_CONV
# do, so sums of float32 have the same bits.

_MAX_PHASES = 16


# Emit the phases; return False if Prepare must emit the operator as it is. fields: of its record.
# emit(node, fields): emits a CONV_2D with the words WINDOWS and filter_channels, or returns False.
def emit_phases(context, node, fields, emit):
    source, weights, target = node.input(0), node.input(1), node.output(0)
    if not weights.is_constant() or not source.elements():
        return False
    rows, columns = _phases(fields, "height"), _phases(fields, "width")
    if not rows or not columns or len(rows) * len(columns) > _MAX_PHASES:
        return False
    mark = context.mark()
    plane = None
    if len(rows) * len(columns) > 1:
        shape = target.shape[0], rows[0][1], columns[0][1], target.shape[3]
        most = max([row[1] for row in rows]) * max([column[1] for column in columns])
        size = shape[0] * most * shape[3] * element_bytes(node, target)
        plane = context.request_scratch_buffer(size)
    for row in rows:
        for column in columns:
            if not _emit_phase(context, node, fields, emit, (row, column), plane):
                context.undo(mark)
                return False
    return True


# Return (first output, number of outputs, first cell, number of cells, padding before the first
# input) of each phase along one side, or None if an output has no inputs.
#
# Output o adds the input i with the cell o + padding - i * stride. In phase p these cells are
# p + k * stride, and the inputs q - k, where q is the quotient of o + padding.
def _phases(fields, side):
    size, stride = fields["output_" + side], fields["stride_" + side]
    padding, window = fields["padding_" + side], fields["filter_" + side]
    phases = []
    for phase in range(min(stride, size + stride)):
        first = (phase - padding) % stride
        count = (size - first + stride - 1) // stride
        cells = (window - phase + stride - 1) // stride
        if count <= 0:
            continue
        before = cells - 1 - (first + padding) // stride
        if cells <= 0 or before < 0 or count - 1 - before >= fields["input_" + side]:
            return None
        phases.append((first, count, phase, cells, before))
    return phases


# Emit the convolution of one phase, and the copy to the output. Return False if emit() does.
# phase: for rows and columns what _phases() returned. plane: the scratch buffer for its outputs,
# None if there is no other phase.
def _emit_phase(context, node, fields, emit, phase, plane):
    target, strides = node.output(0), (fields["stride_height"], fields["stride_width"])
    own = {"input_channels": fields["input_channels"], "filter_channels": fields["input_channels"]}
    own["output_channels"] = channels = fields["output_channels"]
    for side, (_, count, _, cells, before) in zip(("height", "width"), phase):
        own["input_" + side] = fields["input_" + side]
        own["output_" + side] = count
        own["filter_" + side] = cells
        own["stride_" + side] = own["dilation_" + side] = 1
        own["padding_" + side] = before
    (top, rows, *_), (left, columns, *_) = phase
    shape = target.shape[0], rows, columns, channels
    result = target
    if plane is not None:
        result = ScratchTensor(target, shape, plane)
    inputs = [node.input(0), _weights(node, phase, strides), node.optional_input(2)]
    if not emit(sub_node(node, inputs, result), own):
        return False
    if plane is None:
        return True
    width, pixels = target.shape[2], rows * columns
    loops = (
        (shape[0], pixels * channels, target.shape[1] * width * channels),
        (rows, columns * channels, strides[0] * width * channels),
        (columns, channels, strides[1] * channels),
        (channels, 1, 1),
    )
    emit_copy(context, node, result, target, loops, 0, (top * width + left) * channels)
    return True


# Return the cells of the filter that a phase uses, in the order of the inputs.
def _weights(node, phase, strides):
    weights = node.input(1)
    channels, height, width, depth = weights.shape
    (_, _, first_y, rows, _), (_, _, first_x, columns, _) = phase
    data, size = memoryview(weights.data), depth * element_bytes(node, weights)
    cells = []
    for channel in range(channels):
        for y in range(rows - 1, -1, -1):
            line = (channel * height + first_y + y * strides[0]) * width
            for x in range(columns - 1, -1, -1):
                at = (line + first_x + x * strides[1]) * size
                cells.append(bytes(data[at : at + size]))
    return with_data(weights, (channels, rows, columns, depth), b"".join(cells))
