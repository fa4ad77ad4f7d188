# tflm: inputs of different shapes: the geometry with which kernels/broadcast.py finds elements
# MIT license; Copyright (c) 2026 the tflm authors

import struct

from .. import dtypes
from .common import check, product, support

# The words that start the layout of every binary operator.
BROADCAST = (
    "input1",
    "input2",
    "output",
    "row1",  # scratch: one block of input 1, expanded to the shape of the output
    "row2",
    "accumulators",  # scratch: one block of int32, for the kernels that require it
    "step1",  # bytes from one element of input 1 to the next; 0: a scalar
    "step2",
    "expand1",  # word of the record where the geometry of input 1 starts; 0: no geometry
    "expand2",
    "block",  # elements between two calls of a helper
)

_MAX_RANK = 6  # TFLM's RuntimeShape
_SCRATCH = 512  # bytes for rows and accumulators
_UNLIMITED = 1 << 28  # no helper: one block for all elements


# Write the record of a binary operator. `layout` is BROADCAST and the kernel's own words, `work`
# the cost of an element in multiply-accumulates, `accumulator_bytes` the bytes of scratch per
# element. Units are elements of the output. `inputs` may be in any order: input1 of the record is
# the first of them.
def emit_broadcast(
    context, node, kernel, layout, inputs, work, accumulator_bytes=0, table=b"", **fields
):
    check_broadcast(node, inputs, node.output(0))
    emit_spread(context, node, kernel, layout, inputs, work, accumulator_bytes, table, **fields)


# Write the record of an operator whose shapes are checked: each input is expanded to the shape of
# the output.
def emit_spread(
    context, node, kernel, layout, inputs, work, accumulator_bytes=0, table=b"", **fields
):
    target = node.output(0)
    elements = target.elements()
    if not elements:
        return
    sizes = [dtypes.itemsize(tensor.dtype) for tensor in inputs]
    geometries = [_geometry(inputs[i].shape, target.shape, sizes[i]) for i in (0, 1)]
    expanded = [len(geometry) > 0 for geometry in geometries]
    block = _UNLIMITED
    if accumulator_bytes or any(expanded):
        block = _SCRATCH // (accumulator_bytes + sum([sizes[i] * expanded[i] for i in (0, 1)]))
        block = min(elements, block & -8)
    scratch = context.request_scratch_buffer
    for i in (0, 1):
        number = str(i + 1)
        fields["input" + number] = inputs[i]
        fields["row" + number] = scratch(block * sizes[i]) if expanded[i] else None
        fields["step" + number] = 0 if inputs[i].elements() == 1 else sizes[i]
        fields["expand" + number] = 1 + len(layout) + len(table) // 4 if expanded[i] else 0
        table += geometries[i]
    rows = scratch(block * accumulator_bytes) if accumulator_bytes else None
    fields["accumulators"] = rows
    fields["block"] = block
    context.emit(kernel, layout, elements, elements * work, table, output=target, **fields)


# output_shapes() of operators that broadcast their inputs by numpy's rules.
def spread_shape(node):
    shape = broadcast_shape([tensor.shape for tensor in node.inputs])
    check(
        shape is not None,
        node,
        "the shapes of %s do not fit together" % ", ".join([str(t) for t in node.inputs]),
    )
    return [shape]


# Refuse shapes that do not fit together by numpy's rules. Leading ones of the output are ignored.
def check_broadcast(node, inputs, target):
    for tensor in list(inputs) + [target]:
        support(len(tensor.shape) <= _MAX_RANK, node, "%s: more than 6 dimensions" % tensor)
    wanted = broadcast_shape([tensor.shape for tensor in inputs])
    check(
        wanted is not None and _trimmed(wanted) == _trimmed(target.shape),
        node,
        "the shapes of %s and %s do not fit together"
        % (", ".join([str(tensor) for tensor in inputs]), target),
    )


# Return the shape that the given ones broadcast to, or None.
def broadcast_shape(shapes):
    rank = max([len(shape) for shape in shapes])
    result = [1] * rank
    for shape in shapes:
        for i, dimension in enumerate(_padded(shape, rank)):
            if result[i] == 1:
                result[i] = dimension
            elif dimension != 1 and dimension != result[i]:
                return None
    return tuple(result)


# Return a shape without its leading ones.
def _trimmed(shape):
    start = 0
    while start < len(shape) and shape[start] == 1:
        start += 1
    return tuple(shape[start:])


# Return a shape with leading ones up to a rank.
def _padded(shape, rank):
    return (1,) * (rank - len(shape)) + tuple(shape)


# Return the words that kernels/broadcast.py reads: bytes of an element, number of levels, then for
# each level, innermost first, its length and the bytes from one step to the next (0: repeated).
# Neighbouring dimensions are one level if both are repeated or both are not. Empty if the input
# has the output's shape or one element.
def _geometry(shape, output_shape, size):
    output_shape = _trimmed(output_shape)
    shape = _padded(_trimmed(shape), len(output_shape))
    if product(shape) == 1 or product(shape) == product(output_shape):
        return b""
    levels = []
    stride = size
    for dimension, length in zip(reversed(shape), reversed(output_shape)):
        if length == 1:
            continue
        repeated = dimension == 1
        if levels and repeated == (levels[-1][1] == 0):
            levels[-1][0] *= length
        else:
            levels.append([length, 0 if repeated else stride])
        stride *= dimension
    words = [size, len(levels)]
    for level in levels:
        words += level
    return struct.pack("<%dI" % len(words), *words)
