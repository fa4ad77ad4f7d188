# Generator of MEAN and SUM of float32 for Cortex-M0+: the portable kernel with fast products
# MIT license; Copyright (c) 2026 the tflm authors

from .float_combine import derived

DERIVED = derived("reduce_float", "MEAN and SUM, float32")
