# tflm: SignalRfft and SignalIrfft, int16: stages of three and five values
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int16; package signal; check fft

# The arithmetic is explained in signal_fft_int16.py. After the twiddles of the butterflies the
# table has the roots of unity of the stage itself.

_TWIDDLES = const(1)
_OUTPUT = const(2)
_BUTTERFLIES = const(4)
_OUTPUT_ROW = const(5)
_SPAN = const(7)
_DIVISOR = const(14)

_HALF = const(0x4000)


# Units are butterflies of three values.
@micropython.viper
def eval_three(op: ptr32, arena: ptr8, rom: ptr8, start: int, stop: int):
    word = op[_TWIDDLES]
    twiddles = (int(rom) if word & 1 else int(arena)) + (word >> 2)
    span = op[_SPAN]
    divisor = op[_DIVISOR]
    sine = (ptr16(twiddles + span * 8)[1] ^ 0x8000) - 0x8000
    while start < stop:
        row = start // op[_BUTTERFLIES]
        i = start - row * op[_BUTTERFLIES]
        block = i // span
        k = i - block * span
        x = int(arena) + (op[_OUTPUT] >> 2) + row * op[_OUTPUT_ROW] * 2
        x += (block * 3 * span + k) * 4
        w = ptr16(twiddles + k * 8)
        y = ptr16(x)
        ar = ((y[0] ^ 0x8000) - 0x8000) * divisor + _HALF >> 15
        ai = ((y[1] ^ 0x8000) - 0x8000) * divisor + _HALF >> 15
        y = ptr16(x + span * 4)
        r = ((y[0] ^ 0x8000) - 0x8000) * divisor + _HALF >> 15
        i = ((y[1] ^ 0x8000) - 0x8000) * divisor + _HALF >> 15
        wr = (w[0] ^ 0x8000) - 0x8000
        wi = (w[1] ^ 0x8000) - 0x8000
        br = r * wr - i * wi + _HALF >> 15
        bi = r * wi + i * wr + _HALF >> 15
        z = ptr16(x + span * 8)
        r = ((z[0] ^ 0x8000) - 0x8000) * divisor + _HALF >> 15
        i = ((z[1] ^ 0x8000) - 0x8000) * divisor + _HALF >> 15
        wr = (w[2] ^ 0x8000) - 0x8000
        wi = (w[3] ^ 0x8000) - 0x8000
        cr = r * wr - i * wi + _HALF >> 15
        ci = r * wi + i * wr + _HALF >> 15
        r = (br - cr) * sine + _HALF >> 15
        i = (bi - ci) * sine + _HALF >> 15
        br += cr
        bi += ci
        z[0] = ar - (br >> 1) + i
        z[1] = ai - (bi >> 1) - r
        y[0] = ar - (br >> 1) - i
        y[1] = ai - (bi >> 1) + r
        y = ptr16(x)
        y[0] = ar + br
        y[1] = ai + bi
        start += 1


# Units are butterflies of five values. With p, q the roots and b .. e the twiddled values:
#
#   x = a + p.r (b + e) + q.r (c + d), y = p.i (b - e) + q.i (c - d): the second is x + i y, the
#   fifth x - i y; with p and q exchanged and c - d negated the third and the fourth.
#
# Two rounds compute one pair of outputs each.
@micropython.viper
def eval_five(op: ptr32, arena: ptr8, rom: ptr8, start: int, stop: int):
    word = op[_TWIDDLES]
    twiddles = (int(rom) if word & 1 else int(arena)) + (word >> 2)
    span = op[_SPAN]
    divisor = op[_DIVISOR]
    roots = ptr16(twiddles + span * 16)
    while start < stop:
        row = start // op[_BUTTERFLIES]
        i = start - row * op[_BUTTERFLIES]
        block = i // span
        k = i - block * span
        x = int(arena) + (op[_OUTPUT] >> 2) + row * op[_OUTPUT_ROW] * 2
        x += (block * 5 * span + k) * 4
        w = ptr16(twiddles + k * 16)
        y = ptr16(x)
        ar = ((y[0] ^ 0x8000) - 0x8000) * divisor + _HALF >> 15
        ai = ((y[1] ^ 0x8000) - 0x8000) * divisor + _HALF >> 15
        # Twiddle the other four values in place.
        k = 4
        while k:
            y = ptr16(int(y) + span * 4)
            r = ((y[0] ^ 0x8000) - 0x8000) * divisor + _HALF >> 15
            i = ((y[1] ^ 0x8000) - 0x8000) * divisor + _HALF >> 15
            wr = (w[0] ^ 0x8000) - 0x8000
            wi = (w[1] ^ 0x8000) - 0x8000
            y[0] = r * wr - i * wi + _HALF >> 15
            y[1] = r * wi + i * wr + _HALF >> 15
            w = ptr16(int(w) + 4)
            k -= 1
        z = ptr16(x + span * 4)
        br = (z[0] ^ 0x8000) - (y[0] ^ 0x8000)
        bi = (z[1] ^ 0x8000) - (y[1] ^ 0x8000)
        er = (z[0] ^ 0x8000) + (y[0] ^ 0x8000) - 0x10000
        ei = (z[1] ^ 0x8000) + (y[1] ^ 0x8000) - 0x10000
        y = ptr16(x + span * 8)
        z = ptr16(x + span * 12)
        cr = (y[0] ^ 0x8000) - (z[0] ^ 0x8000)
        ci = (y[1] ^ 0x8000) - (z[1] ^ 0x8000)
        dr = (y[0] ^ 0x8000) + (z[0] ^ 0x8000) - 0x10000
        di = (y[1] ^ 0x8000) + (z[1] ^ 0x8000) - 0x10000
        y = ptr16(x)
        y[0] = ar + er + dr
        y[1] = ai + ei + di
        k = 1
        while k < 3:
            p = 2 * k - 2
            q = 2 - p
            wr = (roots[p] ^ 0x8000) - 0x8000
            wi = (roots[q] ^ 0x8000) - 0x8000
            r = ar + (er * wr + _HALF >> 15) + (dr * wi + _HALF >> 15)
            i = ai + (ei * wr + _HALF >> 15) + (di * wi + _HALF >> 15)
            wr = (roots[p + 1] ^ 0x8000) - 0x8000
            wi = (roots[q + 1] ^ 0x8000) - 0x8000
            p = cr * wi + _HALF >> 15
            q = ci * wi + _HALF >> 15
            if k == 2:
                p = 0 - p
                q = 0 - q
            p += br * wr + _HALF >> 15
            q += bi * wr + _HALF >> 15
            y = ptr16(x + span * 4 * k)
            z = ptr16(x + span * 4 * (5 - k))
            y[0] = r - q
            y[1] = i + p
            z[0] = r + q
            z[1] = i - p
            k += 1
        start += 1
