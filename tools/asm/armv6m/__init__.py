# asm: armv6m: generators of the kernels for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors
