# Generator of pooling of float32 in bands for Cortex-M0+: the portable kernel with fast products
# MIT license; Copyright (c) 2026 the tflm authors

from .float_combine import derived

DERIVED = derived(
    "pooling_rows_float", "pooling of a whole feature map in banded execution, float32"
)
