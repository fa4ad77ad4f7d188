# tflm: BATCH_MATMUL, int16
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int16; package more; check batch_matmul; units independent

from .batch_matmul import multiply_matrices
from .requantize_int16 import requantize_int16

_LEFT = const(1)
_RIGHT = const(2)
_SCRATCH = const(4)
_DEPTH = const(7)
_LEFT_DEPTH_STRIDE = const(9)
_RIGHT_COLUMN_STRIDE = const(10)
_RIGHT_DEPTH_STRIDE = const(11)
_BLOCK = const(32)  # taps, and sums, that fit the scratch buffer


# Units are outputs.
@micropython.viper
def eval_int16(op, arena, rom, start, stop):
    multiply_matrices(op, arena, rom, start, stop, 1, _sums, requantize_int16)


# Sums of `count` neighbours in a row, as in batch_matmul.py, but with zero points of 0. Sums are
# pairs as in matrix.py. A tap is two words, its upper byte (signed) and its lower byte, so that
# the sums of their products stay below 2**31.
@micropython.viper
def _sums(high: int, low: int, op: ptr32, arena, rom, left: int, right: int, count: int):
    # x64 words have 64 bits and loads are zero-extended: this shift brings the sign back.
    sign = 0x20000000
    sign = sign << 3 >> 27
    base = int(ptr8(arena))
    flash = int(ptr8(rom))
    word = op[_LEFT]
    left = (left << 1) + (flash if word & 1 else base) + (word >> 2)
    word = op[_RIGHT]
    right = (right << 1) + (flash if word & 1 else base) + (word >> 2)
    sums = base + (op[_SCRATCH] >> 2)
    taps = sums + 8 * count
    step = op[_RIGHT_DEPTH_STRIDE] << 1
    x = ptr32(sums)
    k = count
    while k:
        x[0] = 0
        x[1] = 0
        x = ptr32(int(x) + 8)
        k -= 1
    depth = op[_DEPTH]
    while depth:
        n = depth
        if n > _BLOCK:
            n = _BLOCK
        depth -= n
        x = ptr32(taps)
        k = n
        while k:
            low = ptr16(left)[0]
            x[0] = ((low >> 8) ^ 0x80) - 0x80
            x[1] = low & 0xFF
            left += op[_LEFT_DEPTH_STRIDE] << 1
            x = ptr32(int(x) + 8)
            k -= 1
        p = ptr32(sums)
        f = right
        m = count
        while m:
            high = 0
            low = 0
            x = ptr32(taps)
            y = ptr16(f)
            k = n
            while k:
                value = (y[0] ^ 0x8000) - 0x8000
                high = value * x[0] + high
                low = value * x[1] + low
                y = ptr16(int(y) + step)
                x = ptr32(int(x) + 8)
                k -= 1
            high = (high << sign) >> sign
            p[0] = (low & 0xFFFF) + ((high & 0xFF) << 8) + p[0]
            p[1] = (low >> 16) + (high >> 8) + p[1]
            p = ptr32(int(p) + 8)
            f += op[_RIGHT_COLUMN_STRIDE] << 1
            m -= 1
        right += n * step
