# tflm: curves of float32 (kernels/float32_math.py): for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

from .gen.float_curves_asm import curve

FUNCTIONS = ("exp", "logistic", "tanh", "elu", "exponential")
portable_exponential = None

_EXP = const(0)
_LOGISTIC = const(1)
_TANH = const(2)
_ELU = const(3)
_MOST = const(1 << 20)  # elements of a call


# Each function calls the assembler itself, because calls of viper functions take long.
@micropython.viper
def exp(arena, rom, dst: int, a: int, n: int):
    left = n
    if not a & 1 and n < _MOST:
        left = int(curve(arena, dst >> 2, a >> 2, n << 2 | _EXP))
    if left:
        done = n - left << 4
        exponential(arena, rom, dst + done, a + done, left, _EXP)


@micropython.viper
def logistic(arena, rom, dst: int, a: int, n: int):
    left = n
    if not a & 1 and n < _MOST:
        left = int(curve(arena, dst >> 2, a >> 2, n << 2 | _LOGISTIC))
    if left:
        done = n - left << 4
        exponential(arena, rom, dst + done, a + done, left, _LOGISTIC)


@micropython.viper
def tanh(arena, rom, dst: int, a: int, n: int):
    left = n
    if not a & 1 and n < _MOST:
        left = int(curve(arena, dst >> 2, a >> 2, n << 2 | _TANH))
    if left:
        done = n - left << 4
        exponential(arena, rom, dst + done, a + done, left, _TANH)


@micropython.viper
def elu(arena, rom, dst: int, a: int, n: int):
    left = n
    if not a & 1 and n < _MOST:
        left = int(curve(arena, dst >> 2, a >> 2, n << 2 | _ELU))
    if left:
        done = n - left << 4
        exponential(arena, rom, dst + done, a + done, left, _ELU)


# The portable function computes elements of the model, and results that are subnormal or infinite.
@micropython.viper
def exponential(arena, rom, dst: int, a: int, n: int, kind: int):
    if a & 1 or n >= _MOST:
        portable_exponential(arena, rom, dst, a, n, kind)
        return
    while n:
        left = int(curve(arena, dst >> 2, a >> 2, n << 2 | kind))
        done = n - left
        dst += done << 4
        a += done << 4
        if left:
            portable_exponential(arena, rom, dst, a, 1, kind)
            dst += 16
            a += 16
            left -= 1
        n = left
