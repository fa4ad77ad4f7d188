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


# 1 on a core that is known to have MAC16, zero-overhead loops and MULSH: the upper half of
# CONFIGID0 is c2bc on an ESP32, c2f0 on an ESP32-S3, the lower one fffe. An ESP32-S2 has neither
# MAC16 nor loops.
@micropython.viper
def has_mac16() -> int:
    #: 364100 entry a1, 32
    #: 30b003 rsr.configid0 a3
    #: 3040f5 extui a4, a3, 16, 16
    #: 3030f4 extui a3, a3, 0, 16
    #: 0c02 movi.n a2, 0
    #: 7ce5 movi.n a5, -2
    #: 5050f4 extui a5, a5, 0, 16
    #: 579313 bne a3, a5, 0x2a
    #: 52a0c3 movi a5, 195
    #: 805511 slli a5, a5, 8
    #: 62c5bc addi a6, a5, -68
    #: 671405 beq a4, a6, 0x28
    #: 62c5f0 addi a6, a5, -16
    #: 679401 bne a4, a6, 0x2a
    #: 0c12 movi.n a2, 1
    #: 1df0 retw.n
    return 0


# True for kernel files that need no MAC16.
def _is_plain(name):
    return name[-6:] != "_mac16"


# Kernel files that records may name; `make tables` writes this.
FILES = """
add_table
conv_lanes
conv_mac16
depthwise_conv_lanes
depthwise_conv_mac16
fully_connected_lanes
fully_connected_mac16
pooling
"""
if not is_converted():
    raise ImportError("no machine code; compile with tflm_tools.packages")
if not has_mac16():
    FILES = "\n".join(filter(_is_plain, FILES.split("\n")))
