# tflm: x86-64: AVERAGE_POOL_2D, MAX_POOL_2D, float32, and the mean squares of L2_POOL_2D
# MIT license; Copyright (c) 2026 the tflm authors

from .gen.pooling_float_asm import pool as eval_float32  # noqa: F401
