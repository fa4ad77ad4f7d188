# tflm: unary operators, most of float32 only: Prepare (TFLM elementwise.cc, exp.cc, floor.cc ...)
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from ..dtypes import const
from .common import same_shape, scale_of, support
from .lookup import emit_lookup, unary_tensors
from .unary_float import UNARY, emit_unary

ROUND = UNARY + ("direction",)
SIN_COS = UNARY + ("quarters",)
SIGN = UNARY + ("keep", "flip")

_FLOOR = const(8)
_EXP = const(47)
_NEG = const(59)
_SIN = const(66)
_LOG = const(73)
_SQRT = const(75)
_SQUARE = const(92)
_CEIL = const(104)
_COS = const(108)
_ROUND = const(116)

# {builtin code: (kernel, work of an element in multiply-accumulates, layout, fields)}
_KERNELS = {
    _FLOOR: ("round_float", 1, ROUND, {"direction": 0}),
    _EXP: ("exp_float", 2, UNARY, {}),
    _NEG: ("sign_float", 1, SIGN, {"keep": -1, "flip": 1 << 31}),
    _SIN: ("sin_cos_float", 3, SIN_COS, {"quarters": 0}),
    _LOG: ("log_float", 2, UNARY, {}),
    _SQRT: ("sqrt_float", 2, UNARY, {}),
    _SQUARE: ("square_float", 1, UNARY, {}),
    _CEIL: ("round_float", 1, ROUND, {"direction": 1}),
    _COS: ("sin_cos_float", 3, SIN_COS, {"quarters": 1}),
    _ROUND: ("round_float", 1, ROUND, {"direction": 2}),
}

output_shapes = same_shape


def prepare(context, node):
    dtype = node.input(0).dtype
    if node.builtin_code in (_EXP, _LOG) and dtype in (dtypes.INT8, dtypes.INT16):
        unary_tensors(node, dtype)
        if dtype == dtypes.INT8:
            from .float_table import emit_exp, emit_log
        else:
            from .int16_table import emit_exp, emit_log
        emit = emit_exp if node.builtin_code == _EXP else emit_log
        emit(context, node)
        return
    if node.builtin_code == _NEG and node.input(0).dtype == dtypes.INT32:
        from .abs_int32 import emit_int32

        emit_int32(context, node, negate=1)
        return
    if node.builtin_code == _NEG and dtype in (dtypes.INT8, dtypes.INT16):
        _negate(context, node, dtype)
        return
    if node.builtin_code == _SQRT and dtype in (dtypes.INT8, dtypes.INT16):
        unary_tensors(node, dtype)
        if dtype == dtypes.INT8:
            from .rsqrt import emit_sqrt
        else:
            from .sqrt_int16 import emit_sqrt
        emit_sqrt(context, node)
        return
    unary_tensors(node, dtypes.FLOAT32)
    kernel, steps, layout, fields = _KERNELS[node.builtin_code]
    emit_unary(context, node, kernel, steps, layout, **fields)


# NEG of integers. LiteRT negates the numbers of the file and ignores their zero points and scales.
def _negate(context, node, dtype):
    for tensor in unary_tensors(node, dtype):
        support(not tensor.zero_point(), node, "%s: a zero point" % tensor)
    support(
        scale_of(node.input(0)) == scale_of(node.output(0)), node, "an output scale of its own"
    )
    if dtype == dtypes.INT16:
        from .int16_table import emit_neg

        emit_neg(context, node)
        return
    emit_lookup(context, node, lambda x: 0 - x)
