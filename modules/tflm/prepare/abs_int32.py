# tflm: ABS and NEG of int32: Prepare (not in TFLM; LiteRT elementwise.cc, neg.cc)
# MIT license; Copyright (c) 2026 the tflm authors

from .common import check_dtype
from .elementwise import check_unquantized
from .lookup import check_same_elements
from .unary_float import UNARY

ABS = UNARY + ("negate",)


# Write the record. `negate`: 1 for NEG, 0 for ABS.
def emit_int32(context, node, negate):
    source, target = node.input(0), node.output(0)
    check_dtype(node, target, source.dtype)
    check_same_elements(node, source, target)
    check_unquantized(node, (source, target))
    count = source.elements()
    context.emit(
        "abs_int32.eval_int32", ABS, count, count, input=source, output=target, negate=negate
    )
