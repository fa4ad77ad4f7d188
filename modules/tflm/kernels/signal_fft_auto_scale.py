# tflm: SignalFftAutoScale
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int16; package signal; check signal

_INPUT = const(1)
_OUTPUT = const(2)
_BITS = const(3)
_SIZE = const(4)
_IGNORED = const(5)


# One unit: the number of bits by which all samples can be shifted. TFLM keeps the largest
# magnitude in an int16: a sample of -32768 makes it negative, and later samples may raise it
# again.
@micropython.viper
def eval_bits(op: ptr32, arena: ptr8, rom: ptr8, start: int, stop: int):
    word = op[_INPUT]
    x = ptr16((int(rom) if word & 1 else int(arena)) + (word >> 2))
    top = 0
    n = op[_SIZE]
    ignored = op[_IGNORED]
    while n:
        v = (x[0] ^ 0x8000) - 0x8000
        if v > top:
            top = v
        elif 0 - v > top and x[0] != ignored:
            top = (0 - v & 0xFFFF ^ 0x8000) - 0x8000
        x = ptr16(int(x) + 2)
        n -= 1
    bits = 0
    if top > 0:
        while not top >> 14:
            top = top << 1
            bits += 1
    ptr32(int(arena) + (op[_BITS] >> 2))[0] = bits


# Units are elements.
@micropython.viper
def eval_scaled(op: ptr32, arena: ptr8, rom: ptr8, start: int, stop: int):
    word = op[_INPUT]
    x = ptr16((int(rom) if word & 1 else int(arena)) + (word >> 2))
    y = ptr16(int(arena) + (op[_OUTPUT] >> 2))
    bits = ptr32(int(arena) + (op[_BITS] >> 2))[0]
    i = start
    while i < stop:
        y[i] = x[i] << bits
        i += 1
