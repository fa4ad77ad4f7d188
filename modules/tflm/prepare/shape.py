# tflm: SHAPE: Prepare (TFLM shape.cc)
# MIT license; Copyright (c) 2026 the tflm authors

import struct

from .. import dtypes
from .common import check_dtype, check_outputs
from .reshape import COPY


def output_shapes(node):
    return [(len(node.input(0).shape),)]


# Shapes are known before the model runs: the output is a copy of a constant.
def prepare(context, node):
    shape, target = node.input(0).shape, node.output(0)
    check_dtype(node, target, dtypes.INT32, dtypes.INT64)
    check_outputs(node, output_shapes(node))
    if not shape:
        return
    kinds = dtypes.typecode(target.dtype) * len(shape)
    context.emit(
        "copy.eval_bytes",
        COPY,
        target.nbytes(),
        input=context.constant(struct.pack("<" + kinds, *shape)),
        output=target,
        size=target.nbytes(),
    )
