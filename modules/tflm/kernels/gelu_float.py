# tflm: GELU, float32
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types float32; package core; check unary_float

from .float32 import store_rounded

_INPUT = const(1)
_OUTPUT = const(2)
_ENTRIES = const(3)

_LAST = const(129)  # exponent of 4 .. 8
_SIX = const(0xC00000)  # a mantissa with this exponent


# Units are elements. GELU(x) is x times a share between 0 and 1. Entry i of the table is the share
# of (i - 1) / 32 in units of 2**-26, up to 6 and one more. Between two entries the share is a
# cubic through the four entries around them. The share of -x is 1 minus the share of x.
@micropython.viper
def eval_float32(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    base = int(ptr8(arena))
    gap = int(ptr8(rom)) - base
    word = r[_INPUT]
    source = ptr32(base + gap * (word & 1) + (word >> 2))
    word = r[_ENTRIES]
    entries = base + gap * (word & 1) + (word >> 2)
    target = ptr32(base + (r[_OUTPUT] >> 2))
    while start < stop:
        x = source[start]
        sign = x >> 31 & 1
        e = x >> 23 & 0xFF
        m = x & 0x7FFFFF | 0x800000
        if e > _LAST or e == _LAST and m >= _SIX:
            # Past 6 the share is 1 or 0. A NaN stays, and minus infinity becomes zero.
            if sign and not (e == 255 and x & 0x7FFFFF):
                x = sign << 31
            target[start] = x
        elif not e:
            target[start] = sign << 31
        else:
            # The position in units of 2**-21: 16 bits after the number of the entry.
            e = _LAST - e
            position = 0
            if e < 25:
                position = m + (1 << e >> 1) >> e
            p = ptr32(entries + (position >> 16 << 2))
            position = position & 0xFFFF
            first = p[1] - p[0]
            step = p[2] - p[1]
            last = p[3] - p[2]
            share = p[1] + (step * (position >> 8) >> 8) + (step * (position & 0xFF) >> 16)
            position = position >> 4
            curve = position * (position - 4096) >> 13
            share += curve * (last - first) >> 13
            curve = (curve * (position - 2048) >> 12) * 21845 >> 16
            share += curve * (last - step - step + first) >> 12
            if sign:
                share = 0x4000000 - share
            if share < 0:
                share = 0
            # The upper bits of a product of 24 and 27 bits.
            high = share >> 13
            share = share & 0x1FFF
            share = ((m >> 12) * high << 4) + ((m >> 12) * share + 2 * (m & 0xFFF) * high >> 9)
            if share:
                store_rounded(arena, r[_OUTPUT] + (start << 4), sign, _LAST + 1 - e, share | 1)
            else:
                target[start] = sign << 31
        start += 1
