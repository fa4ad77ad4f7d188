# tflm: STRIDED_SLICE: Prepare (TFLM strided_slice.cc, strided_slice_common.cc)
# MIT license; Copyright (c) 2026 the tflm authors

from .common import check, support
from .strided import check_shape, constant_indices, emit_copy, strides_of

_OPTIONS = 32  # StridedSliceOptions


# One copy; a mask's bit `i` is for dimension `i`, and dimensions without an entry are taken whole.
def prepare(context, node):
    source, target = node.input(0), node.output(0)
    rank = len(source.shape)
    options = node.options(_OPTIONS)
    # TFLM ignores these three, and would give other elements than were asked for.
    support(options.get(2, "i") == 0, node, "an ellipsis mask")
    support(options.get(3, "i") == 0, node, "a mask of new axes")
    support(options.get(5, "B") == 0, node, "an end that counts from the begin")
    masks = options.get(0, "i"), options.get(1, "i"), options.get(4, "i")
    begin, end, stride = [
        constant_indices(node, node.input(i), what)
        for i, what in ((1, "the begin"), (2, "the end"), (3, "the strides"))
    ]
    check(
        len(begin) == len(end) == len(stride) <= rank,
        node,
        "begin, end and strides should have %d entries for %s" % (rank, source),
    )
    strides = strides_of(source.shape)
    shape, taken, offset = [], [], 0
    for i in range(rank):
        first, count, step, shrink = 0, source.shape[i], 1, False
        if i < len(begin):
            bits = [mask >> i & 1 for mask in masks]
            shrink = bits[2]
            first, count = elements_along(node, source.shape[i], begin[i], end[i], stride[i], bits)
            step = stride[i]
        if not shrink:
            shape.append(count)
        taken.append((count, step * strides[i]))
        offset += first * strides[i]
    check_shape(node, target, shape)
    steps = strides_of([count for count, _ in taken])
    loops = [(taken[i][0], taken[i][1], steps[i]) for i in range(rank)]
    emit_copy(context, node, source, target, loops, input_offset=offset)


# The first index and the number of indices along one dimension, as strided_slice_logic.h has it:
# negative positions count from the end, all are clamped to the dimension; `masks` tell that begin
# or end are left open, or that the dimension is one index only and goes away.
def elements_along(node, size, begin, end, stride, masks):
    check(stride != 0, node, "a stride is 0")
    low, high = (0, size) if stride > 0 else (-1, size - 1)
    open_begin, open_end, shrink = masks
    if begin < 0:
        begin += size
    begin = min(max(begin, low), high)
    if open_begin:
        begin = low if stride > 0 else high
    if shrink:
        check(0 <= begin < size, node, "an index lies outside its dimension of %d" % size)
        check(stride > 0, node, "an index has the stride %d" % stride)
        return begin, 1
    if end < 0:
        end += size
    end = min(max(end, low), high)
    if open_end:
        end = high if stride > 0 else low
    count = (end - begin + stride - (1 if stride > 0 else -1)) // stride
    return begin, max(count, 0)
