# The files of kernels/armv7emsp that are generated: what each computes, and its generators
# MIT license; Copyright (c) 2026 the tflm authors

from functools import partial

from ..kernels import (
    curves_float,
    hybrid_depthwise,
    hybrid_fpu,
    hybrid_quantize,
    hybrid_sums,
    lists_float,
    lstm_float_fpu,
    resize_bilinear_float,
    rows_float,
    softmax_float,
)

CORE = "an FPU of single precision"
FILES = {
    "float32_asm.py": (
        "float32 arithmetic",
        (partial(lists_float.lists, "armv7emsp"), partial(rows_float.rows, "armv7emsp")),
    ),
    "float_curves_asm.py": (
        "exp, logistic, tanh and ELU, float32",
        (partial(curves_float.curve, "armv7em"),),
    ),
    "hybrid_asm.py": (
        "float32 operators with int8 weights",
        (
            partial(hybrid_sums.sums, "armv7em"),
            partial(hybrid_fpu.finish, "armv7emsp"),
        ),
    ),
    "hybrid_depthwise_asm.py": (
        "DEPTHWISE_CONV_2D, float32 with int8 weights",
        (partial(hybrid_depthwise.depthwise, "armv7em"),),
    ),
    "hybrid_quantize_asm.py": (
        "float32 to int8 with a scale for each batch",
        (
            partial(hybrid_quantize.find_scale, "armv7em"),
            partial(hybrid_quantize.quantize, "armv7emsp"),
        ),
    ),
    "lstm_float_fpu_asm.py": (
        "UNIDIRECTIONAL_SEQUENCE_LSTM, float32",
        (partial(lstm_float_fpu.steps, "armv7emsp"),),
    ),
    "resize_bilinear_float_asm.py": (
        "RESIZE_BILINEAR, float32",
        (partial(resize_bilinear_float.blend, "armv7emsp"),),
    ),
    "softmax_float_asm.py": ("SOFTMAX, float32", (partial(softmax_float.steps, "armv7emsp"),)),
}
COPIES = {
    "float32_math.py": "armv6m/float32_math.py",
    "hybrid.py": "armv6m/hybrid.py",
    "hybrid_quantize.py": "armv6m/hybrid_quantize.py",
}
