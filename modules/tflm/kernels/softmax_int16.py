# tflm: SOFTMAX, int16
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int16; package core; check softmax; units independent; order place

_INPUT = const(1)
_EXP = const(2)
_RECIPROCAL = const(3)
_OUTPUT = const(4)
_DEPTH = const(5)
_MULTIPLIER = const(6)
_SHIFT = const(7)


# Units are rows. Exps, by a table with interpolation, are stored in the output until their sum is
# known and the other table gives its reciprocal. The differences to the largest value are rescaled
# to -65535 for -10 by MultiplyByQuantizedMultiplier as explained in requantize.py.
@micropython.viper
def eval_int16(op: ptr32, arena: ptr8, rom: ptr8, start: int, stop: int):
    # x64 words have 64 bits and loads are zero-extended: this shift brings the sign back.
    sign = 0x20000000
    sign = sign << 3 >> 27
    depth = op[_DEPTH]
    word = op[_INPUT]
    source = (int(rom) if word & 1 else int(arena)) + (word >> 2) + start * depth * 2
    word = op[_EXP]
    exp = ptr16((int(rom) if word & 1 else int(arena)) + (word >> 2))
    word = op[_RECIPROCAL]
    reciprocal = ptr16((int(rom) if word & 1 else int(arena)) + (word >> 2))
    target = int(arena) + (op[_OUTPUT] >> 2) + start * depth * 2
    multiplier = op[_MULTIPLIER]
    right = 0 - ((op[_SHIFT] << sign) >> sign)
    left = 0
    if right < 0:
        left = 0 - right
        right = 0
    limit = 1
    limit = (limit << 30) - 1 >> left
    while start < stop:
        x = ptr16(source)
        top = 0
        n = depth
        while n:
            v = x[0] ^ 0x8000
            if v > top:
                top = v
            x = ptr16(int(x) + 2)
            n -= 1
        x = ptr16(source)
        y = ptr16(target)
        total = 0
        n = depth
        while n:
            v = (x[0] ^ 0x8000) - top
            if v < 0 - limit:
                v = 0 - limit
            v = v << left
            m = multiplier >> 16
            k = multiplier & 0xFFFF
            i = v >> 16
            v = v & 0xFFFF
            a = v * m
            b = i * k + (v * k >> 16 & 0xFFFF)
            v = ((a & b & 1) + (a >> 1) + (b >> 1) + 0x2000 >> 14) + (i * m << 1)
            if right:
                v = (v >> 31) + v
                v = (v >> right) + (v >> right - 1 & 1)
            # The table has 512 intervals of 128 from -65535 on.
            v += 65535
            if v < 0:
                v = 0
            i = v >> 7
            a = exp[i]
            v = ((exp[i + 1] - a) * (v & 0x7F) + 64 >> 7) + a
            y[0] = v
            total += v
            x = ptr16(int(x) + 2)
            y = ptr16(int(y) + 2)
            n -= 1
        # The sum with its leading bit as bit 30, then as 1 + v / 65536.
        shift = 30
        while not total >> 30:
            total = total << 1
            shift -= 1
        v = (total >> 14) + (total >> 13 & 1) - 0x10000
        if v > 0xFFFF:
            v = 0xFFFF
        i = v >> 7
        a = reciprocal[i]
        k = ((reciprocal[i + 1] - a) * (v & 0x7F) + 64 >> 7) + a
        half = 1
        half = half << shift - 1
        y = ptr16(target)
        n = depth
        while n:
            v = y[0] * k + half >> shift
            if v > 0x7FFF:
                v = 0x7FFF
            y[0] = v
            y = ptr16(int(y) + 2)
            n -= 1
        source += depth * 2
        target += depth * 2
        start += 1
