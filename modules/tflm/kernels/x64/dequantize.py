# tflm: x86-64: DEQUANTIZE, int8, uint8 and int16 to float32
# MIT license; Copyright (c) 2026 the tflm authors

from .gen.quantize_asm import dequantize as eval_integers  # noqa: F401
