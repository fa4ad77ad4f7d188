# The files of kernels/rv32imc that are generated: what each computes, and its generators
# MIT license; Copyright (c) 2026 the tflm authors

from functools import partial

from ..common import broadcast
from ..kernels import (
    combine_float,
    curves_float,
    depthwise_float,
    hybrid_depthwise,
    hybrid_outputs,
    hybrid_quantize,
    hybrid_sums,
    lanes_gather,
    lanes_multiply,
    lstm_float,
    pools_float,
    windows_float,
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
    "float32_asm.py": (
        "products and sums of float32",
        (partial(combine_float.combine, "rv32imc"),),
    ),
    "float_curves_asm.py": (
        "exp, logistic, tanh and ELU, float32",
        (partial(curves_float.curve, "rv32imc"),),
    ),
    "float_depthwise_asm.py": (
        "DEPTHWISE_CONV_2D, float32",
        (partial(depthwise_float.depthwise, "rv32imc"),),
    ),
    "float_lstm_asm.py": (
        "UNIDIRECTIONAL_SEQUENCE_LSTM, float32",
        (partial(lstm_float.gates, "rv32imc"), partial(lstm_float.cells, "rv32imc")),
    ),
    "float_pooling_asm.py": (
        "MAX_POOL_2D and AVERAGE_POOL_2D, float32",
        (partial(pools_float.maximum, "rv32imc"), partial(pools_float.average, "rv32imc")),
    ),
    "float_windows_asm.py": (
        "CONV_2D and FULLY_CONNECTED, float32",
        (partial(windows_float.windows, "rv32imc"),),
    ),
    "hybrid_asm.py": (
        "CONV_2D and FULLY_CONNECTED, float32 with int8 weights",
        (partial(hybrid_sums.sums, "rv32imc"), partial(hybrid_outputs.finish, "rv32imc")),
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
    "float32.py": "armv6m/float32.py",
    "float32_math.py": "armv6m/float32_math.py",
    "fully_connected_float.py": "armv6m/fully_connected_float.py",
    "hybrid.py": "armv6m/hybrid.py",
    "hybrid_quantize.py": "armv6m/hybrid_quantize.py",
    "pooling_float.py": "armv6m/pooling_float.py",
    "unidirectional_sequence_lstm_float.py": "armv6m/unidirectional_sequence_lstm_float.py",
}
