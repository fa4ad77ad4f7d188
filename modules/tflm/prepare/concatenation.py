# tflm: CONCATENATION: Prepare (TFLM concatenation.cc)
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from ..dtypes import const
from .common import NONE, check, check_outputs, positive_axis, product, support
from .strided import check_same_dtype, emit_copy

_OPTIONS = const(10)  # ConcatenationOptions
_AXIS = const(0)
_FUSED_ACTIVATION_FUNCTION = const(1)


# The axis along which the inputs are joined.
def axis_of(node):
    return positive_axis(node, node.options(_OPTIONS).get(_AXIS, "i"), len(node.input(0).shape))


# One dimension is the sum of this dimension of all inputs, the others are the same.
def output_shapes(node):
    sources = [node.input(i) for i in range(len(node.inputs))]
    check(sources, node, "it has no inputs")
    shape = list(sources[0].shape)
    axis = axis_of(node)
    shape[axis] = sum([_size_along(node, source, axis, shape) for source in sources])
    return [shape]


# One copy for each input: its rows go to their offset in the rows of the output.
def prepare(context, node):
    target = node.output(0)
    options = node.options(_OPTIONS)
    support(options.get(_FUSED_ACTIVATION_FUNCTION, "b") == NONE, node, "a fused activation")
    check_outputs(node, output_shapes(node))
    sources = [node.input(i) for i in range(len(node.inputs))]
    shape = target.shape
    axis = positive_axis(node, options.get(_AXIS, "i"), len(shape))
    check_same_dtype(node, target, sources)
    for source in sources:
        _check_quantization(node, source, target)
    row = product(shape[axis:])
    offset = 0
    for source in sources:
        run = product(source.shape[axis:])
        loops = [(product(shape[:axis]), run, row), (run, 1, 1)]
        emit_copy(context, node, source, target, loops, output_offset=offset)
        offset += run


# Return the dimension that is joined; all others must equal `shape`.
def _size_along(node, source, axis, shape):
    same = list(source.shape)
    check(len(same) == len(shape), node, "%s should have %d dimensions" % (source, len(shape)))
    size = same[axis]
    same[axis] = shape[axis]
    check(same == shape, node, "%s does not fit shape %s" % (source, shape))
    return size


# Bytes are copied unchanged, so quantization must be equal. int16: TFLM requires zero points of 0.
def _check_quantization(node, source, target):
    if source.dtype in (dtypes.INT8, dtypes.UINT8):
        same = source.scale_bits() == target.scale_bits()
        same = same and source.zero_point() == target.zero_point()
        support(same, node, "%s and %s with unequal quantization" % (source, target))
    elif source.dtype == dtypes.INT16:
        for tensor in (source, target):
            support(tensor.zero_point() == 0, node, "%s with a zero point other than 0" % tensor)
