# tflm: SignalRfft: the input in the order that an FFT in place requires: for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

from .gen.front_end_asm import scatter

_INPUT = const(1)
_INDICES = const(2)
_OUTPUT = const(3)
_PAIRS = const(4)
_INPUT_ROW = const(5)
_OUTPUT_ROW = const(6)
_HALVES = const(7)


# Units are pairs of values; values after the end of an input row are 0. The pairs of int16 of a
# row are stored by one call.
@micropython.viper
def eval_load(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    base = int(ptr8(arena))
    flash = int(ptr8(rom))
    halves = r[_HALVES]
    word = r[_INPUT]
    source = (flash if word & 1 else base) + (word >> 2)
    word = r[_INDICES]
    indices = (flash if word & 1 else base) + (word >> 2)
    pairs = r[_PAIRS]
    row = start // pairs
    i = start - row * pairs
    left = stop - start
    while left:
        x = source + (row * r[_INPUT_ROW] + 2 * i) * halves * 2
        y = base + (r[_OUTPUT] >> 2) + row * r[_OUTPUT_ROW] * halves * 2
        n = pairs - i
        if n > left:
            n = left
        left -= n
        whole = (r[_INPUT_ROW] >> 1) - i
        if whole > n:
            whole = n
        if halves == 1 and whole > 0:
            scatter(x, indices + 2 * i, y, whole)
            x += 4 * whole
            i += whole
            n -= whole
        while n:
            has = (r[_INPUT_ROW] - 2 * i) * halves
            v = ptr16(x)
            z = ptr16(y + ptr16(indices)[i] * halves * 4)
            k = 0
            while k < 2 * halves:
                if k < has:
                    z[k] = v[k]
                else:
                    z[k] = 0
                k += 1
            x += halves * 4
            i += 1
            n -= 1
        i = 0
        row += 1
