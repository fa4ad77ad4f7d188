# tflm: DEQUANTIZE, int8, uint8 and int16 to float32
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int8 int16 float32; package core; check unary; units independent; order elements

_INPUT = const(1)
_SCALE = const(2)
_OUTPUT = const(3)
_TYPE = const(4)
_ZERO_POINT = const(5)

_INT8 = const(0)
_INT16 = const(2)


# Units are elements. The difference to the zero point, at most 16 bits, times the scale, 24 bits,
# is rounded once to nearest even. TFLM multiplies in double, which is exact, and then rounds.
#
# With both factors shifted up, x has 27 or 28 bits of the product, and its last bit says whether
# there is a remainder. Below the smallest exponent more bits are dropped, so that the result
# becomes subnormal.
@micropython.viper
def eval_integers(op: ptr32, arena: ptr8, rom: ptr8, start: int, stop: int):
    word = op[_INPUT]
    source = (int(rom) if word & 1 else int(arena)) + (word >> 2)
    word = op[_SCALE]
    scale = ptr32((int(rom) if word & 1 else int(arena)) + (word >> 2))[0]
    target = ptr32(int(arena) + (op[_OUTPUT] >> 2))
    kind = op[_TYPE]
    # Correct for words of any size.
    zero_point = ((op[_ZERO_POINT] & 0xFFFF) ^ 0x8000) - 0x8000
    f = scale >> 23
    scale = scale & 0x7FFFFF
    if f:
        scale = scale | 0x800000
    else:
        f = 1
        while f > 0 - 22 and not scale >> 23:
            scale = scale << 1
            f -= 1
    while start < stop:
        if kind == _INT16:
            x = (ptr16(source)[start] ^ 0x8000) - 0x8000
        else:
            x = ptr8(source)[start]
            if kind == _INT8:
                x = (x ^ 0x80) - 0x80
        x = x - zero_point
        sign = x >> 31 & 1
        x = (x ^ 0 - sign) + sign
        if x:
            e = f + 15
            if not x >> 8:
                x = x << 8
                e -= 8
            while not x >> 15:
                x = x << 1
                e -= 1
            low = x * (scale & 0xFFF)
            x = x * (scale >> 12) + (low >> 12)
            if low & 0xFFF:
                x = x | 1
            drop = 3
            if x >> 27:
                drop = 4
                e += 1
            if e < 1:
                drop += 1 - e
                if drop > 29:
                    drop = 29
                e = 1
            x = x + (1 << drop - 1) - 1 + (x >> drop & 1) >> drop
            if e > 254:
                e = 256
                x = 0
            x = x + (e - 1 << 23) | sign << 31
        target[start] = x
        start += 1
