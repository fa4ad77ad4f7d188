# tflm: CONV_2D with groups or horizontal dilation as ordinary convolutions: Prepare
# MIT license; Copyright (c) 2026 the tflm authors

from .convolution import horizontal_dilation
from .strided import element_bytes, emit_copy
from .sub_nodes import ScratchTensor, channels_of, sub_node, with_data, with_shape

# The packed kernels and most machine code multiply windows whose columns touch each other in the
# image and have all its channels. With a dilation of d, every d-th column of the output reads
# every d-th column of the image. So for each group of channels and each of these columns a copy
# gathers the image, a convolution computes its output, and a copy spreads this output.

_MAX_SUB_NODES = 16
_WORD = 4


# Return whether a CONV_2D with horizontal dilation has images of one row.
def is_line(fields):
    rows = fields["input_height"], fields["output_height"], fields["filter_height"]
    return horizontal_dilation(fields) > 1 and rows == (1, 1, 1) and not fields["padding_height"]


# Return (node, fields) of such a CONV_2D with images of one column instead: the same bytes, and
# all kernels support vertical dilation.
def turned(node, fields):
    own = dict(fields)
    for name in ("input", "output", "filter", "stride", "dilation", "padding"):
        own[name + "_height"], own[name + "_width"] = (
            fields[name + "_width"],
            fields[name + "_height"],
        )
    source, weights, target = [_turned(t) for t in (node.input(0), node.input(1), node.output(0))]
    return sub_node(node, [source, weights, node.optional_input(2)], target), own


def _turned(tensor):
    first, height, width, depth = tensor.shape
    return with_shape(tensor, (first, width, height, depth))


# Return (node, fields) of a CONV_2D with fewer groups, whose cells are whole words of int8: the
# weights of other groups are 0.
def with_whole_words(node, fields):
    weights, depth = node.input(1), fields["filter_channels"]
    groups, channels = fields["input_channels"] // depth, fields["output_channels"]
    merged = [n for n in (1, 2, 4) if groups % n == 0 and n * depth % _WORD == 0]
    if not merged or merged[0] == 1 or not weights.is_constant():
        return node, fields
    times, cells = merged[0], weights.elements() // depth
    values, data = memoryview(bytes(weights.data)), bytearray(weights.elements() * times)
    for cell in range(cells):
        group = cell * groups // cells
        at = (cell * times + group % times) * depth
        data[at : at + depth] = values[cell * depth : (cell + 1) * depth]
    own = dict(fields)
    own["filter_channels"] = depth * times
    shape = (channels,) + tuple(weights.shape[1:3]) + (depth * times,)
    inputs = [node.input(0), with_data(weights, shape, bytes(data)), node.optional_input(2)]
    return sub_node(node, inputs, node.output(0)), own


# Emit a CONV_2D for each group and column step; return False if Prepare must emit the operator
# as it is.
#
# source: the input, which kernels may have converted. emit(node, fields): emits a CONV_2D, or
# returns False.
def emit_split(context, node, source, fields, emit):
    weights, bias, target = node.input(1), node.optional_input(2), node.output(0)
    groups, steps = (
        fields["input_channels"] // fields["filter_channels"],
        horizontal_dilation(fields),
    )
    constant = weights.is_constant() and (bias is None or bias.is_constant())
    if not constant or not target.elements() or groups * steps > _MAX_SUB_NODES:
        return False
    if steps > 1 and fields["stride_width"] > 1:
        return False
    columns = _columns(fields, steps)
    if columns is None:
        return False
    rows = source.shape[0] * source.shape[1], target.shape[0] * target.shape[1]
    depth, count = fields["filter_channels"], fields["output_channels"] // groups
    mark = context.mark()
    gathered = rows[0] * max([each[1] for each in columns]) * depth
    computed = rows[1] * max([each[3] for each in columns]) * count
    gathered = context.request_scratch_buffer(gathered * element_bytes(node, source))
    computed = context.request_scratch_buffer(computed * element_bytes(node, target))
    for group in range(groups):
        inputs = [None, weights, bias]
        if groups > 1:
            inputs[1] = channels_of(weights, group * count, count)
            inputs[2] = bias and channels_of(bias, group * count, count)
        for first, inside, first_output, outputs, padding in columns:
            own = dict(fields)
            own.update({"input_channels": depth, "output_channels": count, "dilation_width": 1})
            own.update({"input_width": inside, "output_width": outputs})
            own["padding_width"] = padding
            shape = (source.shape[0], source.shape[1], inside, depth)
            inputs[0] = ScratchTensor(source, shape, gathered)
            shape = (target.shape[0], target.shape[1], outputs, count)
            result = ScratchTensor(target, shape, computed)
            _copy(context, node, source, inputs[0], (rows[0], steps, first, group * depth), True)
            if not emit(sub_node(node, list(inputs), result), own):
                context.undo(mark)
                return False
            origin = rows[1], steps, first_output, group * count
            _copy(context, node, result, target, origin, False)
    return True


# Return (first column of the image, number of columns, first column of the output, number of
# columns, padding before the first column of the image) of each convolution for a dilation of
# `steps`, or None if a window is outside of the image.
def _columns(fields, steps):
    width, outputs = fields["input_width"], fields["output_width"]
    padding, cells = fields["padding_width"], fields["filter_width"]
    if steps == 1:
        return [(0, width, 0, outputs, padding)]
    columns = []
    for first_output in range(min(steps, outputs)):
        count = (outputs - first_output + steps - 1) // steps
        before = (padding - first_output + steps - 1) // steps
        first = first_output - padding + max(0, before) * steps
        before = max(0, before)
        inside = (width - first + steps - 1) // steps
        if inside <= 0 or before > cells - 1 or count - 1 - before >= inside:
            return None
        columns.append((first, inside, first_output, count, before))
    return columns


# Emit a copy between a tensor and a smaller one with some of its columns and channels. origin:
# rows of all images; columns of the tensor from one column of the smaller one to the next; first
# column; first channel. gather: from the tensor to the smaller one.
def _copy(context, node, source, target, origin, gather):
    whole, smaller = (source, target) if gather else (target, source)
    rows, step, first, channel = origin
    width, channels = whole.shape[2:]
    columns, count = smaller.shape[2:]
    loops = [
        (rows, width * channels, columns * count),
        (columns, step * channels, count),
        (count, 1, 1),
    ]
    offset = first * channels + channel
    if gather:
        emit_copy(context, node, source, target, loops, offset)
    else:
        loops = [(turns, b, a) for turns, a, b in loops]
        emit_copy(context, node, source, target, loops, 0, offset)
