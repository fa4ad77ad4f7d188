# The files of kernels/xtensawin that are generated: what each computes, and its generators
# MIT license; Copyright (c) 2026 the tflm authors

from functools import partial

from ..common import broadcast
from ..kernels import (
    curves_float,
    hybrid_depthwise,
    hybrid_fpu,
    hybrid_quantize,
    hybrid_sums_mac16,
    lanes_gather,
    lanes_multiply,
    lists_float,
    lstm_float_fpu,
    mac16_depthwise,
    mac16_multiply,
    pooling_float,
    rows_float,
)
from . import (
    pie_depthwise,
    pie_gather,
    pie_multiply,
)

CORE = "Xtensa"
FILES = {
    "broadcast_asm.py": ("broadcasts of float32", (partial(broadcast.expand, "xtensawin"),)),
    "lanes_asm.py": (
        "CONV_2D and FULLY_CONNECTED, int8, in lanes",
        (
            partial(lanes_gather.gather, "xtensawin"),
            partial(lanes_gather.gather_bytes, "xtensawin"),
            partial(lanes_multiply.multiply, "xtensawin"),
        ),
    ),
    "mac16_asm.py": (
        "CONV_2D and FULLY_CONNECTED, int8, by MAC16",
        (
            partial(lanes_gather.gather, "xtensawin", is_flipped=True),
            partial(lanes_gather.gather_bytes, "xtensawin", is_flipped=True),
            mac16_multiply.multiply,
        ),
    ),
    "mac16_depthwise_asm.py": (
        "DEPTHWISE_CONV_2D, int8, 3x3, by MAC16",
        (
            mac16_depthwise.build_plane,
            mac16_depthwise.rows_3x3,
            mac16_depthwise.rows_3x3_stride_2,
        ),
    ),
    "pie_asm.py": (
        "CONV_2D and FULLY_CONNECTED, int8, by the vector unit of the ESP32-S3",
        (pie_gather.gather, pie_gather.gather_bytes, pie_multiply.multiply),
    ),
    "pie_depthwise_asm.py": (
        "DEPTHWISE_CONV_2D, int8, 3x3, by the vector unit of the ESP32-S3",
        (pie_depthwise.load_row, pie_depthwise.multiply_row),
    ),
    "float_curves_asm.py": (
        "exp, logistic, tanh and ELU, float32",
        (partial(curves_float.curve, "xtensawin"),),
    ),
    "float32_asm.py": (
        "float32 arithmetic",
        (partial(lists_float.lists, "xtensawin"), partial(rows_float.rows, "xtensawin")),
    ),
    "pooling_float_asm.py": ("pools of float32", (partial(pooling_float.pool, "xtensawin"),)),
    "hybrid_asm.py": (
        "float32 operators with int8 weights",
        (
            partial(hybrid_sums_mac16.sums, "xtensawin"),
            partial(hybrid_fpu.finish, "xtensawin"),
        ),
    ),
    "hybrid_depthwise_asm.py": (
        "DEPTHWISE_CONV_2D, float32 with int8 weights",
        (partial(hybrid_depthwise.depthwise, "xtensawin"),),
    ),
    "hybrid_quantize_asm.py": (
        "float32 to int8 with a scale for each batch",
        (
            partial(hybrid_quantize.find_scale, "xtensawin"),
            partial(hybrid_quantize.quantize, "xtensawin"),
        ),
    ),
    "lstm_float_fpu_asm.py": (
        "UNIDIRECTIONAL_SEQUENCE_LSTM, float32",
        (partial(lstm_float_fpu.steps, "xtensawin"),),
    ),
}
COPIES = {
    "float32_broadcast.py": "armv6m/float32_broadcast.py",
    "conv_lanes.py": "rv32imc/conv_lanes.py",
    "float32_math.py": "armv6m/float32_math.py",
    "hybrid_quantize.py": "armv6m/hybrid_quantize.py",
    "unidirectional_sequence_lstm_float.py": "armv7emsp/unidirectional_sequence_lstm_float.py",
}
