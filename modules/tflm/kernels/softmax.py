# tflm: SOFTMAX, int8 to int8 and int16
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int8 int16; package core; check softmax; units independent; order place

_INPUT = const(1)
_OUTPUT = const(2)
_EXPS = const(3)
_DEPTH = const(4)
_OUTPUT_BITS = const(5)
_NEWTON_START = const(6)
_NEWTON_SLOPE = const(7)


# (a * b + 2**30) >> 31, for a >= 0.
@micropython.viper
def _product(a: int, b: int) -> int:
    n = a >> 16
    a = a & 0xFFFF
    k = b & 0xFFFF
    b = b >> 16
    x = a * b
    y = n * k + (a * k >> 16 & 0xFFFF)
    return ((x & y & 1) + (x >> 1) + (y >> 1) + 0x2000 >> 14) + (n * b << 1)


# Units are rows.
#
# 1. The largest value of a row. The exp of a value is in a table, by the difference to it.
# 2. The sum of the exps.
# 3. The reciprocal of the sum, scaled to 1/2 .. 1. TFLM's GetReciprocal: Newton's division on half
#    of the doubled sum, as in prepare/fixed_point.py.
# 4. Each exp times the reciprocal.
@micropython.viper
def eval_int8(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    base = int(ptr8(arena))
    # x64 words have 64 bits and loads are zero-extended: this shift brings the sign back.
    sign = 0x20000000
    sign = sign << 3 >> 27
    depth = r[_DEPTH]
    word = r[_INPUT]
    source = (int(ptr8(rom)) if word & 1 else base) + (word >> 2) + start * depth
    word = r[_EXPS]
    exps = ptr32((int(ptr8(rom)) if word & 1 else base) + (word >> 2))
    bits = r[_OUTPUT_BITS]
    target = base + (r[_OUTPUT] >> 2) + start * depth * (bits >> 3)
    while start < stop:
        # 1.
        x = ptr8(source)
        top = 0
        n = depth
        while n:
            v = x[0] ^ 0x80
            if v > top:
                top = v
            x = ptr8(int(x) + 1)
            n -= 1
        # 2.
        x = ptr8(source)
        half = 0
        n = depth
        while n:
            v = exps[top - (x[0] ^ 0x80)]
            half += (v >> 12) + (v >> 11 & 1)
            x = ptr8(int(x) + 1)
            n -= 1
        # 3.
        shift = 43 - bits
        if half >> 31 & 1:
            half = (half >> 1 & 0x3FFFFFFF) + 0x20000000 + 0x20000000
        else:
            shift -= 1
            while not half >> 30:
                half = half << 1
                shift -= 1
        factor = r[_NEWTON_START] + int(_product(half, (r[_NEWTON_SLOPE] << sign) >> sign))
        n = 3
        while n:
            rest = 0x20000000 - int(_product(half, factor))
            factor = (int(_product(factor, rest)) << 2) + factor
            n -= 1
        # One integer bit less; 1.0 itself saturates.
        if factor >> 30:
            factor = 1
            factor = (factor << 31) - 1
        else:
            factor = factor << 1
        # 31 fractional bits become the fractional bits of the output, without the doubling.
        if shift > 31:
            shift = 31
            factor = 0
        # 4.
        x = ptr8(source)
        n = depth
        while n:
            v = int(_product(exps[top - (x[0] ^ 0x80)], factor))
            v = (v >> shift - 1) + 1 >> 1
            if v >> bits:
                v = (1 << bits) - 1
            v -= 1 << bits - 1
            x = ptr8(int(x) + 1)
            if bits == 8:
                ptr8(target)[0] = v
            else:
                ptr16(target)[0] = v
            target += bits >> 3
            n -= 1
        source += depth
        start += 1
