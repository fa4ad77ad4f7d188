# tflm: what this core says of itself
# MIT license; Copyright (c) 2026 the tflm authors


# 1 when the core has the instructions on halfwords (SMLAD, SXTB16, ...): the field SIMD of the
# register ID_ISAR3 is 3 in a Cortex-M4, M7 or M33 that has them and 1 where it has not.
@micropython.viper
def has_dsp() -> int:
    return 1 if int(ptr32(0xE000ED6C)[0]) >> 4 & 15 == 3 else 0
