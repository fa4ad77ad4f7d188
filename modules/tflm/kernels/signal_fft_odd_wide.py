# tflm: SignalRfft and SignalIrfft, int32 and float32: stages of three and five values
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int32 float32; package signal; check fft

# Vectors are explained in signal_fft_wide.py. After the twiddles of the butterflies the table has
# the roots of unity of the stage itself, each as (r, 0, r, i, 0, i).

from .fixed31 import combine31
from .float32 import combine
from .signal_fft_pairs import (
    combine_pairs,
    halve_pairs,
    multiply_pairs,
    scale_pairs,
    times_pairs,
)

_TWIDDLES = const(1)
_OUTPUT = const(2)
_SCRATCH = const(3)
_BUTTERFLIES = const(4)
_OUTPUT_ROW = const(5)
_RADIX = const(6)
_SPAN = const(7)
_INNER = const(8)
_INNER_STEP = const(9)
_OUTER_STEP = const(10)
_INNER_TWIDDLE = const(11)
_OUTER_TWIDDLE = const(12)
_DIVISOR = const(14)  # then 0, then the divisor again
_HALF = const(17)

_ADD = const(2)
_SUB = const(3)
_INT32 = const(8)
_CHUNK = const(16)  # maximum length of a vector
_VECTOR = const(512)  # added to an operand word to get the next vector of the scratch buffer
_WORD = const(16)
_TWOS = const(2 | 2 << 10 | 2 << 20)
_SCALED = const(2 | 2 << 10)


@micropython.viper
def eval_stage_int32(op, arena, rom, start, stop):
    _stage(op, arena, rom, start, stop, _INT32)


@micropython.viper
def eval_stage_float32(op, arena, rom, start, stop):
    _stage(op, arena, rom, start, stop, 0)


# Units are butterflies. Values are twiddled into the scratch buffer; int32 is divided before.
@micropython.viper
def _stage(op, arena, rom, start: int, stop: int, kind: int):
    r = ptr32(op)
    radix = r[_RADIX]
    inner = r[_INNER]
    gap = 2 * _WORD * r[_SPAN]
    step = 2 * r[_INNER_STEP]
    row = start // r[_BUTTERFLIES]
    rest = start - row * r[_BUTTERFLIES]
    outer = rest // inner
    k = rest - outer * inner
    while start < stop:
        if k == inner:
            k = 0
            outer += 1
            if outer * inner == r[_BUTTERFLIES]:
                outer = 0
                row += 1
        n = stop - start
        if n > _CHUNK:
            n = _CHUNK
        if n > inner - k:
            n = inner - k
        x = r[_OUTPUT] + (row * r[_OUTPUT_ROW] << 4)
        x += 2 * _WORD * (outer * r[_OUTER_STEP] + k * r[_INNER_STEP])
        w = outer * r[_OUTER_TWIDDLE] + k * r[_INNER_TWIDDLE]
        w = r[_TWIDDLES] + 4 * _WORD * w * (radix - 1)
        steps = 2 | step << 10 | 4 * (radix - 1) * r[_INNER_TWIDDLE] << 20
        rest = 0
        while rest < radix:
            y = x + rest * gap
            if kind:
                scale_pairs(arena, op, y, y, _DIVISOR << 4 | 1, n, step | step << 10)
            if rest:
                y = r[_SCRATCH] + (rest - 1) * _VECTOR
                multiply_pairs(arena, rom, y, x + rest * gap, w, n, steps, kind)
                w += 4 * _WORD
            rest += 1
        if radix == 3:
            _three(op, arena, rom, x, n, kind)
        else:
            _five(op, arena, rom, x, n, kind)
        start += n
        k += n


