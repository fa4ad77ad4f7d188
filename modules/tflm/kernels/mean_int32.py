# tflm: MEAN, int32
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int32; package core; check reduce

_INPUT = const(1)
_OUTPUT = const(2)
_KEPT0 = const(3)
_KEPT_STEP0 = const(4)
_KEPT1 = const(5)
_KEPT_STEP1 = const(6)
_KEPT_STEP2 = const(7)
_REDUCED0 = const(8)
_REDUCED_STEP0 = const(9)
_REDUCED1 = const(10)
_REDUCED_STEP1 = const(11)
_REDUCED2 = const(12)
_REDUCED_STEP2 = const(13)
_COUNT = const(14)  # elements of a sum, less than 2**15


# Units are elements of the output. The sum has 48 bits: `low` adds the lower halves of the
# elements, `high` the upper halves. Its magnitude is divided by the count in two steps of 16 bits,
# so that the quotient is truncated towards zero as in LiteRT.
@micropython.viper
def eval_int32(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    base = int(ptr8(arena))
    # x64 words have 64 bits and loads are zero-extended: this shift brings the sign back.
    sign = 0x20000000
    sign = sign << 3 >> 27
    word = r[_INPUT]
    source = (int(ptr8(rom)) if word & 1 else base) + (word >> 2)
    y = ptr32(base + (r[_OUTPUT] >> 2))
    count = r[_COUNT]
    step = r[_REDUCED_STEP0]
    while start < stop:
        rest = start // r[_KEPT0]
        at = source + (start - rest * r[_KEPT0]) * r[_KEPT_STEP0]
        outer = rest // r[_KEPT1]
        at += (rest - outer * r[_KEPT1]) * r[_KEPT_STEP1] + outer * r[_KEPT_STEP2]
        low = 0
        high = 0
        k = r[_REDUCED2]
        while k:
            row = at
            j = r[_REDUCED1]
            while j:
                x = row
                i = r[_REDUCED0]
                while i:
                    v = (ptr32(x)[0] << sign) >> sign
                    low += v & 0xFFFF
                    high += v >> 16
                    x += step
                    i -= 1
                row += r[_REDUCED_STEP1]
                j -= 1
            at += r[_REDUCED_STEP2]
            k -= 1
        high += low >> 16
        low = low & 0xFFFF
        negative = high < 0
        if negative:
            low = 0 - low
            high = (low >> 16) - high
            low = low & 0xFFFF
        v = high // count
        v = (v << 16) + ((high - v * count << 16 | low) // count)
        y[start] = 0 - v if negative else v
        start += 1
