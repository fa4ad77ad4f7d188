# asm: generators of the assembler kernels; make.py writes them, a folder for each target
# MIT license; Copyright (c) 2026 the tflm authors
