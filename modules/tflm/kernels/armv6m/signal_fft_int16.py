# tflm: SignalRfft and SignalIrfft, int16: for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

from .gen.fft_asm import split, stage_2, stage_4

# Words of a stage.
_TWIDDLES = const(1)
_OUTPUT = const(2)
_BUTTERFLIES = const(4)
_OUTPUT_ROW = const(5)
_RADIX = const(6)
_SPAN = const(7)

# Words of the step that separates even and odd values.
_SPLIT_TWIDDLES = const(3)
_SPLIT_OUTPUT = const(4)
_PAIRS = const(6)
_SPLIT_OUTPUT_ROW = const(8)

_HALF = const(0x4000)
_HALVE = const(16383)  # 32767 / 2


# Units are butterflies. A slice begins with the rest of a block; then whole blocks follow.
@micropython.viper
def eval_stage(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    word = r[_TWIDDLES]
    twiddles = (int(ptr8(rom)) if word & 1 else int(ptr8(arena))) + (word >> 2)
    target = int(ptr8(arena)) + (r[_OUTPUT] >> 2)
    radix = r[_RADIX]
    span = r[_SPAN]
    row = start // r[_BUTTERFLIES]
    i = start - row * r[_BUTTERFLIES]
    left = stop - start
    while left:
        k = i - i // span * span
        n = span - k if k else r[_BUTTERFLIES] - i
        if n > left:
            n = left
        x = target + row * r[_OUTPUT_ROW] * 2 + ((i - k) * radix + k) * 4
        w = twiddles + k * (radix - 1) * 4
        if radix == 2:
            stage_2(int(r), x, w, n)
        else:
            stage_4(int(r), x, w, n)
        left -= n
        i += n
        if i == r[_BUTTERFLIES]:
            i = 0
            row += 1


# Units are pairs of bins k and pairs - k.
@micropython.viper
def eval_split(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    word = r[_SPLIT_TWIDDLES]
    twiddles = (int(ptr8(rom)) if word & 1 else int(ptr8(arena))) + (word >> 2)
    pairs = r[_PAIRS]
    units = (pairs >> 1) + 1
    row = start // units
    k = start - row * units
    left = stop - start
    while left:
        base = int(ptr8(arena)) + (r[_SPLIT_OUTPUT] >> 2) + row * r[_SPLIT_OUTPUT_ROW] * 2
        n = 1
        if not k:
            x = ptr16(base)
            y = ptr16(base + 4 * pairs)
            real = ((x[0] ^ 0x8000) - 0x8000) * _HALVE + _HALF >> 15
            imaginary = ((x[1] ^ 0x8000) - 0x8000) * _HALVE + _HALF >> 15
            x[0] = real + imaginary
            x[1] = 0
            y[0] = real - imaginary
            y[1] = 0
        else:
            n = units - k
            if n > left:
                n = left
            split(base + 4 * k, base + 4 * (pairs - k), twiddles + 4 * k - 4, n)
        left -= n
        k += n
        if k == units:
            k = 0
            row += 1
