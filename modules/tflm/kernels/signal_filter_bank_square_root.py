# tflm: SignalFilterBankSquareRoot
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types uint32; package signal; check filter_bank

_INPUT = const(1)
_SCALE_BITS = const(2)
_OUTPUT = const(3)


# Units are elements: square roots of 64 bits, rounded to nearest, then shifted right (by the low
# five bits of the shift, as processors do; C++ leaves larger shifts undefined).
#
# Digit-by-digit square root: two bits of the number, from the top, give one bit of the root. The
# root has up to 32 bits and the remainder one more, so that both are stored as an upper part and
# 16 lower bits. A root of all ones is not rounded up: neither one of 32 bits nor, for numbers
# below 2**32, one of 16.
@micropython.viper
def eval_uint64(op: ptr32, arena: ptr8, rom: ptr8, start: int, stop: int):
    word = op[_SCALE_BITS]
    shift = ptr8((int(rom) if word & 1 else int(arena)) + (word >> 2))[0] & 31
    word = op[_INPUT]
    x = ptr16((int(rom) if word & 1 else int(arena)) + (word >> 2) + 8 * start)
    y = ptr32(int(arena) + (op[_OUTPUT] >> 2) + 4 * start)
    left = stop - start
    while left:
        root_high = 0
        root_low = 0
        high = 0
        low = 0
        half = 3
        if not x[3] | x[2]:
            half = 1
        full = 0xFFFF if half == 3 else 0
        while half >= 0:
            digits = x[half]
            n = 8
            while n:
                low = low << 2 | digits >> 14
                digits = digits << 2 & 0xFFFF
                high = high << 2 | low >> 16
                low = low & 0xFFFF
                # The trial is 4 * root + 1.
                trial_low = root_low << 2 | 1
                trial_high = root_high << 2 | trial_low >> 16
                trial_low = trial_low & 0xFFFF
                root_low = root_low << 1
                root_high = root_high << 1 | root_low >> 16
                root_low = root_low & 0xFFFF
                if high > trial_high or (high == trial_high and low >= trial_low):
                    high -= trial_high
                    low -= trial_low
                    if low < 0:
                        low += 0x10000
                        high -= 1
                    root_low = root_low | 1
                n -= 1
            half -= 1
        up = high > root_high or (high == root_high and low > root_low)
        if up and (root_high != full or root_low != 0xFFFF):
            root_low += 1
            root_high += root_low >> 16
            root_low = root_low & 0xFFFF
        if shift > 15:
            y[0] = root_high >> shift - 16
        else:
            y[0] = (
                root_high >> shift << 16 | (root_high << 16 - shift | root_low >> shift) & 0xFFFF
            )
        x = ptr16(int(x) + 8)
        y = ptr32(int(y) + 4)
        left -= 1
