# float32 operations of kernels, with the FPU of an ESP32 or ESP32-S3
# MIT license; Copyright (c) 2026 the tflm authors
#
# The portable functions run for steps of more than one element, except in sums of products.

from .gen.float32_asm import dot, elements, limit, rows, strided

FUNCTIONS = ("mac", "mac_each", "add", "sub", "mul", "combine", "dots")
FUNCTIONS += ("maximum", "minimum", "clamp", "prelu")
portable_combine = portable_dots = portable_maximum = portable_minimum = None
portable_prelu = None

_MAC = const(0)
_MUL = const(1)
_ADD = const(2)
_SUB = const(3)
_MAXIMUM = const(4)
_MINIMUM = const(5)
_PRELU = const(6)

_DOT = const(1 << 10 | 1 << 20)
_EACH = const(1 | 1 << 10 | 1 << 20)
_MOST = const(1 << 23)  # elements of a call
_MOST_STRIDED = const(511)  # products of a call
_STEP = const(0x3FF)
_RESULT_ADVANCES = const(1 << 9)


@micropython.viper
def mac(arena, rom, dst, a, b, n):
    combine(arena, rom, dst, a, b, n, _DOT, _MAC)


@micropython.viper
def mac_each(arena, rom, dst, a, b, n, a_step: int):
    combine(arena, rom, dst, a, b, n, 1 | a_step << 10 | 1 << 20, _MAC)


@micropython.viper
def add(arena, rom, dst, a, b, n, steps):
    combine(arena, rom, dst, a, b, n, steps, _ADD)


@micropython.viper
def sub(arena, rom, dst, a, b, n, steps):
    combine(arena, rom, dst, a, b, n, steps, _SUB)


@micropython.viper
def mul(arena, rom, dst, a, b, n, steps):
    combine(arena, rom, dst, a, b, n, steps, _MUL)


# _run() in place, because a call takes longer than a few elements.
@micropython.viper
def combine(arena, rom, dst: int, a: int, b: int, n: int, steps: int, kind: int):
    if steps == _DOT and kind == _MAC:
        dot(arena, rom, dst, a, b, n)
    elif (steps | _EACH) == _EACH and n < _MOST:
        flags = kind << 3 | steps & 1 | steps >> 9 & 2 | steps >> 18 & 4
        elements(arena, rom, dst, a, b, n << 6 | flags)
    elif kind != _MAC or not int(_run_strided(arena, rom, dst, a, b, n, steps)):
        portable_combine(arena, rom, dst, a, b, n, steps, kind)


@micropython.viper
def maximum(arena, rom, dst: int, a: int, b: int, n: int, steps: int):
    if not int(_run(arena, rom, dst, a, b, n, steps, _MAXIMUM)):
        portable_maximum(arena, rom, dst, a, b, n, steps)


@micropython.viper
def minimum(arena, rom, dst: int, a: int, b: int, n: int, steps: int):
    if not int(_run(arena, rom, dst, a, b, n, steps, _MINIMUM)):
        portable_minimum(arena, rom, dst, a, b, n, steps)


@micropython.viper
def prelu(arena, rom, dst: int, a: int, b: int, n: int, steps: int):
    if not int(_run(arena, rom, dst, a, b, n, steps, _PRELU)):
        portable_prelu(arena, rom, dst, a, b, n, steps)


# Run an operation of elements() and return 1, or return 0 if its steps do not fit.
@micropython.viper
def _run(arena, rom, dst: int, a: int, b: int, n: int, steps: int, kind: int) -> int:
    if (steps | _EACH) != _EACH or n >= _MOST:
        return 0
    flags = kind << 3 | steps & 1 | steps >> 9 & 2 | steps >> 18 & 4
    elements(arena, rom, dst, a, b, n << 6 | flags)
    return 1


# Multiply and add numbers that are not contiguous. Return 1, or 0 if the steps do not fit.
@micropython.viper
def _run_strided(arena, rom, dst: int, a: int, b: int, n: int, steps: int) -> int:
    step_dst = steps & _STEP
    step_a = steps >> 10 & _STEP
    step_b = steps >> 20 & _STEP
    flags = step_a << 10 | step_b << 20
    if step_dst:
        if step_dst != step_b:
            return 0
        flags = flags | _RESULT_ADVANCES
    while n:
        count = n if n < _MOST_STRIDED else _MOST_STRIDED
        strided(arena, rom, dst, a, b, flags | count)
        dst += count * step_dst << 4
        a += count * step_a << 4
        b += count * step_b << 4
        n -= count
    return 1


@micropython.viper
def clamp(arena, rom, dst, n, limits):
    limit(arena, rom, dst, limits, n)


@micropython.viper
def dots(arena, rom, target: int, weights: int, vector: int, depth: int, first: int, count: int):
    if (depth | count) >> 14:
        portable_dots(arena, rom, target, weights, vector, depth, first, count)
    else:
        row = weights + (first * depth << 4)
        rows(arena, rom, target, vector, row, depth << 14 | count)
