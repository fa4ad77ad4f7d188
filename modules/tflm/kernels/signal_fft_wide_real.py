# tflm: SignalRfft and SignalIrfft, int32 and float32: from pairs to the spectrum and back
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int32 float32; package signal; check fft

from .fixed31 import combine31
from .float32 import combine
from .float32_divide import div
from .signal_fft_pairs import (
    combine_pairs,
    halve_pairs,
    mirror_pairs,
    multiply_pairs,
    scale_pairs,
    scatter_pairs,
)

_INPUT = const(1)
_INDICES = const(2)
_TWIDDLES = const(3)
_OUTPUT = const(4)
_SCRATCH = const(5)
_PAIRS = const(6)
_INPUT_ROW = const(7)
_OUTPUT_ROW = const(8)
_DIVISOR = const(9)  # then 0, then the divisor again
_HALF = const(12)

# Words of the division by the length.
_LENGTH_OUTPUT = const(1)
_LENGTH = const(2)
_LENGTH_OUTPUT_ROW = const(3)
_LENGTH_FLOAT = const(4)

_ADD = const(2)
_SUB = const(3)
_INT32 = const(8)
_CHUNK = const(16)  # maximum length of a vector
_VECTOR = const(512)  # added to an operand word to get the next vector of the scratch buffer
_WORD = const(16)
_ONES = const(1 | 1 << 10 | 1 << 20)
_TWOS = const(2 | 2 << 10 | 2 << 20)


@micropython.viper
def eval_split_int32(op, arena, rom, start, stop):
    _split(op, arena, rom, start, stop, _INT32)


@micropython.viper
def eval_split_float32(op, arena, rom, start, stop):
    _split(op, arena, rom, start, stop, 0)


@micropython.viper
def eval_join_int32(op, arena, rom, start, stop):
    _join(op, arena, rom, start, stop, _INT32)


@micropython.viper
def eval_join_float32(op, arena, rom, start, stop):
    _join(op, arena, rom, start, stop, 0)


# Units are pairs of bins k and pairs - k, in place; bins pairs - k pass through the scratch
# buffer.
@micropython.viper
def _split(op, arena, rom, start: int, stop: int, kind: int):
    r = ptr32(op)
    add = _ADD | kind
    sub = _SUB | kind
    s0 = r[_SCRATCH]
    s1 = s0 + _VECTOR
    s2 = s1 + _VECTOR
    s3 = s2 + _VECTOR
    f = combine31 if kind else combine
    last = r[_PAIRS] >> 1
    row = start // (last + 1)
    k = start - row * (last + 1)
    while start < stop:
        if k > last:
            k = 0
            row += 1
        n = stop - start
        if n > _CHUNK:
            n = _CHUNK
        if n > last + 1 - k:
            n = last + 1 - k
        x = r[_OUTPUT] + (row * r[_OUTPUT_ROW] << 4)
        y = x + 2 * _WORD * (r[_PAIRS] - k)
        x += 2 * _WORD * k
        steps = 2 | 2 << 10
        if not k:
            n = 1
            if kind:
                scale_pairs(arena, op, x, x, _DIVISOR << 4 | 1, 1, steps)
            f(arena, rom, y, x, x + _WORD, 1, _ONES, _SUB)
            f(arena, rom, x, x, x + _WORD, 1, _ONES, _ADD)
            ptr32(int(ptr8(arena)) + (x >> 2))[1] = 0
            ptr32(int(ptr8(arena)) + (y >> 2))[1] = 0
        else:
            mirror_pairs(arena, rom, s0, y, n, 0, kind)
            if kind:
                scale_pairs(arena, op, s0, s0, _DIVISOR << 4 | 1, n, steps)
                scale_pairs(arena, op, x, x, _DIVISOR << 4 | 1, n, steps)
            combine_pairs(arena, rom, s1, x, s0, n, _TWOS, add)
            combine_pairs(arena, rom, s2, x, s0, n, _TWOS, sub)
            w = r[_TWIDDLES] + 4 * _WORD * (k - 1)
            multiply_pairs(arena, rom, s3, s2, w, n, steps | 4 << 20, kind)
            combine_pairs(arena, rom, x, s1, s3, n, _TWOS, add)
            halve_pairs(arena, op, x, _HALF << 4 | 1, n, 2, kind)
            # The other bin is conjugated before it is halved.
            f(arena, rom, s0, s1, s3, n, _TWOS, _SUB)
            f(arena, rom, s0 + _WORD, s3 + _WORD, s1 + _WORD, n, _TWOS, _SUB)
            halve_pairs(arena, op, s0, _HALF << 4 | 1, n, 2, kind)
            w = 2 * _WORD * (n - 1)
            mirror_pairs(arena, rom, y - w, s0 + w, n, 1, kind)
        start += n
        k += n


