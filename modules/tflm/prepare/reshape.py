# tflm: RESHAPE: the bytes stay, the shape is another (TFLM reshape.cc)
# MIT license; Copyright (c) 2026 the tflm authors

from .common import check
from .strided import check_same_dtype, element_bytes

COPY = ("input", "output", "size")


# The output's own shape counts, as in TFLM; what the shape input or the options say is not read.
def prepare(context, node):
    check(len(node.inputs) in (1, 2), node, "it has %d inputs" % len(node.inputs))
    emit_reshape(context, node)


# Copy all bytes of an input, number 0 unless given, to output 0, which must hold as many elements.
def emit_reshape(context, node, source=None):
    source, target = source or node.input(0), node.output(0)
    check_same_dtype(node, source, (target,))
    check(
        source.elements() == target.elements(),
        node,
        "%s and %s differ in their number of elements" % (source, target),
    )
    size = source.elements() * element_bytes(node, source)
    context.emit("copy.eval_bytes", COPY, size, size // 2, input=source, output=target, size=size)
