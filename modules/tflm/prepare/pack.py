# tflm: PACK: Prepare (TFLM pack.cc)
# MIT license; Copyright (c) 2026 the tflm authors

from .common import check, positive_axis, product
from .strided import check_same_dtype, check_shape, emit_copy

_OPTIONS = 59  # PackOptions


# One copy for each input: its parts go to their place behind each other in the output.
def prepare(context, node):
    target = node.output(0)
    options = node.options(_OPTIONS)
    sources = [node.input(i) for i in range(len(node.inputs))]
    count = len(sources)
    check(
        count and options.get(0, "i") == count,
        node,
        "it has %d inputs but packs %d" % (count, options.get(0, "i")),
    )
    shape = sources[0].shape
    axis = positive_axis(node, options.get(1, "i"), len(shape) + 1)
    check_shape(node, target, shape[:axis] + (count,) + shape[axis:])
    check_same_dtype(node, target, sources)
    part = product(shape[axis:])
    for i in range(count):
        check_shape(node, sources[i], shape)
        loops = [(product(shape[:axis]), part, part * count), (part, 1, 1)]
        emit_copy(context, node, sources[i], target, loops, output_offset=i * part)
