# tflm: SignalFilterBank
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types uint32; package signal; check filter_bank

_INPUT = const(1)
_WEIGHTS = const(2)
_UNWEIGHTS = const(3)
_FREQUENCY_STARTS = const(4)
_WEIGHT_STARTS = const(5)
_WIDTHS = const(6)
_OUTPUT = const(7)
_BINS = const(8)
_WEIGHTS_SIZE = const(9)


# Units are channels. Channel i is the sum of energies times unweights in band i and of energies
# times weights in band i + 1, modulo 2**64: `low` and `middle` have 16 bits, `high` the upper 32.
# A band that exceeds the tensors is cut off at their ends.
@micropython.viper
def eval_uint32(op: ptr32, arena: ptr8, rom: ptr8, start: int, stop: int):
    a = int(arena)
    b = int(rom)
    word = op[_INPUT]
    source = (b if word & 1 else a) + (word >> 2)
    word = op[_FREQUENCY_STARTS]
    frequency_starts = ptr16((b if word & 1 else a) + (word >> 2))
    word = op[_WEIGHT_STARTS]
    weight_starts = ptr16((b if word & 1 else a) + (word >> 2))
    word = op[_WIDTHS]
    widths = ptr16((b if word & 1 else a) + (word >> 2))
    y = ptr32(a + (op[_OUTPUT] >> 2) + 8 * start)
    i = start
    while i < stop:
        low = 0
        middle = 0
        high = 0
        band = i
        word = op[_UNWEIGHTS]
        while band < i + 2:
            n = (widths[band] ^ 0x8000) - 0x8000
            f = (frequency_starts[band] ^ 0x8000) - 0x8000
            k = (weight_starts[band] ^ 0x8000) - 0x8000
            if n > op[_BINS] - f:
                n = op[_BINS] - f
            if n > op[_WEIGHTS_SIZE] - k:
                n = op[_WEIGHTS_SIZE] - k
            if f < 0 or k < 0 or n < 0:
                n = 0
            x = ptr16(source + 4 * f)
            w = ptr16((b if word & 1 else a) + (word >> 2) + 2 * k)
            while n:
                k = (w[0] ^ 0x8000) - 0x8000
                f = x[0] * k
                k = x[1] * k
                low += f & 0xFFFF
                middle += (f >> 16) + (k & 0xFFFF) + (low >> 16)
                low = low & 0xFFFF
                high += (k >> 16) + (middle >> 16)
                middle = middle & 0xFFFF
                x = ptr16(int(x) + 4)
                w = ptr16(int(w) + 2)
                n -= 1
            word = op[_WEIGHTS]
            band += 1
        y[0] = middle << 16 | low
        y[1] = high
        y = ptr32(int(y) + 8)
        i += 1
