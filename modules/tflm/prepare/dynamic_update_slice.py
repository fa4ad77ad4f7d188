# tflm: DYNAMIC_UPDATE_SLICE: Prepare (TFLM dynamic_update_slice.cc)
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from .common import check, check_dtype, check_outputs, same_shape
from .reshape import emit_reshape
from .slice import emit_computed
from .strided import check_same_dtype

output_shapes = same_shape


# The operand is copied to the output, then the update is written over it. The kernel moves a start
# that would exceed the operand.
def prepare(context, node):
    operand, update, target = node.input(0), node.input(1), node.output(0)
    starts = node.input(2)
    check(len(node.inputs) == 3, node, "it must have 3 inputs")
    check_same_dtype(node, operand, (update, target))
    check_outputs(node, output_shapes(node))
    check_dtype(node, starts, dtypes.INT32, dtypes.INT64)
    rank = len(operand.shape)
    check(starts.elements() == rank, node, "%s should have %d entries" % (starts, rank))
    fits = len(update.shape) == rank
    for i in range(min(rank, len(update.shape))):
        fits = fits and update.shape[i] <= operand.shape[i]
    check(fits, node, "%s does not fit into %s" % (update, operand))
    if update.shape == operand.shape:
        emit_reshape(context, node, update)
        return
    emit_reshape(context, node)
    emit_computed(context, node, update, target, starts, 1)
