# tflm: kernels for RV32 with multiplication (IMC), for every firmware
# MIT license; Copyright (c) 2026 the tflm authors


# 1 when the tools compiled this folder: then its functions of the inline assembler are of kind
# viper, which every firmware runs (tflm_tools.packages). mpy-cross alone leaves the 0: without an
# inline assembler calls of these functions would crash, so nothing of this folder can be imported.
@micropython.viper
def is_converted() -> int:
    #: 0545 li a0, 1
    #: 8280 ret
    return 0


# Kernel files that records may name; `make tables` writes this.
FILES = """
add_table
conv_lanes
depthwise_conv_lanes
fully_connected_lanes
"""
if not is_converted():
    raise ImportError("no machine code; compile with tflm_tools.packages")
