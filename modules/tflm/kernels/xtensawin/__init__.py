# tflm: kernels for Xtensa with register windows (ESP32, S2, S3), for every firmware
# MIT license; Copyright (c) 2026 the tflm authors


# 1 when the tools compiled this folder: then its stubs have their machine code
# (tflm_tools.packages). mpy-cross alone leaves the 0.
@micropython.viper
def is_converted() -> int:
    #: 364100 entry a1, 32
    #: 0c12 movi.n a2, 1
    #: 1df0 retw.n
    return 0


# Kernel files that records may name; `make tables` writes this.
FILES = (
    "add_table",
    "conv_lanes",
    "depthwise_conv_lanes",
    "fully_connected_lanes",
)
if not is_converted():
    FILES = ()
