# tflm: kernels for Cortex-M4, M7 and M33, with the DSP extension
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel files that records may name; `make tables` writes this.
FILES = """
add_table
conv_dsp
depthwise_conv_dsp
fully_connected_dsp
mul
reduce
"""
