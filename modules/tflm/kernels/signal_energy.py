# tflm: SignalEnergy
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int16; package signal; check signal

_INPUT = const(1)
_OUTPUT = const(2)
_FIRST = const(3)
_LAST = const(4)


# Units are bins: real squared plus imaginary squared, 0 outside of first..last - 1. The one sum
# that needs 32 bits, 2**31, is correct as a word.
@micropython.viper
def eval_int16(op: ptr32, arena: ptr8, rom: ptr8, start: int, stop: int):
    word = op[_INPUT]
    x = ptr16((int(rom) if word & 1 else int(arena)) + (word >> 2))
    y = ptr32(int(arena) + (op[_OUTPUT] >> 2))
    first = op[_FIRST]
    last = op[_LAST]
    i = start
    while i < stop:
        v = 0
        if i >= first and i < last:
            r = (x[2 * i] ^ 0x8000) - 0x8000
            v = (x[2 * i + 1] ^ 0x8000) - 0x8000
            v = r * r + v * v
        y[i] = v
        i += 1
