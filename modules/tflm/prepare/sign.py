# tflm: SIGN: Prepare (not in TFLM; LiteRT sign.cc)
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from .common import check_dtype, same_shape
from .elementwise import check_unquantized
from .lookup import check_same_elements
from .unary_float import UNARY

_WORK = 1  # of an element, in multiply-accumulates

_KERNELS = {dtypes.FLOAT32: "sign.eval_float32", dtypes.INT32: "sign.eval_int32"}

output_shapes = same_shape


def prepare(context, node):
    source, target = node.input(0), node.output(0)
    check_dtype(node, source, *sorted(_KERNELS))
    check_dtype(node, target, source.dtype)
    check_same_elements(node, source, target)
    check_unquantized(node, (source, target))
    kernel = _KERNELS[source.dtype]
    elements = source.elements()
    context.emit(kernel, UNARY, elements, elements * _WORK, input=source, output=target)
