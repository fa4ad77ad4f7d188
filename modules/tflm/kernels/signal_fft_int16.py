# tflm: SignalRfft and SignalIrfft, int16
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int16; package signal; check fft

# kissfft's arithmetic with 15 fractional bits: products are rounded to nearest, and before each
# stage of p values all values are divided by p, i.e. multiplied by 32767 / p. Sums keep all bits,
# and are cut to 16 bits where kissfft does so and it matters.

# Words of a stage.
_TWIDDLES = const(1)
_OUTPUT = const(2)
_BUTTERFLIES = const(4)
_OUTPUT_ROW = const(5)
_RADIX = const(6)
_SPAN = const(7)
_INVERSE = const(13)
_DIVISOR = const(14)

# Words of a step that separates or joins even and odd values.
_INPUT = const(1)
_INDICES = const(2)
_SPLIT_TWIDDLES = const(3)
_SPLIT_OUTPUT = const(4)
_PAIRS = const(6)
_SPLIT_INPUT_ROW = const(7)
_SPLIT_OUTPUT_ROW = const(8)

_HALF = const(0x4000)
_HALVE = const(16383)  # 32767 / 2


# Units are butterflies: transforms of p twiddled values that are `span` pairs apart.
@micropython.viper
def eval_stage(op: ptr32, arena: ptr8, rom: ptr8, start: int, stop: int):
    word = op[_TWIDDLES]
    twiddles = (int(rom) if word & 1 else int(arena)) + (word >> 2)
    radix = op[_RADIX]
    span = op[_SPAN]
    divisor = op[_DIVISOR]
    row = start // op[_BUTTERFLIES]
    i = start - row * op[_BUTTERFLIES]
    block = i // span
    k = i - block * span
    target = int(arena) + (op[_OUTPUT] >> 2)
    left = stop - start
    while left:
        if block * span == op[_BUTTERFLIES]:
            block = 0
            row += 1
        x = ptr16(target + row * op[_OUTPUT_ROW] * 2 + (block * radix * span + k) * 4)
        w = ptr16(twiddles + k * (radix - 1) * 4)
        while left and k < span:
            y = ptr16(int(x) + span * 4)
            # The first value is not twiddled.
            ar = ((x[0] ^ 0x8000) - 0x8000) * divisor + _HALF >> 15
            ai = ((x[1] ^ 0x8000) - 0x8000) * divisor + _HALF >> 15
            r = ((y[0] ^ 0x8000) - 0x8000) * divisor + _HALF >> 15
            i = ((y[1] ^ 0x8000) - 0x8000) * divisor + _HALF >> 15
            wr = (w[0] ^ 0x8000) - 0x8000
            wi = (w[1] ^ 0x8000) - 0x8000
            br = r * wr - i * wi + _HALF >> 15
            bi = r * wi + i * wr + _HALF >> 15
            if radix == 2:
                x[0] = ar + br
                x[1] = ai + bi
                y[0] = ar - br
                y[1] = ai - bi
            else:
                z = ptr16(int(y) + span * 4)
                r = ((z[0] ^ 0x8000) - 0x8000) * divisor + _HALF >> 15
                i = ((z[1] ^ 0x8000) - 0x8000) * divisor + _HALF >> 15
                wr = (w[2] ^ 0x8000) - 0x8000
                wi = (w[3] ^ 0x8000) - 0x8000
                cr = r * wr - i * wi + _HALF >> 15
                ci = r * wi + i * wr + _HALF >> 15
                v = ptr16(int(z) + span * 4)
                r = ((v[0] ^ 0x8000) - 0x8000) * divisor + _HALF >> 15
                i = ((v[1] ^ 0x8000) - 0x8000) * divisor + _HALF >> 15
                wr = (w[4] ^ 0x8000) - 0x8000
                wi = (w[5] ^ 0x8000) - 0x8000
                dr = r * wr - i * wi + _HALF >> 15
                di = r * wi + i * wr + _HALF >> 15
                r = ar - cr
                i = ai - ci
                ar += cr
                ai += ci
                x[0] = ar + br + dr
                x[1] = ai + bi + di
                z[0] = ar - br - dr
                z[1] = ai - bi - di
                br -= dr
                bi -= di
                if op[_INVERSE]:
                    br = 0 - br
                    bi = 0 - bi
                y[0] = r + bi
                y[1] = i - br
                v[0] = r - bi
                v[1] = i + br
            x = ptr16(int(x) + 4)
            w = ptr16(int(w) + (radix - 1) * 4)
            k += 1
            left -= 1
        k = 0
        block += 1


