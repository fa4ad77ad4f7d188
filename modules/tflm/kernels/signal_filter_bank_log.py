# tflm: SignalFilterBankLog
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int16; package signal; check filter_bank

_INPUT = const(1)
_SEGMENTS = const(2)
_OUTPUT = const(3)
_CORRECTION_BITS = const(4)
_OUTPUT_SCALE = const(5)

_HALF_LN_2 = const(22713)  # with 16 fractional bits


# Units are elements; 0 and 1 give 0, too large values 32767.
#
# log2 of the input is the number of its highest bit and a fraction of 16 bits. The fraction is
# made of the bits after the highest one, corrected by a table of 128 segments with interpolation.
# It is multiplied by ln(2), then by the scale, modulo 2**32.
@micropython.viper
def eval_uint32(op: ptr32, arena: ptr8, rom: ptr8, start: int, stop: int):
    word = op[_INPUT]
    x = ptr16((int(rom) if word & 1 else int(arena)) + (word >> 2) + 4 * start)
    word = op[_SEGMENTS]
    table = ptr16((int(rom) if word & 1 else int(arena)) + (word >> 2))
    y = ptr16(int(arena) + (op[_OUTPUT] >> 2) + 2 * start)
    correction = op[_CORRECTION_BITS]
    scale = op[_OUTPUT_SCALE]
    left = stop - start
    while left:
        v = x[1] << 16 | x[0]
        v = v << correction
        high = v >> 16 & 0xFFFF
        v = v & 0xFFFF
        if high == 0 and v < 2:
            v = 0
        else:
            # The highest bit becomes bit 16 and is removed.
            bit = 16
            while high > 1:
                v = v >> 1 | (high & 1) << 15
                high = high >> 1
                bit += 1
            while high == 0:
                v = v << 1
                high = v >> 16
                v = v & 0xFFFF
                bit -= 1
            segment = v >> 9
            k = table[segment]
            v += k + ((table[segment + 1] - k) * (v & 0x1FF) >> 16)
            bit += v >> 16
            v = 2 * _HALF_LN_2 * bit + ((v & 0xFFFF) * _HALF_LN_2 + 0x4000 >> 15)
            v = v * scale + 0x8000 >> 16 & 0xFFFF
            if v > 0x7FFF:
                v = 0x7FFF
        y[0] = v
        x = ptr16(int(x) + 4)
        y = ptr16(int(y) + 2)
        left -= 1
