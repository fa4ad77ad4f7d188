# tflm: STRIDED_SLICE: Prepare (TFLM strided_slice.cc, strided_slice_common.cc)
# MIT license; Copyright (c) 2026 the tflm authors

from ..dtypes import const
from .common import check, check_outputs, support
from .strided import constant_indices, emit_copy, strides_of

_OPTIONS = const(32)  # StridedSliceOptions
_BEGIN_MASK = const(0)
_END_MASK = const(1)
_ELLIPSIS_MASK = const(2)
_NEW_AXIS_MASK = const(3)
_SHRINK_AXIS_MASK = const(4)
_OFFSET = const(5)


# One copy. Bit `i` of a mask is for dimension `i`; dimensions without an entry are copied whole.
def prepare(context, node):
    source, target, ranges = node.input(0), node.output(0), index_ranges(node)
    check_outputs(node, [_shape(ranges)])
    rank = len(source.shape)
    strides, steps = strides_of(source.shape), strides_of([count for _, count, _, _ in ranges])
    loops = [(ranges[i][1], ranges[i][2] * strides[i], steps[i]) for i in range(rank)]
    offset = sum([ranges[i][0] * strides[i] for i in range(rank)])
    emit_copy(context, node, source, target, loops, input_offset=offset)


def output_shapes(node):
    return [_shape(index_ranges(node))]


# Return the shape without the dimensions that are one index only.
def _shape(ranges):
    return [count for _, count, _, shrink in ranges if not shrink]


# Return for each dimension the first index, the number of indices, the stride, and 1 if it is
# removed.
def index_ranges(node):
    source = node.input(0)
    rank = len(source.shape)
    options = node.options(_OPTIONS)
    # TFLM ignores these three options, and would return other elements than requested.
    support(options.get(_ELLIPSIS_MASK, "i") == 0, node, "an ellipsis mask")
    support(options.get(_NEW_AXIS_MASK, "i") == 0, node, "a mask of new axes")
    support(options.get(_OFFSET, "B") == 0, node, "an end that counts from the begin")
    masks = (
        options.get(_BEGIN_MASK, "i"),
        options.get(_END_MASK, "i"),
        options.get(_SHRINK_AXIS_MASK, "i"),
    )
    begin, end, stride = [
        constant_indices(node, node.input(i), what)
        for i, what in ((1, "the begin"), (2, "the end"), (3, "the strides"))
    ]
    check(
        len(begin) == len(end) == len(stride) <= rank,
        node,
        "begin, end and strides should have %d entries for %s" % (rank, source),
    )
    ranges = [(0, size, 1, 0) for size in source.shape]
    for i in range(len(begin)):
        bits, size = [mask >> i & 1 for mask in masks], source.shape[i]
        first, count = elements_along(node, size, begin[i], end[i], stride[i], bits)
        ranges[i] = first, count, stride[i], bits[2]
    return ranges


# Return the first index and the number of indices along one dimension, as in
# strided_slice_logic.h: negative positions count from the end, and all are clamped to the
# dimension. `masks`: whether begin or end are open, or the dimension is one index only and is
# removed.
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
        check(0 <= begin < size, node, "an index is outside its dimension of %d" % size)
        check(stride > 0, node, "an index has the stride %d" % stride)
        return begin, 1
    if end < 0:
        end += size
    end = min(max(end, low), high)
    if open_end:
        end = high if stride > 0 else low
    count = (end - begin + stride - (1 if stride > 0 else -1)) // stride
    return begin, max(count, 0)
