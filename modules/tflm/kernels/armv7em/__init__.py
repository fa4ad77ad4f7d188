# tflm: kernels for Cortex-M4, M7 and M33, with the DSP extension
# MIT license; Copyright (c) 2026 the tflm authors
