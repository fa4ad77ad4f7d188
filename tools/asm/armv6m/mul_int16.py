# Generator of MUL of int16 for Cortex-M0+: the portable kernel with a fast rescale()
# MIT license; Copyright (c) 2026 the tflm authors

from .add_int16 import derived

DERIVED = derived("mul_int16", "MUL, int16", ("_MULTIPLIER",))
