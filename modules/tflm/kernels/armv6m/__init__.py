# tflm: kernels for Cortex-M0 and M0+ (ARMv6-M); other Cortex-M cores run them too
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel files that records may name; `make tables` writes this.
FILES = """
add_table
conv_lanes
dense
dense_lut
depthwise_column
depthwise_conv_lanes
fully_connected
fully_connected_bands
fully_connected_lanes
pooling
pooling_rows
signal_energy
signal_fft
signal_fft_auto_scale
signal_fft_int16
signal_filter_bank
signal_filter_bank_spectral_subtraction
signal_filter_bank_square_root
signal_window
softmax
svdf
transpose_conv
unidirectional_sequence_lstm
"""
