# tflm: REDUCE_MAX and REDUCE_MIN, float32
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types float32; package more; check reduce

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
_FLIP = const(14)  # 1: the smallest


# Units are elements of the output. Bit patterns are compared as signed integers (sign and
# magnitude converted to two's complement), so that -0.0 equals 0.0. Of equal elements the first
# one wins. As in TFLM each search begins with the lowest (or highest) finite number, and a NaN
# never wins.
@micropython.viper
def eval_float32(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    base = int(ptr8(arena))
    word = r[_INPUT]
    source = (int(ptr8(rom)) if word & 1 else base) + (word >> 2)
    y = ptr32(base + (r[_OUTPUT] >> 2) + 4 * start)
    magnitude = 1
    magnitude = (magnitude << 31) - 1
    infinity = magnitude >> 23 << 23
    flip = r[_FLIP]
    step = r[_REDUCED_STEP0]
    while start < stop:
        rest = start // r[_KEPT0]
        at = source + (start - rest * r[_KEPT0]) * r[_KEPT_STEP0]
        outer = rest // r[_KEPT1]
        at += (rest - outer * r[_KEPT1]) * r[_KEPT_STEP1] + outer * r[_KEPT_STEP2]
        best = 1 - infinity
        bits = infinity - 1
        if not flip:
            bits = bits + magnitude + 1  # with the sign bit
        k = r[_REDUCED2]
        while k:
            row = at
            j = r[_REDUCED1]
            while j:
                x = ptr32(row)
                i = r[_REDUCED0]
                while i:
                    v = x[0]
                    key = v & magnitude
                    if key <= infinity:
                        v = v >> 31 & 1 ^ flip
                        key = (key ^ 0 - v) + v
                        if key > best:
                            best = key
                            bits = x[0]
                    x = ptr32(int(x) + step)
                    i -= 1
                row += r[_REDUCED_STEP1]
                j -= 1
            at += r[_REDUCED_STEP2]
            k -= 1
        y[0] = bits
        y = ptr32(int(y) + 4)
        start += 1
