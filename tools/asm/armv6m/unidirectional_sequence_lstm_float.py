# Generator of LSTM of float32 for Cortex-M0+: the portable kernel with fast products
# MIT license; Copyright (c) 2026 the tflm authors

from ..common.derived import passage
from .float_combine import derived

_NAME = "unidirectional_sequence_lstm_float"
_DOTS = passage(
    f"{_NAME}.py", "    y = ptr32(int(ptr8(arena)) + (target >> 2))\n", "\n\n# The cell"
)

DERIVED = derived(
    _NAME,
    "UNIDIRECTIONAL_SEQUENCE_LSTM, float32",
    {
        "from .float32 import combine\n": "from .float32 import combine, dots\n",
        _DOTS: (
            "    dots(arena, rom, target, vector, weights + (first * depth << 4), depth, count)\n"
        ),
        "_DOT = const(1 << 10 | 1 << 20)\n": "",
        "_MAC = const(0)\n": "",
    },
)
