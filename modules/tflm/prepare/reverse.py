# tflm: REVERSE_V2: Prepare (TFLM reverse.cc)
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from .common import (
    check,
    check_dtype,
    check_outputs,
    constant_ints,
    positive_axis,
    same_shape,
)
from .strided import emit_copy, strides_of

output_shapes = same_shape


# One copy that starts at the far end of each axis and steps backwards there. TFLM supports
# neighbouring axes only.
def prepare(context, node):
    source, target, axes = node.input(0), node.output(0), node.input(1)
    check_dtype(node, axes, dtypes.INT32)
    check_outputs(node, output_shapes(node))
    numbers = constant_ints(node, axes, "the axis") if axes.elements() else []
    rank = len(source.shape)
    reversed_axes = [positive_axis(node, axis, rank) for axis in numbers]
    check(len(set(reversed_axes)) == len(numbers), node, "an axis is given twice")
    strides = strides_of(source.shape)
    loops, offset = [], 0
    for i in range(rank):
        stride = strides[i]
        if i in reversed_axes:
            offset += (source.shape[i] - 1) * stride
            stride = 0 - stride
        loops.append((source.shape[i], stride, strides[i]))
    emit_copy(context, node, source, target, loops, input_offset=offset)