# Units are pairs of bins k and pairs - k. The transform of even values as real parts and odd
# values as imaginary parts becomes the spectrum of all values, in place.
@micropython.viper
def eval_split(op: ptr32, arena: ptr8, rom: ptr8, start: int, stop: int):
    word = op[_SPLIT_TWIDDLES]
    twiddles = (int(rom) if word & 1 else int(arena)) + (word >> 2)
    pairs = op[_PAIRS]
    row = start // ((pairs >> 1) + 1)
    k = start - row * ((pairs >> 1) + 1)
    left = stop - start
    while left:
        if k > pairs >> 1:
            k = 0
            row += 1
        base = int(arena) + (op[_SPLIT_OUTPUT] >> 2) + row * op[_SPLIT_OUTPUT_ROW] * 2
        x = ptr16(base + 4 * k)
        y = ptr16(base + 4 * (pairs - k))
        ar = ((x[0] ^ 0x8000) - 0x8000) * _HALVE + _HALF >> 15
        ai = ((x[1] ^ 0x8000) - 0x8000) * _HALVE + _HALF >> 15
        if not k:
            x[0] = ar + ai
            x[1] = 0
            y[0] = ar - ai
            y[1] = 0
        else:
            # The other bin is conjugated; -32768 stays -32768.
            br = ((y[0] ^ 0x8000) - 0x8000) * _HALVE + _HALF >> 15
            bi = ((0 - y[1] & 0xFFFF ^ 0x8000) - 0x8000) * _HALVE + _HALF >> 15
            w = ptr16(twiddles + 4 * k - 4)
            wr = (w[0] ^ 0x8000) - 0x8000
            wi = (w[1] ^ 0x8000) - 0x8000
            r = ar - br
            i = ai - bi
            ar += br
            ai += bi
            br = ((r * wr - i * wi + _HALF >> 15) & 0xFFFF ^ 0x8000) - 0x8000
            bi = ((r * wi + i * wr + _HALF >> 15) & 0xFFFF ^ 0x8000) - 0x8000
            x[0] = ar + br >> 1
            x[1] = ai + bi >> 1
            y[0] = ar - br >> 1
            y[1] = bi - ai >> 1
        k += 1
        left -= 1


# Units are pairs of bins k and pairs - k. The spectrum becomes pairs of even and odd values, at
# the indices that the transform requires.
@micropython.viper
def eval_join(op: ptr32, arena: ptr8, rom: ptr8, start: int, stop: int):
    word = op[_SPLIT_TWIDDLES]
    twiddles = (int(rom) if word & 1 else int(arena)) + (word >> 2)
    word = op[_INDICES]
    indices = ptr16((int(rom) if word & 1 else int(arena)) + (word >> 2))
    word = op[_INPUT]
    source = (int(rom) if word & 1 else int(arena)) + (word >> 2)
    pairs = op[_PAIRS]
    row = start // ((pairs >> 1) + 1)
    k = start - row * ((pairs >> 1) + 1)
    left = stop - start
    while left:
        if k > pairs >> 1:
            k = 0
            row += 1
        base = source + row * op[_SPLIT_INPUT_ROW] * 2
        x = ptr16(base + 4 * k)
        y = ptr16(base + 4 * (pairs - k))
        base = int(arena) + (op[_SPLIT_OUTPUT] >> 2) + row * op[_SPLIT_OUTPUT_ROW] * 2
        z = ptr16(base + 4 * indices[k])
        if not k:
            r = (x[0] + y[0] & 0xFFFF ^ 0x8000) - 0x8000
            i = (x[0] - y[0] & 0xFFFF ^ 0x8000) - 0x8000
            z[0] = r * _HALVE + _HALF >> 15
            z[1] = i * _HALVE + _HALF >> 15
        else:
            ar = ((x[0] ^ 0x8000) - 0x8000) * _HALVE + _HALF >> 15
            ai = ((x[1] ^ 0x8000) - 0x8000) * _HALVE + _HALF >> 15
            br = ((y[0] ^ 0x8000) - 0x8000) * _HALVE + _HALF >> 15
            bi = ((0 - y[1] & 0xFFFF ^ 0x8000) - 0x8000) * _HALVE + _HALF >> 15
            w = ptr16(twiddles + 4 * k - 4)
            wr = (w[0] ^ 0x8000) - 0x8000
            wi = (w[1] ^ 0x8000) - 0x8000
            r = ar - br
            i = ai - bi
            ar += br
            ai += bi
            br = r * wr - i * wi + _HALF >> 15
            bi = r * wi + i * wr + _HALF >> 15
            z[0] = ar + br
            z[1] = ai + bi
            z = ptr16(base + 4 * indices[pairs - k])
            z[0] = ar - br
            z[1] = bi - ai
        k += 1
        left -= 1
