# Generators of the kernels for Cortex-M4, M7 and M33 with an FPU
# MIT license; Copyright (c) 2026 the tflm authors
