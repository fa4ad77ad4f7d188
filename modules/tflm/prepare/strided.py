# tflm: copies between strided tensors, for every operator that only moves elements
# MIT license; Copyright (c) 2026 the tflm authors

import struct

from .. import dtypes
from .common import check, constant_ints, support

# A table follows: for each loop its turns and its strides in bytes, the innermost loop first.
STRIDED = ("input", "output", "input_offset", "output_offset", "size", "loops")


# Return the bytes of an element; types without whole bytes of a fixed size are refused.
def element_bytes(node, tensor):
    size = dtypes.itemsize(tensor.dtype)
    support(size > 0, node, "type %s" % dtypes.name(tensor.dtype))
    return size


# Refuse tensors whose type differs from the first one's.
def check_same_dtype(node, first, others):
    for tensor in others:
        check(tensor.dtype == first.dtype, node, "%s and %s differ in type" % (first, tensor))


# Return the values of a constant tensor with a number for each dimension; a scalar has none.
def constant_indices(node, tensor, what):
    return constant_ints(node, tensor, what) if tensor.elements() else []


# Return the strides of a dense tensor in elements.
def strides_of(shape):
    strides = []
    stride = 1
    for dimension in reversed(shape):
        strides.insert(0, stride)
        stride *= dimension
    return strides


# Write the record of a copy. `loops` are (turns, input stride, output stride), the outermost
# first. Strides and offsets count elements; only input strides may be negative.
def emit_copy(context, node, source, target, loops, input_offset=0, output_offset=0):
    size = element_bytes(node, source)
    check_same_dtype(node, source, (target,))
    units = 1
    for turns, _, _ in loops:
        units *= turns
    if units == 0:
        return
    _check_inside(node, source, input_offset, [(n, stride) for n, stride, _ in loops])
    _check_inside(node, target, output_offset, [(n, stride) for n, _, stride in loops])
    loops = [(n, a * size, b * size) for n, a, b in loops]
    emit_byte_copy(context, source, target, loops, size, input_offset * size, output_offset * size)


# Write the record of a copy whose strides and offsets count bytes; size: of an element. The
# caller checks that it stays inside of the tensors.
def emit_byte_copy(context, source, target, loops, size, input_offset=0, output_offset=0):
    item, loops = merged(loops, size)
    units = 1
    table = b""
    for turns, a, b in loops:
        units *= turns
        table += struct.pack("<iii", turns, a, b)
    context.emit(
        "strided_copy.eval",
        STRIDED,
        units,
        units * (2 + item),
        table=table,
        input=source,
        output=target,
        input_offset=input_offset,
        output_offset=output_offset,
        size=item,
        loops=len(loops),
    )


# Return fewer loops that do the same, and the bytes of an item. Neighbouring loops with a common
# step become one; an innermost loop over bytes that touch becomes the item. The longest loop
# becomes the innermost one, which is fastest in the kernel. There are always two loops.
def merged(loops, size):
    result = []
    for turns, a, b in loops:
        if turns == 1:
            continue
        if result and result[-1][1] == turns * a and result[-1][2] == turns * b:
            turns *= result.pop()[0]
        result.append((turns, a, b))
    if result and result[-1][1] == size and result[-1][2] == size:
        size *= result.pop()[0]
    if not result:
        result, size = [(size, 1, 1)], 1
    result.sort(key=lambda loop: (0 - loop[0], loop[2]))
    while len(result) < 2:
        result.append((1, 0, 0))
    return size, result


# The kernel must stay inside its tensors for every file.
def _check_inside(node, tensor, offset, loops):
    low = high = offset
    for turns, stride in loops:
        if stride < 0:
            low += (turns - 1) * stride
        else:
            high += (turns - 1) * stride
    check(low >= 0 and high < tensor.elements(), node, "it reaches outside %s" % tensor)
