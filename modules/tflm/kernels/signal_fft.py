# tflm: SignalRfft: the input in the order that an FFT in place requires
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int16 int32 float32; package signal; check fft

_INPUT = const(1)
_INDICES = const(2)
_OUTPUT = const(3)
_PAIRS = const(4)
_INPUT_ROW = const(5)
_OUTPUT_ROW = const(6)
_HALVES = const(7)


# Units are pairs of values; values after the end of an input row are 0.
@micropython.viper
def eval_load(op: ptr32, arena: ptr8, rom: ptr8, start: int, stop: int):
    halves = op[_HALVES]
    word = op[_INPUT]
    source = (int(rom) if word & 1 else int(arena)) + (word >> 2)
    word = op[_INDICES]
    indices = ptr16((int(rom) if word & 1 else int(arena)) + (word >> 2))
    pairs = op[_PAIRS]
    row = start // pairs
    i = start - row * pairs
    left = stop - start
    while left:
        x = ptr16(source + (row * op[_INPUT_ROW] + 2 * i) * halves * 2)
        y = ptr16(int(arena) + (op[_OUTPUT] >> 2) + row * op[_OUTPUT_ROW] * halves * 2)
        while left and i < pairs:
            n = (op[_INPUT_ROW] - 2 * i) * halves
            z = ptr16(int(y) + indices[i] * halves * 4)
            k = 0
            while k < 2 * halves:
                if k < n:
                    z[k] = x[k]
                else:
                    z[k] = 0
                k += 1
            x = ptr16(int(x) + halves * 4)
            i += 1
            left -= 1
        i = 0
        row += 1
