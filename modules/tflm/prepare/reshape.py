# tflm: RESHAPE: Prepare: copies the bytes to another shape (TFLM reshape.cc)
# MIT license; Copyright (c) 2026 the tflm authors

from ..dtypes import const
from .common import check, product
from .strided import check_same_dtype, constant_indices, element_bytes

_OPTIONS = const(17)  # ReshapeOptions
_NEW_SHAPE = const(0)

COPY = ("input", "output", "size")


# Input 1 or an option; one dimension may be -1, which is computed from the others. If input 1 is
# known at run time only, the shape is the file's.
def output_shapes(node):
    source, given = node.input(0), node.optional_input(1)
    shape = list(node.output(0).shape)
    if given is None:
        shape = list(node.options(_OPTIONS).numbers(_NEW_SHAPE, "i")) or shape
    elif given.is_constant() or product(shape) != source.elements():
        shape = constant_indices(node, given, "the shape")
    if -1 in shape:
        rest = product([d for d in shape if d != -1])
        shape[shape.index(-1)] = source.elements() // rest if rest else 0
    fits = min(shape, default=0) >= 0 and product(shape) == source.elements()
    check(fits, node, "%s cannot have the shape %s" % (source, shape))
    return [shape]


# The output's own shape counts, as in TFLM; the shape in an input or in the options is ignored.
def prepare(context, node):
    check(len(node.inputs) in (1, 2), node, "it has %d inputs" % len(node.inputs))
    emit_reshape(context, node)


# Copy all bytes of an input, by default input 0, to output 0, which must have as many elements.
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
