# Generator of LOGISTIC of float32 for Cortex-M0+: the portable kernel with fast curves
# MIT license; Copyright (c) 2026 the tflm authors

from .float_combine import derived

DERIVED = derived("logistic_float", "LOGISTIC, float32")
