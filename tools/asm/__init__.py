# asm: generators of the assembler kernels, one folder for each instruction set; make.py runs them
# MIT license; Copyright (c) 2026 the tflm authors
