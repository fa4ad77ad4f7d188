# tflm: SLICE: Prepare (TFLM slice.cc)
# MIT license; Copyright (c) 2026 the tflm authors

import struct

from .. import dtypes
from .common import check, check_dtype, check_outputs, product
from .strided import check_same_dtype, constant_indices, element_bytes, emit_copy, strides_of

# A begin that is computed at run time. A table follows, for each dimension, the outermost first:
# size of the slice, stride of the larger tensor in bytes, largest begin. `into`: 1 if the slice is
# written, 0 if it is read.
COMPUTED = ("input", "output", "begin", "begin_words", "row", "dimensions", "into")


# A size of -1 means up to the end of the dimension. If the begin is known at run time only, this
# size comes from the file's shape.
def output_shapes(node):
    source, begin = node.input(0), None
    rank = len(source.shape)
    sizes = constant_indices(node, node.input(2), "the size of the slice")
    if node.input(1).is_constant() or not rank:
        begin = constant_indices(node, node.input(1), "the begin of the slice")
    shape = source.shape if begin else node.output(0).shape
    counts = (len(sizes), len(shape)) if begin is None else (len(sizes), len(begin))
    check(counts == (rank, rank), node, "begin, size and %s differ in rank" % source)
    for i in range(rank):
        first = begin[i] if begin else 0
        if sizes[i] == -1:
            sizes[i] = shape[i] - first
        check(
            first >= 0 and sizes[i] >= 0 and first + sizes[i] <= source.shape[i],
            node,
            "begin %s and size %s reach outside %s" % (begin or "?", sizes, source),
        )
    return [sizes]


def prepare(context, node):
    source, target = node.input(0), node.output(0)
    check_same_dtype(node, source, (target,))
    rank = len(source.shape)
    for i in (1, 2):
        check_dtype(node, node.input(i), dtypes.INT32, dtypes.INT64)
        check(
            node.input(i).elements() == rank,
            node,
            "%s should have %d entries for %s" % (node.input(i), rank, source),
        )
    if rank and not (node.input(1).is_constant() and node.input(2).is_constant()):
        _prepare_computed(context, node, source, target)
        return
    check_outputs(node, output_shapes(node))
    begin, sizes = constant_indices(node, node.input(1), "the begin of the slice"), target.shape
    strides, steps = strides_of(source.shape), strides_of(sizes)
    loops = [(sizes[i], strides[i], steps[i]) for i in range(rank)]
    offset = sum([begin[i] * strides[i] for i in range(rank)])
    emit_copy(context, node, source, target, loops, input_offset=offset)


# Begin or size are known at run time only. The output's own shape is the size, because its memory
# is planned, and the kernel moves a begin that would exceed the input. TFLM checks neither.
def _prepare_computed(context, node, source, target):
    shape = target.shape
    fits = len(shape) == len(source.shape)
    for i in range(len(source.shape)):
        fits = fits and shape[i] <= source.shape[i]
    check(fits, node, "%s is no slice of %s" % (target, source))
    if node.input(2).is_constant():
        check_outputs(node, output_shapes(node))
    emit_computed(context, node, source, target, node.input(1), 0)


# Write the record that copies the whole smaller tensor from (`into` 0) or to (`into` 1) the
# position in the larger tensor that `begin` gives at run time. `shape` is the shape of the smaller
# tensor, with as many dimensions as the larger one has.
def emit_computed(context, node, source, target, begin, into, shape=None):
    larger, smaller = (target, source) if into else (source, target)
    if shape is None:
        shape = smaller.shape
    size = element_bytes(node, source)
    if smaller.elements() == 0:
        return
    strides = strides_of(larger.shape)
    table = b""
    for i in range(len(shape)):
        table += struct.pack("<III", shape[i], strides[i] * size, larger.shape[i] - shape[i])
    # Dimensions at the end that are copied whole belong to the row.
    outer = len(shape) - 1
    while outer and shape[outer] == larger.shape[outer]:
        outer -= 1
    rows = product(shape[:outer])
    context.emit(
        "slice.eval_computed",
        COMPUTED,
        rows,
        smaller.nbytes() + 16 * rows,
        table=table[: 12 * (outer + 1)],
        input=source,
        output=target,
        begin=begin,
        begin_words=dtypes.itemsize(begin.dtype) // 4,
        row=product(shape[outer:]) * size,
        dimensions=outer + 1,
        into=into,
    )
