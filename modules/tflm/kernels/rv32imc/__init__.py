# tflm: kernels for RV32 with multiplication (IMC), where the firmware has the inline assembler
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel files that records may name.
FILES = ("add_table", "conv_lanes", "depthwise_conv_lanes", "fully_connected_lanes")
