# tflm: GATHER: Prepare (TFLM gather.cc), and the record that GATHER_ND shares
# MIT license; Copyright (c) 2026 the tflm authors

import struct

from .. import dtypes
from ..dtypes import const
from .common import (
    check,
    check_dtype,
    check_outputs,
    constant_ints,
    positive_axis,
    product,
)
from .strided import check_same_dtype, element_bytes

# Sizes in bytes. A table follows: for each number of an index its stride in bytes, and the largest
# valid magnitude.
GATHER = ("input", "indices", "output", "row", "extent", "coordinates", "outer", "depth")

_OPTIONS = const(23)  # GatherOptions
_AXIS = const(0)
_BATCH_DIMS = const(1)


# The dimensions of the indices replace the axis.
def output_shapes(node):
    shape, (axis, batch_dims) = node.input(0).shape, _axes(node)
    return [shape[:axis] + node.input(1).shape[batch_dims:] + shape[axis + 1 :]]


# Gather by indices along an axis; the first `batch_dims` dimensions of both inputs belong
# together.
def prepare(context, node):
    source, indices, target = node.input(0), node.input(1), node.output(0)
    check_same_dtype(node, source, (target,))
    check_indices(node, indices)
    check_outputs(node, output_shapes(node))
    axis, batch_dims = _axes(node)
    emit_gather(
        context,
        node,
        (source, indices, target),
        source.shape[axis:],
        product(indices.shape[batch_dims:]),
        product(source.shape[batch_dims:axis]),
        1,
    )


# Return the axis and the number of batch dimensions.
def _axes(node):
    source, indices, options = node.input(0), node.input(1), node.options(_OPTIONS)
    axis = positive_axis(node, options.get(_AXIS, "i"), len(source.shape))
    batch_dims = options.get(_BATCH_DIMS, "i")
    if batch_dims < 0:
        batch_dims += len(indices.shape)
    check(
        0 <= batch_dims <= min(axis, len(indices.shape)),
        node,
        "%d batch dimensions do not fit axis %d of %s" % (batch_dims, axis, source),
    )
    check(
        source.shape[:batch_dims] == indices.shape[:batch_dims],
        node,
        "%s and %s differ in their batch dimensions" % (source, indices),
    )
    return axis, batch_dims


# Refuse indices of other types than int32, and int64 and int16, which TFLM lacks.
def check_indices(node, indices):
    check_dtype(node, indices, dtypes.INT32, dtypes.INT64, dtypes.INT16)


# Return the indices of another type as memory of int32. LiteRT refuses larger numbers of int64
# when it runs.
def _emit_int32(context, indices):
    from .cast import emit_integers

    count = indices.elements()
    found = context.request_scratch_buffer(4 * count)
    emit_integers(context, indices, found, count, (indices.dtype, dtypes.INT32))
    return found


# Write the record. `tensors` are input, indices and output, or memory that is large
# enough for an output of the input's type. `shape` is the shape of one block of the input, of
# which the first `depth` dimensions are addressed by an index. `coordinates` is the number of
# indices of a block, `outer` the number of blocks that share them. As in TFLM only the whole
# offset is checked, not each number of an index. elements: the number of gathered elements; None:
# as many as the output has.
def emit_gather(context, node, tensors, shape, coordinates, outer, depth, elements=None):
    source, indices, target = tensors
    size = element_bytes(node, source)
    total = (node.output(0).elements() if elements is None else elements) * size
    if not total:
        return
    row = product(shape[depth:]) * size
    extent = product(shape) * size
    table = []
    for i in range(depth):
        stride = product(shape[i + 1 :]) * size
        table += [stride, extent // stride if stride else 0]
    if indices.is_constant():
        numbers = constant_ints(node, indices, "the indices")
        _check_indices(node, numbers, table, row, extent)
        if indices.dtype != dtypes.INT32:
            indices = context.constant(struct.pack("<%di" % len(numbers), *numbers))
    elif indices.dtype != dtypes.INT32:
        indices = _emit_int32(context, indices)
    rows = total // row
    context.emit(
        "gather.eval",
        GATHER,
        rows,
        total + 16 * rows,
        table=struct.pack("<%dI" % len(table), *table),
        input=source,
        indices=indices,
        output=target,
        row=row,
        extent=extent,
        coordinates=coordinates,
        outer=outer,
        depth=depth,
    )


# Check constant indices as the kernel does.
def _check_indices(node, numbers, table, row, extent):
    depth = len(table) // 2
    for first in range(0, len(numbers), max(1, depth)):
        offset = sum([numbers[first + i] * table[2 * i] for i in range(depth)])
        check(0 <= offset <= extent - row, node, "an index points outside its tensor")
