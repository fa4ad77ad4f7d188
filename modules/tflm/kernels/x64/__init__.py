# tflm: kernels for x86-64, where words have 64 bits
# MIT license; Copyright (c) 2026 the tflm authors
