# tflm: RESHAPE, SQUEEZE, EXPAND_DIMS: the bytes stay, the shape is another (TFLM reshape.cc)
# MIT license; Copyright (c) 2026 the tflm authors

from .common import check

COPY = ("input", "output", "size")


# The output's own shape counts, as in TFLM; it must hold as many elements.
def prepare(context, node):
    source, target = node.input(0), node.output(0)
    check(source.dtype == target.dtype, node, "%s and %s differ in type" % (source, target))
    check(
        source.elements() == target.elements(),
        node,
        "%s and %s differ in their number of elements" % (source, target),
    )
    size = source.nbytes()
    context.emit("copy.eval_bytes", COPY, size, size // 8, input=source, output=target, size=size)
