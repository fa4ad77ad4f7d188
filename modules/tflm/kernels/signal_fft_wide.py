# tflm: SignalRfft and SignalIrfft, int32 and float32: the stages of the complex transform
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int32 float32; package signal; check fft

from .fixed31 import combine31
from .float32 import combine
from .signal_fft_pairs import combine_pairs, multiply_pairs, scale_pairs

# Words of a stage.
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
_INVERSE = const(13)
_DIVISOR = const(14)  # then 0, then the divisor again

_ADD = const(2)
_SUB = const(3)
_INT32 = const(8)
_CHUNK = const(16)  # maximum length of a vector
_VECTOR = const(512)  # added to an operand word to get the next vector of the scratch buffer
_WORD = const(16)
_TWOS = const(2 | 2 << 10 | 2 << 20)


@micropython.viper
def eval_stage_int32(op, arena, rom, start, stop):
    _stage(op, arena, rom, start, stop, _INT32)


@micropython.viper
def eval_stage_float32(op, arena, rom, start, stop):
    _stage(op, arena, rom, start, stop, 0)


# A stage; units are butterflies. kissfft's radix 4:
#
#   x0 + s1 + s3, s5 - i * s4, x0 + s1 - s3, s5 + i * s4
#
# of twiddled values s0, s1, s2, with s3 = s0 + s2, s4 = s0 - s2, s5 = x0 - s1; i changes its sign
# for the inverse. int32 is divided by the radix before.
@micropython.viper
def _stage(op, arena, rom, start: int, stop: int, kind: int):
    r = ptr32(op)
    add = _ADD | kind
    sub = _SUB | kind
    s0 = r[_SCRATCH]
    s1 = s0 + _VECTOR
    s2 = s1 + _VECTOR
    s3 = s2 + _VECTOR
    s4 = s3 + _VECTOR
    s5 = s4 + _VECTOR
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
        x0 = r[_OUTPUT] + (row * r[_OUTPUT_ROW] << 4)
        x0 += 2 * _WORD * (outer * r[_OUTER_STEP] + k * r[_INNER_STEP])
        x1 = x0 + gap
        w = outer * r[_OUTER_TWIDDLE] + k * r[_INNER_TWIDDLE]
        w = r[_TWIDDLES] + 4 * _WORD * w * (radix - 1)
        if kind:
            rest = 0
            while rest < radix:
                x2 = x0 + rest * gap
                scale_pairs(arena, op, x2, x2, _DIVISOR << 4 | 1, n, step | step << 10)
                rest += 1
        rest = 2 | step << 10 | 4 * (radix - 1) * r[_INNER_TWIDDLE] << 20
        multiply_pairs(arena, rom, s0, x1, w, n, rest, kind)
        if radix == 2:
            rest = step | step << 10 | 2 << 20
            combine_pairs(arena, rom, x1, x0, s0, n, rest, sub)
            combine_pairs(arena, rom, x0, x0, s0, n, rest, add)
        else:
            x2 = x1 + gap
            x3 = x2 + gap
            multiply_pairs(arena, rom, s1, x2, w + 4 * _WORD, n, rest, kind)
            multiply_pairs(arena, rom, s2, x3, w + 8 * _WORD, n, rest, kind)
            combine_pairs(arena, rom, s5, x0, s1, n, 2 | step << 10 | 2 << 20, sub)
            rest = step | step << 10 | 2 << 20
            combine_pairs(arena, rom, x0, x0, s1, n, rest, add)
            combine_pairs(arena, rom, s3, s0, s2, n, _TWOS, add)
            combine_pairs(arena, rom, s4, s0, s2, n, _TWOS, sub)
            combine_pairs(arena, rom, x2, x0, s3, n, rest, sub)
            combine_pairs(arena, rom, x0, x0, s3, n, rest, add)
            if r[_INVERSE]:
                rest = x1
                x1 = x3
                x3 = rest
            f = combine31 if kind else combine
            rest = step | 2 << 10 | 2 << 20
            f(arena, rom, x1, s5, s4 + _WORD, n, rest, _ADD)
            f(arena, rom, x1 + _WORD, s5 + _WORD, s4, n, rest, _SUB)
            f(arena, rom, x3, s5, s4 + _WORD, n, rest, _SUB)
            f(arena, rom, x3 + _WORD, s5 + _WORD, s4, n, rest, _ADD)
        start += n
        k += n
