# tflm: SQUEEZE: the bytes stay, dimensions of 1 go (TFLM squeeze.cc)
# MIT license; Copyright (c) 2026 the tflm authors

from .common import check, positive_axis
from .reshape import emit_reshape

_OPTIONS = 30  # SqueezeOptions


# The output may keep dimensions of 1 at its end, as in TFLM.
def prepare(context, node):
    check(len(node.inputs) == 1, node, "it has %d inputs" % len(node.inputs))
    source, target = node.input(0), node.output(0)
    rank = len(source.shape)
    gone = [positive_axis(node, axis, rank) for axis in node.options(_OPTIONS).numbers(0, "i")]
    for axis in gone:
        check(source.shape[axis] == 1, node, "%s cannot lose dimension %d" % (source, axis))
    if not gone:
        gone = [axis for axis in range(rank) if source.shape[axis] == 1]
    shape = tuple([source.shape[axis] for axis in range(rank) if axis not in gone])
    rest = target.shape[len(shape) :]
    check(
        target.shape == shape + (1,) * len(rest),
        node,
        "%s should have shape %s" % (target, list(shape)),
    )
    emit_reshape(context, node)
