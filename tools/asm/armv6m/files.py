# The files of kernels/armv6m that are generated: what each computes, and its generators
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
    matrix_rows,
    pools_float,
    windows_float,
)
from . import lstm

CORE = "Cortex-M0+"
FILES = {
    "broadcast_asm.py": ("broadcasts of float32", (partial(broadcast.expand, "armv6m"),)),
    "lanes_asm.py": (
        "CONV_2D and FULLY_CONNECTED, int8, in lanes",
        (
            partial(lanes_gather.gather, "armv6m"),
            partial(lanes_gather.gather_bytes, "armv6m"),
            partial(lanes_multiply.multiply, "armv6m"),
        ),
    ),
    "lstm_asm.py": (
        "UNIDIRECTIONAL_SEQUENCE_LSTM, int8 and int16",
        (lstm.rows, lstm.wide_rows),
    ),
    "float32_asm.py": (
        "products and sums of float32",
        (partial(combine_float.combine, "armv6m"),),
    ),
    "float_curves_asm.py": (
        "exp, logistic, tanh and ELU, float32",
        (partial(curves_float.curve, "armv6m"),),
    ),
    "float_depthwise_asm.py": (
        "DEPTHWISE_CONV_2D, float32",
        (partial(depthwise_float.depthwise, "armv6m"),),
    ),
    "float_lstm_asm.py": (
        "UNIDIRECTIONAL_SEQUENCE_LSTM, float32",
        (partial(lstm_float.gates, "armv6m"), partial(lstm_float.cells, "armv6m")),
    ),
    "float_pooling_asm.py": (
        "MAX_POOL_2D and AVERAGE_POOL_2D, float32",
        (partial(pools_float.maximum, "armv6m"), partial(pools_float.average, "armv6m")),
    ),
    "float_windows_asm.py": (
        "CONV_2D and FULLY_CONNECTED, float32",
        (partial(windows_float.windows, "armv6m"),),
    ),
    "hybrid_asm.py": (
        "float32 operators with int8 weights",
        (
            partial(hybrid_sums.sums, "armv6m"),
            partial(hybrid_outputs.finish, "armv6m"),
        ),
    ),
    "hybrid_depthwise_asm.py": (
        "DEPTHWISE_CONV_2D, float32 with int8 weights",
        (partial(hybrid_depthwise.depthwise, "armv6m"),),
    ),
    "hybrid_quantize_asm.py": (
        "float32 to int8 with a scale for each batch",
        (
            partial(hybrid_quantize.find_scale, "armv6m"),
            partial(hybrid_quantize.quantize, "armv6m"),
        ),
    ),
    "matrix_asm.py": (
        "rows of unpacked int8 weights times a vector",
        (partial(matrix_rows.dot, "armv6m"),),
    ),
}
COPIES = {"conv_lanes.py": "rv32imc/conv_lanes.py"}
