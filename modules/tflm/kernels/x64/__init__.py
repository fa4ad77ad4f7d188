# tflm: kernels for x86-64, where words have 64 bits
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel files that records may name; `make tables` writes this.
FILES = """
add
conv
depthwise_column
depthwise_conv
fully_connected
rescale
svdf
unidirectional_sequence_lstm
"""
