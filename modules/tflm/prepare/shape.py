# tflm: SHAPE: Prepare (TFLM shape.cc)
# MIT license; Copyright (c) 2026 the tflm authors

import struct

from .. import dtypes
from .common import check_dtype
from .reshape import COPY
from .strided import check_shape


# Shapes are known before anything runs: the output is a copy of a constant.
def prepare(context, node):
    shape, target = node.input(0).shape, node.output(0)
    check_dtype(node, target, dtypes.INT32, dtypes.INT64)
    check_shape(node, target, (len(shape),))
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
