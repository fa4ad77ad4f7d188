# tflm: UNPACK: Prepare (TFLM unpack.cc)
# MIT license; Copyright (c) 2026 the tflm authors

from ..dtypes import const
from .common import check, check_outputs, positive_axis, product
from .strided import check_same_dtype, emit_copy

_OPTIONS = const(64)  # UnpackOptions
_NUM = const(0)
_AXIS = const(1)


def output_shapes(node):
    shape = node.input(0).shape
    axis = positive_axis(node, node.options(_OPTIONS).get(_AXIS, "i"), len(shape))
    return [shape[:axis] + shape[axis + 1 :]] * len(node.outputs)


# One copy for each output.
def prepare(context, node):
    source = node.input(0)
    options = node.options(_OPTIONS)
    count = len(node.outputs)
    shape = source.shape
    axis = positive_axis(node, options.get(_AXIS, "i"), len(shape))
    check(
        options.get(_NUM, "i") == count == shape[axis],
        node,
        "it has %d outputs and unpacks %d of %d" % (count, options.get(_NUM, "i"), shape[axis]),
    )
    check_outputs(node, output_shapes(node))
    run = product(shape[axis + 1 :])
    for i in range(count):
        target = node.output(i)
        check_same_dtype(node, source, (target,))
        loops = [(product(shape[:axis]), run * count, run), (run, 1, 1)]
        emit_copy(context, node, source, target, loops, input_offset=i * run)
