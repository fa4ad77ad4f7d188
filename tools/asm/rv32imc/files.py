# The files of kernels/rv32imc that are generated: what each computes, and its generators
# MIT license; Copyright (c) 2026 the tflm authors

from functools import partial

from ..common import broadcast, hybrid_depthwise, hybrid_outputs, hybrid_quantize
from ..kernels import lanes_gather, lanes_multiply
from . import (
    combine_float,
    conv_float,
    curves_float,
    depthwise_float,
    hybrid_sums,
    lstm_float,
    pooling_float,
)

CORE = "RV32"
FILES = {
    "broadcast_asm.py": ("broadcasts of float32", (partial(broadcast.expand, "rv32imc"),)),
    "lanes_asm.py": (
        "CONV_2D and FULLY_CONNECTED, int8, in lanes",
        (
            partial(lanes_gather.gather, "rv32imc"),
            partial(lanes_gather.gather_bytes, "rv32imc"),
            partial(lanes_multiply.multiply, "rv32imc"),
        ),
    ),
    "float_combine_asm.py": ("products and sums of float32", (combine_float.combine,)),
    "float_curves_asm.py": ("exp, logistic and tanh, float32", (curves_float.curve,)),
    "float_depthwise_asm.py": ("DEPTHWISE_CONV_2D, float32", (depthwise_float.depthwise,)),
    "float_lstm_asm.py": (
        "UNIDIRECTIONAL_SEQUENCE_LSTM, float32",
        (lstm_float.gates, lstm_float.cells),
    ),
    "float_pooling_asm.py": ("MAX_POOL_2D, float32", (pooling_float.maximum,)),
    "float_windows_asm.py": (
        "CONV_2D and FULLY_CONNECTED, float32",
        (conv_float.windows,),
    ),
    "hybrid_asm.py": (
        "CONV_2D and FULLY_CONNECTED, float32 with int8 weights",
        (hybrid_sums.sums, partial(hybrid_outputs.finish, "rv32imc")),
    ),
    "hybrid_depthwise_asm.py": (
        "DEPTHWISE_CONV_2D, float32 with int8 weights",
        (partial(hybrid_depthwise.depthwise, "rv32imc"),),
    ),
    "hybrid_quantize_asm.py": (
        "inputs of float32 operators with int8 weights",
        (
            partial(hybrid_quantize.find_scale, "rv32imc"),
            partial(hybrid_quantize.quantize, "rv32imc"),
        ),
    ),
}
COPIES = {
    "float32_broadcast.py": "armv6m/float32_broadcast.py",
    "conv_float.py": "armv6m/conv_float.py",
    "depthwise_conv_float.py": "armv6m/depthwise_conv_float.py",
    "float32_math.py": "armv7emsp/float32_math.py",
    "fully_connected_float.py": "armv6m/fully_connected_float.py",
    "hybrid.py": "armv6m/hybrid.py",
    "hybrid_quantize.py": "armv6m/hybrid_quantize.py",
}
