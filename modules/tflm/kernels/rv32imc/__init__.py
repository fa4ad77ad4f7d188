# tflm: kernels for RV32 with multiplication (IMC), where the firmware has the inline assembler
# MIT license; Copyright (c) 2026 the tflm authors
