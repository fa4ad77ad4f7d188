# tflm: UNPACK: Prepare (TFLM unpack.cc)
# MIT license; Copyright (c) 2026 the tflm authors

from .common import check, positive_axis, product
from .strided import check_same_dtype, check_shape, emit_copy

_OPTIONS = 64  # UnpackOptions


# One copy for each output.
def prepare(context, node):
    source = node.input(0)
    options = node.options(_OPTIONS)
    count = len(node.outputs)
    shape = source.shape
    axis = positive_axis(node, options.get(1, "i"), len(shape))
    check(
        options.get(0, "i") == count == shape[axis],
        node,
        "it has %d outputs and unpacks %d of %d" % (count, options.get(0, "i"), shape[axis]),
    )
    part = product(shape[axis + 1 :])
    for i in range(count):
        target = node.output(i)
        check_same_dtype(node, source, (target,))
        check_shape(node, target, shape[:axis] + shape[axis + 1 :])
        loops = [(product(shape[:axis]), part * count, part), (part, 1, 1)]
        emit_copy(context, node, source, target, loops, input_offset=i * part)
