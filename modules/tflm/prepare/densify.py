# tflm: DENSIFY: Prepare (not in TFLM; LiteRT densify.cc)
# MIT license; Copyright (c) 2026 the tflm authors

from .common import check_outputs, same_shape, support
from .reshape import emit_reshape
from .strided import check_same_dtype

output_shapes = same_shape


# The reader expands sparse constants (tflite/sparsity.py). The operator is then only a copy, which
# `tflm flatten` removes.
def prepare(context, node):
    source, target = node.input(0), node.output(0)
    support(source.is_constant(), node, "%s, which is computed," % source)
    check_same_dtype(node, source, (target,))
    check_outputs(node, output_shapes(node))
    emit_reshape(context, node)
