# tflm: MEAN and SUM, int8
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int8; package core; check reduce

from .requantize import store_int8

_INPUT = const(1)
_OUTPUT = const(2)
_ACCUMULATORS = const(3)
_KEPT0 = const(4)
_KEPT_STEP0 = const(5)
_KEPT1 = const(6)
_KEPT_STEP1 = const(7)
_KEPT_STEP2 = const(8)
_REDUCED0 = const(9)
_REDUCED_STEP0 = const(10)
_REDUCED1 = const(11)
_REDUCED_STEP1 = const(12)
_REDUCED2 = const(13)
_REDUCED_STEP2 = const(14)
_BLOCK = const(15)
_OFFSET = const(16)
_OUTPUT_ZERO_POINT = const(17)  # the REQUANTIZE block


# Units are elements of the output. The kept dimensions give the first element of a sum, the
# reduced dimensions the others. `offset` is the sum of the zero points + 128. Sums wrap around
# at 32 bits as in TFLM.
@micropython.viper
def eval_int8(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    base = int(ptr8(arena))
    word = r[_INPUT]
    source = (int(ptr8(rom)) if word & 1 else base) + (word >> 2)
    rows = r[_ACCUMULATORS] >> 2
    acc = ptr32(base + rows)
    step = r[_REDUCED_STEP0]
    first = 128 * r[_REDUCED0] * r[_REDUCED1] * r[_REDUCED2] - r[_OFFSET]
    done = 0
    while start < stop:
        rest = start // r[_KEPT0]
        at = source + (start - rest * r[_KEPT0]) * r[_KEPT_STEP0]
        outer = rest // r[_KEPT1]
        at += (rest - outer * r[_KEPT1]) * r[_KEPT_STEP1] + outer * r[_KEPT_STEP2]
        total = first
        k = r[_REDUCED2]
        while k:
            row = at
            j = r[_REDUCED1]
            while j:
                x = ptr8(row)
                i = r[_REDUCED0]
                while i:
                    total += (x[0] ^ 0x80) - 0x80
                    x = ptr8(int(x) + step)
                    i -= 1
                row += r[_REDUCED_STEP1]
                j -= 1
            at += r[_REDUCED_STEP2]
            k -= 1
        acc[done] = total
        done += 1
        start += 1
        if done == r[_BLOCK] or start == stop:
            output = (r[_OUTPUT] >> 2) + start - done
            store_int8(op, arena, _OUTPUT_ZERO_POINT, rows, output, 0, done)
            done = 0
