# asm: xtensawin: generators of the kernels for Xtensa
# MIT license; Copyright (c) 2026 the tflm authors
