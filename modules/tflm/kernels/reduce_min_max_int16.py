# tflm: REDUCE_MAX and REDUCE_MIN, int16
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int16; package more; check reduce

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
_FLIP = const(14)


# Units are elements of the output. Halfwords are compared unsigned: `flip` is 0x8000 for the
# largest, 0x7FFF for the smallest. Without elements the result is the lowest, or the highest,
# value.
@micropython.viper
def eval_int16(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    base = int(ptr8(arena))
    word = r[_INPUT]
    source = (int(ptr8(rom)) if word & 1 else base) + (word >> 2)
    y = ptr16(base + (r[_OUTPUT] >> 2) + 2 * start)
    flip = r[_FLIP]
    step = r[_REDUCED_STEP0]
    while start < stop:
        rest = start // r[_KEPT0]
        at = source + (start - rest * r[_KEPT0]) * r[_KEPT_STEP0]
        outer = rest // r[_KEPT1]
        at += (rest - outer * r[_KEPT1]) * r[_KEPT_STEP1] + outer * r[_KEPT_STEP2]
        best = 0
        k = r[_REDUCED2]
        while k:
            row = at
            j = r[_REDUCED1]
            while j:
                x = ptr16(row)
                i = r[_REDUCED0]
                while i:
                    v = x[0] ^ flip
                    if v > best:
                        best = v
                    x = ptr16(int(x) + step)
                    i -= 1
                row += r[_REDUCED_STEP1]
                j -= 1
            at += r[_REDUCED_STEP2]
            k -= 1
        y[0] = best ^ flip
        y = ptr16(int(y) + 2)
        start += 1
