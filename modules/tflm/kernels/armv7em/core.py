# tflm: whether this Cortex-M has the DSP extension
# MIT license; Copyright (c) 2026 the tflm authors


# Return 1 if the core has the instructions on halfwords (SMLAD, SXTB16, ...): the field SIMD of
# the register ID_ISAR3 is 3 in a Cortex-M4, M7 or M33 with them, and 1 without them.
@micropython.viper
def has_dsp() -> int:
    return 1 if int(ptr32(0xE000ED6C)[0]) >> 4 & 15 == 3 else 0