# x0 + s, and x0 - s / 2 -+ i * t, with s the sum of both values and t their difference times the
# sine of the root.
@micropython.viper
def _three(op, arena, rom, x0: int, n: int, kind: int):
    r = ptr32(op)
    add = _ADD | kind
    sub = _SUB | kind
    step = 2 * r[_INNER_STEP]
    gap = 2 * _WORD * r[_SPAN]
    root = r[_TWIDDLES] + 8 * _WORD * r[_SPAN]
    s1 = r[_SCRATCH]
    s2 = s1 + _VECTOR
    s3 = s2 + _VECTOR
    s4 = s3 + _VECTOR
    combine_pairs(arena, rom, s3, s1, s2, n, _TWOS, add)
    combine_pairs(arena, rom, s4, s1, s2, n, _TWOS, sub)
    combine_pairs(arena, rom, s1, s1, s2, n, _TWOS, add)
    halve_pairs(arena, op, s1, _HALF << 4 | 1, n, 2, kind)
    combine_pairs(arena, rom, s1, x0, s1, n, 2 | step << 10 | 2 << 20, sub)
    times_pairs(arena, rom, s2, s4, root + 3 * _WORD, n, _SCALED, kind)
    combine_pairs(arena, rom, x0, x0, s3, n, step | step << 10 | 2 << 20, add)
    _spread(op, arena, rom, x0 + gap, x0 + 2 * gap, s1, s2, n, kind)


# The five values of signal_fft_odd_int16.eval_five.
@micropython.viper
def _five(op, arena, rom, x0: int, n: int, kind: int):
    r = ptr32(op)
    add = _ADD | kind
    sub = _SUB | kind
    step = 2 * r[_INNER_STEP]
    gap = 2 * _WORD * r[_SPAN]
    p = r[_TWIDDLES] + 16 * _WORD * r[_SPAN]
    q = p + 6 * _WORD
    s1 = r[_SCRATCH]
    s2 = s1 + _VECTOR
    s3 = s2 + _VECTOR
    s4 = s3 + _VECTOR
    b = s4 + _VECTOR
    c = b + _VECTOR
    d = c + _VECTOR
    e = d + _VECTOR
    combine_pairs(arena, rom, e, s1, s4, n, _TWOS, add)
    combine_pairs(arena, rom, b, s1, s4, n, _TWOS, sub)
    combine_pairs(arena, rom, d, s2, s3, n, _TWOS, add)
    combine_pairs(arena, rom, c, s2, s3, n, _TWOS, sub)
    k = 1
    while k < 3:
        times_pairs(arena, rom, s1, e, p, n, _SCALED, kind)
        times_pairs(arena, rom, s2, d, q, n, _SCALED, kind)
        combine_pairs(arena, rom, s1, x0, s1, n, 2 | step << 10 | 2 << 20, add)
        combine_pairs(arena, rom, s1, s1, s2, n, _TWOS, add)
        times_pairs(arena, rom, s2, b, p + 3 * _WORD, n, _SCALED, kind)
        times_pairs(arena, rom, s3, c, q + 3 * _WORD, n, _SCALED, kind)
        combine_pairs(arena, rom, s2, s2, s3, n, _TWOS, add if k == 1 else sub)
        _spread(op, arena, rom, x0 + k * gap, x0 + (5 - k) * gap, s1, s2, n, kind)
        k += 1
        s3 = p
        p = q
        q = s3
        s3 = s2 + _VECTOR
    combine_pairs(arena, rom, e, e, d, n, _TWOS, add)
    combine_pairs(arena, rom, x0, x0, e, n, step | step << 10 | 2 << 20, add)


# first = a + i * b, second = a - i * b.
@micropython.viper
def _spread(op, arena, rom, first: int, second: int, a: int, b: int, n: int, kind: int):
    f = combine31 if kind else combine
    step = 2 * ptr32(op)[_INNER_STEP]
    steps = step | 2 << 10 | 2 << 20
    f(arena, rom, first, a, b + _WORD, n, steps, _SUB)
    f(arena, rom, first + _WORD, a + _WORD, b, n, steps, _ADD)
    f(arena, rom, second, a, b + _WORD, n, steps, _ADD)
    f(arena, rom, second + _WORD, a + _WORD, b, n, steps, _SUB)
