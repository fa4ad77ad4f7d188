# tflm: curves of float32: for an FPU of single precision
# MIT license; Copyright (c) 2026 the tflm authors

from ..float32_math import (
    _exponential,
    elu,  # noqa: F401
)
from .gen.float_curves_asm import curve

_EXP = const(0)
_LOGISTIC = const(1)
_TANH = const(2)
_MOST = const(1 << 20)  # elements of a call


@micropython.viper
def exp(arena, rom, dst, a, n):
    _run(arena, rom, dst, a, n, _EXP)


@micropython.viper
def logistic(arena, rom, dst, a, n):
    _run(arena, rom, dst, a, n, _LOGISTIC)


@micropython.viper
def tanh(arena, rom, dst, a, n):
    _run(arena, rom, dst, a, n, _TANH)


# The portable function computes elements of the model, and results that are subnormal or infinite.
@micropython.viper
def _run(arena, rom, dst: int, a: int, n: int, kind: int):
    if a & 1 or n >= _MOST:
        _exponential(arena, rom, dst, a, n, kind)
        return
    while n:
        left = int(curve(arena, dst >> 2, a >> 2, n << 2 | kind))
        done = n - left
        dst += done << 4
        a += done << 4
        if left:
            _exponential(arena, rom, dst, a, 1, kind)
            dst += 16
            a += 16
            left -= 1
        n = left
