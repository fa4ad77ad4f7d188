# asm: rv32imc: generators of the kernels for RV32
# MIT license; Copyright (c) 2026 the tflm authors
