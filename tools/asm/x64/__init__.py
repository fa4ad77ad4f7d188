# asm: x64: generators of the kernels for x86-64
# MIT license; Copyright (c) 2026 the tflm authors
