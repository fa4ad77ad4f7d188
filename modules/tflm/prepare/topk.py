# tflm: TOPK_V2: Prepare (not in TFLM; LiteRT topk_v2.cc)
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from .common import (
    check,
    check_dtype,
    check_outputs,
    constant_ints,
    product,
)
from .strided import check_same_dtype

LAYOUT = ("input", "values", "indices", "kind", "length", "count")

# Kinds of numbers in kernels/topk.py.
_KINDS = {dtypes.FLOAT32: 0, dtypes.INT32: 1, dtypes.INT8: 2, dtypes.UINT8: 3, dtypes.INT16: 4}


# Input 1 gives the number of values in each row.
def output_shapes(node):
    source, number = node.input(0), node.input(1)
    check(len(source.shape) > 0, node, "%s has no dimension" % source)
    count = constant_ints(node, number, "the number of values")
    check(len(count) == 1, node, "%s is not one number" % number)
    length = source.shape[-1]
    check(0 <= count[0] <= length, node, "it takes %d of %d values" % (count[0], length))
    return [source.shape[:-1] + (count[0],)] * 2


# The largest values of each row in descending order, and their indices.
def prepare(context, node):
    source, values, indices = node.input(0), node.output(0), node.output(1)
    check_dtype(node, source, *sorted(_KINDS))
    check_same_dtype(node, source, (values,))
    check_dtype(node, indices, dtypes.INT32)
    check_outputs(node, output_shapes(node))
    length, count = source.shape[-1], values.shape[-1]
    if not values.elements():
        return
    rows = product(source.shape[:-1])
    context.emit(
        "topk.eval",
        LAYOUT,
        rows,
        rows * length * count * 4,
        input=source,
        values=values,
        indices=indices,
        kind=_KINDS[source.dtype],
        length=length,
        count=count,
    )
