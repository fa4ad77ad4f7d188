# Generator of FULLY_CONNECTED of float32 in bands for Cortex-M0+: with fast products
# MIT license; Copyright (c) 2026 the tflm authors

from .float_combine import derived

DERIVED = derived("fully_connected_bands_float", "FULLY_CONNECTED, float32, in banded execution")
