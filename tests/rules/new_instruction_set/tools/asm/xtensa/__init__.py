# The assembler kernels for LX106
# MIT license; Copyright (c) 2026 the tflm authors
