# tflm: SignalWindow
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int16; package signal; check signal

_INPUT = const(1)
_WEIGHTS = const(2)
_OUTPUT = const(3)
_LENGTH = const(4)
_SHIFT = const(5)


# Units are frames: samples times weights, shifted right and saturated to int16.
@micropython.viper
def eval_int16(op: ptr32, arena: ptr8, rom: ptr8, start: int, stop: int):
    length = op[_LENGTH]
    shift = op[_SHIFT]
    word = op[_INPUT]
    x = ptr16((int(rom) if word & 1 else int(arena)) + (word >> 2) + start * length * 2)
    y = ptr16(int(arena) + (op[_OUTPUT] >> 2) + start * length * 2)
    word = op[_WEIGHTS]
    weights = (int(rom) if word & 1 else int(arena)) + (word >> 2)
    left = stop - start
    while left:
        w = ptr16(weights)
        n = length
        while n:
            v = ((x[0] ^ 0x8000) - 0x8000) * ((w[0] ^ 0x8000) - 0x8000) >> shift
            if v > 0x7FFF:
                v = 0x7FFF
            if v < -0x8000:
                v = -0x8000
            y[0] = v
            x = ptr16(int(x) + 2)
            w = ptr16(int(w) + 2)
            y = ptr16(int(y) + 2)
            n -= 1
        left -= 1
