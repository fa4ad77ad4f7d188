# Generator of LOG_SOFTMAX of float32 for Cortex-M0+: the portable kernel with fast curves
# MIT license; Copyright (c) 2026 the tflm authors

from .float_combine import derived

DERIVED = derived("log_softmax_float", "LOG_SOFTMAX, float32")
