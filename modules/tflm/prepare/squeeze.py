# tflm: SQUEEZE: Prepare: copies the bytes; dimensions of 1 are removed (TFLM squeeze.cc)
# MIT license; Copyright (c) 2026 the tflm authors

from ..dtypes import const
from .common import check, check_shape, positive_axis
from .reshape import emit_reshape

_OPTIONS = const(30)  # SqueezeOptions
_SQUEEZE_DIMS = const(0)


def output_shapes(node):
    source = node.input(0)
    rank = len(source.shape)
    axes = node.options(_OPTIONS).numbers(_SQUEEZE_DIMS, "i")
    gone = [positive_axis(node, axis, rank) for axis in axes]
    for axis in gone:
        check(source.shape[axis] == 1, node, "%s cannot lose dimension %d" % (source, axis))
    if not gone:
        gone = [axis for axis in range(rank) if source.shape[axis] == 1]
    return [tuple([source.shape[axis] for axis in range(rank) if axis not in gone])]


# The output may keep dimensions of 1 at its end, as in TFLM.
def prepare(context, node):
    check(len(node.inputs) == 1, node, "it has %d inputs" % len(node.inputs))
    target, (shape,) = node.output(0), output_shapes(node)
    rest = len(target.shape) - len(shape)
    check_shape(node, target, shape + (1,) * rest)
    emit_reshape(context, node)
