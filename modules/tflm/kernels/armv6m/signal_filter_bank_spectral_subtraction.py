# tflm: SignalFilterBankSpectralSubtraction: for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

from .gen.filter_bank_asm import subtract_noise


# Units are channels, up to 128 in a call.
@micropython.viper
def eval_uint32(op, arena, rom, start: int, stop: int):
    while start < stop:
        count = stop - start
        if count > 128:
            count = 128
        subtract_noise(op, arena, rom, start << 8 | count)
        start += count
