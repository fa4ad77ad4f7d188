# tflm: unary operators on float32 alone: Prepare (TFLM elementwise.cc, exp.cc, floor.cc ...)
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from .lookup import unary_tensors
from .unary_float import UNARY, emit_unary

ROUND = UNARY + ("direction",)
SIN_COS = UNARY + ("quarters",)
SIGN = UNARY + ("keep", "flip")

# builtin code: kernel, multiply-accumulates that an element takes as long as, layout, fields
_KERNELS = {
    8: ("round_float", 1, ROUND, {"direction": 0}),  # FLOOR
    47: ("exp_float", 2, UNARY, {}),  # EXP
    59: ("sign_float", 1, SIGN, {"keep": -1, "flip": 1 << 31}),  # NEG
    66: ("sin_cos_float", 3, SIN_COS, {"quarters": 0}),  # SIN
    73: ("log_float", 2, UNARY, {}),  # LOG
    75: ("sqrt_float", 2, UNARY, {}),  # SQRT
    92: ("square_float", 1, UNARY, {}),  # SQUARE
    104: ("round_float", 1, ROUND, {"direction": 1}),  # CEIL
    108: ("sin_cos_float", 3, SIN_COS, {"quarters": 1}),  # COS
    116: ("round_float", 1, ROUND, {"direction": 2}),  # ROUND
}


_EXP, _LOG = 47, 73


def prepare(context, node):
    if node.builtin_code in (_EXP, _LOG) and node.input(0).dtype == dtypes.INT8:
        unary_tensors(node, dtypes.INT8)
        from .float_table import emit_exp, emit_log

        emit = emit_exp if node.builtin_code == _EXP else emit_log
        emit(context, node)
        return
    unary_tensors(node, dtypes.FLOAT32)
    kernel, steps, layout, fields = _KERNELS[node.builtin_code]
    emit_unary(context, node, kernel, steps, layout, **fields)