# Units are pairs of bins k and pairs - k, which go to the indices that the stages require.
@micropython.viper
def _join(op, arena, rom, start: int, stop: int, kind: int):
    r = ptr32(op)
    add = _ADD | kind
    sub = _SUB | kind
    s0 = r[_SCRATCH]
    s1 = s0 + _VECTOR
    s2 = s1 + _VECTOR
    s3 = s2 + _VECTOR
    f = combine31 if kind else combine
    last = r[_PAIRS] >> 1
    row = start // (last + 1)
    k = start - row * (last + 1)
    while start < stop:
        if k > last:
            k = 0
            row += 1
        n = stop - start
        if n > _CHUNK:
            n = _CHUNK
        if n > last + 1 - k:
            n = last + 1 - k
        x = r[_INPUT] + (row * r[_INPUT_ROW] << 4)
        y = x + 2 * _WORD * (r[_PAIRS] - k)
        x += 2 * _WORD * k
        z = r[_OUTPUT] + (row * r[_OUTPUT_ROW] << 4)
        steps = 2 | 2 << 10
        if not k:
            n = 1
            f(arena, rom, s0, x, y, 1, _ONES, _ADD)
            f(arena, rom, s0 + _WORD, x, y, 1, _ONES, _SUB)
            if kind:
                scale_pairs(arena, op, s0, s0, _DIVISOR << 4 | 1, 1, steps)
            scatter_pairs(arena, rom, z, s0, r[_INDICES], 1, 0, kind)
        else:
            mirror_pairs(arena, rom, s0, y, n, 0, kind)
            w = 2 * _WORD * (n - 1)
            mirror_pairs(arena, rom, s2, x + w, n, 1, kind)
            mirror_pairs(arena, rom, s1, s2 + w, n, 1, kind)
            if kind:
                scale_pairs(arena, op, s0, s0, _DIVISOR << 4 | 1, n, steps)
                scale_pairs(arena, op, s1, s1, _DIVISOR << 4 | 1, n, steps)
            combine_pairs(arena, rom, s2, s1, s0, n, _TWOS, sub)
            combine_pairs(arena, rom, s1, s1, s0, n, _TWOS, add)
            w = r[_TWIDDLES] + 4 * _WORD * (k - 1)
            multiply_pairs(arena, rom, s3, s2, w, n, steps | 4 << 20, kind)
            combine_pairs(arena, rom, s0, s1, s3, n, _TWOS, add)
            scatter_pairs(arena, rom, z, s0, r[_INDICES] + 8 * k, n, 0, kind)
            combine_pairs(arena, rom, s0, s1, s3, n, _TWOS, sub)
            w = r[_INDICES] + 8 * (r[_PAIRS] - k)
            scatter_pairs(arena, rom, z, s0, w, n, 1, kind)
        start += n
        k += n


# Units are values of an inverse float transform, which are divided by its length.
@micropython.viper
def eval_length_float32(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    length = r[_LENGTH]
    row = start // length
    i = start - row * length
    while start < stop:
        n = stop - start
        if n > length - i:
            n = length - i
        x = r[_LENGTH_OUTPUT] + (row * r[_LENGTH_OUTPUT_ROW] + i << 4)
        div(arena, op, x, x, _LENGTH_FLOAT << 4 | 1, n, 1 | 1 << 10)
        start += n
        row += 1
        i = 0
