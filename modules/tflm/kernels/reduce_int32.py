# tflm: SUM, REDUCE_MAX and REDUCE_MIN, int32
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
_KIND = const(14)

_SUM = const(0)
_MAX = const(1)


# Units are elements of the output. `kind`: 0 adds, with sums that wrap around at 32 bits as in
# LiteRT; 1 finds the largest element, 2 the smallest.
@micropython.viper
def eval_int32(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    base = int(ptr8(arena))
    # x64 words have 64 bits and loads are zero-extended: this shift brings the sign back.
    sign = 0x20000000
    sign = sign << 3 >> 27
    word = r[_INPUT]
    source = (int(ptr8(rom)) if word & 1 else base) + (word >> 2)
    y = ptr32(base + (r[_OUTPUT] >> 2) + 4 * start)
    largest = 1
    largest = (largest << 31) - 1
    kind = r[_KIND]
    step = r[_REDUCED_STEP0]
    while start < stop:
        rest = start // r[_KEPT0]
        at = source + (start - rest * r[_KEPT0]) * r[_KEPT_STEP0]
        outer = rest // r[_KEPT1]
        at += (rest - outer * r[_KEPT1]) * r[_KEPT_STEP1] + outer * r[_KEPT_STEP2]
        total = 0
        if kind == _MAX:
            total = 0 - largest - 1
        elif kind != _SUM:
            total = largest
        k = r[_REDUCED2]
        while k:
            row = at
            j = r[_REDUCED1]
            while j:
                x = row
                i = r[_REDUCED0]
                if kind == _SUM:
                    while i:
                        total += ptr32(x)[0]
                        x += step
                        i -= 1
                else:
                    while i:
                        v = (ptr32(x)[0] << sign) >> sign
                        if kind == _MAX:
                            if v > total:
                                total = v
                        elif v < total:
                            total = v
                        x += step
                        i -= 1
                row += r[_REDUCED_STEP1]
                j -= 1
            at += r[_REDUCED_STEP2]
            k -= 1
        y[0] = total
        y = ptr32(int(y) + 4)
        start += 1
