# Generator of BATCH_MATMUL of float32 for Cortex-M0+: the portable kernel with fast products
# MIT license; Copyright (c) 2026 the tflm authors

from .float_combine import derived

DERIVED = derived(
    "batch_matmul_float",
    "BATCH_MATMUL, float32",
    dict(
        [
            ("from ..float32_dots import dots\n", ""),
            ("from .float32 import combine\n", "from .float32 import combine, dots\n"),
            (
                "dots(arena, rom, dst, b, a, depth, 0, count)",
                "dots(arena, rom, dst, a, b, depth, count)",
            ),
        ]
    ),
)
