# asm: xtensa: generators of the example kernels for LX106
# MIT license; Copyright (c) 2026 the tflm authors
