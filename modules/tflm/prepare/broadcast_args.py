# tflm: BROADCAST_ARGS: Prepare (TFLM broadcast_args.cc)
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from .common import check, check_dtype, check_outputs
from .strided import check_same_dtype

LAYOUT = ("input1", "input2", "output", "words", "length1", "length2", "length")


def output_shapes(node):
    return [(max(node.input(0).elements(), node.input(1).elements()),)]


# Two shapes become the shape that both broadcast to.
def prepare(context, node):
    first, second, target = node.input(0), node.input(1), node.output(0)
    check_dtype(node, first, dtypes.INT32, dtypes.INT64)
    check_same_dtype(node, first, (second, target))
    for tensor in (first, second):
        check(len(tensor.shape) == 1, node, "%s should have one dimension" % tensor)
    check_outputs(node, output_shapes(node))
    length = target.elements()
    context.emit(
        "broadcast_args.eval",
        LAYOUT,
        length,
        16 * length,
        input1=first,
        input2=second,
        output=target,
        words=dtypes.itemsize(target.dtype) // 4,
        length1=first.elements(),
        length2=second.elements(),
        length=length,
    )
