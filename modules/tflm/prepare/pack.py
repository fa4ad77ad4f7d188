# tflm: PACK: Prepare (TFLM pack.cc)
# MIT license; Copyright (c) 2026 the tflm authors

from ..dtypes import const
from .common import check, check_outputs, check_shape, positive_axis, product
from .strided import check_same_dtype, emit_copy

_OPTIONS = const(59)  # PackOptions
_VALUES_COUNT = const(0)
_AXIS = const(1)


# The axis of the output along which the inputs are stacked.
def axis_of(node):
    rank = len(node.input(0).shape) + 1
    return positive_axis(node, node.options(_OPTIONS).get(_AXIS, "i"), rank)


# One more dimension, along which the inputs are stacked.
def output_shapes(node):
    shape = node.input(0).shape
    axis = axis_of(node)
    return [shape[:axis] + (len(node.inputs),) + shape[axis:]]


# One copy for each input: its runs go to their offsets in the output.
def prepare(context, node):
    target = node.output(0)
    options = node.options(_OPTIONS)
    sources = [node.input(i) for i in range(len(node.inputs))]
    count = len(sources)
    check(
        count and options.get(_VALUES_COUNT, "i") == count,
        node,
        "it has %d inputs but packs %d" % (count, options.get(_VALUES_COUNT, "i")),
    )
    check_outputs(node, output_shapes(node))
    shape = sources[0].shape
    axis = positive_axis(node, options.get(_AXIS, "i"), len(shape) + 1)
    check_same_dtype(node, target, sources)
    run = product(shape[axis:])
    for i in range(count):
        check_shape(node, sources[i], shape)
        loops = [(product(shape[:axis]), run, run * count), (run, 1, 1)]
        emit_copy(context, node, sources[i], target, loops, output_offset=i * run)
