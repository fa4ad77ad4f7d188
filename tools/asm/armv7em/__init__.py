# asm: armv7em: generators of the kernels for Cortex-M with the DSP extension
# MIT license; Copyright (c) 2026 the tflm authors
