# float32 operations of kernels, with the FPU of a Cortex-M4, M7 or M33
# MIT license; Copyright (c) 2026 the tflm authors
#
# The portable functions run if an address or a number does not fit the four small integers that
# are the arguments of an assembler function.

from .gen.float32_asm import dot, elements, limit, rows, strided

FUNCTIONS = ("mac", "mac_each", "add", "sub", "mul", "combine", "dots")
FUNCTIONS += ("maximum", "minimum", "clamp", "div", "prelu")
portable_combine = portable_dots = portable_div = None
portable_maximum = portable_minimum = portable_clamp = portable_prelu = None

_MAC = const(0)
_MUL = const(1)
_ADD = const(2)
_SUB = const(3)
_MAXIMUM = const(4)
_MINIMUM = const(5)
_PRELU = const(6)
_DIV = const(7)

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
    base = int(ptr8(arena))
    gap = int(ptr8(rom)) - base
    p_dst = base + (dst >> 2)
    p_a = base + (a >> 2) + gap * (a & 1)
    p_b = base + (b >> 2) + gap * (b & 1)
    if (p_dst ^ p_dst << 1 | p_a ^ p_a << 1 | p_b ^ p_b << 1) < 0 or n >= _MOST:
        portable_combine(arena, rom, dst, a, b, n, steps, kind)
    elif steps == _DOT and kind == _MAC:
        dot(p_dst, p_a, p_b, n)
    elif (steps | _EACH) == _EACH:
        flags = kind << 3 | steps & 1 | steps >> 9 & 2 | steps >> 18 & 4
        elements(p_dst, p_a, p_b, n << 6 | flags)
    elif kind != _MAC or not int(_run_strided(p_dst, p_a, p_b, n, steps)):
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
def div(arena, rom, dst: int, a: int, b: int, n: int, steps: int):
    if not int(_run(arena, rom, dst, a, b, n, steps, _DIV)):
        portable_div(arena, rom, dst, a, b, n, steps)


@micropython.viper
def prelu(arena, rom, dst: int, a: int, b: int, n: int, steps: int):
    if not int(_run(arena, rom, dst, a, b, n, steps, _PRELU)):
        portable_prelu(arena, rom, dst, a, b, n, steps)


# Run an operation of elements() and return 1, or return 0 if its arguments do not fit.
@micropython.viper
def _run(arena, rom, dst: int, a: int, b: int, n: int, steps: int, kind: int) -> int:
    base = int(ptr8(arena))
    gap = int(ptr8(rom)) - base
    p_dst = base + (dst >> 2)
    p_a = base + (a >> 2) + gap * (a & 1)
    p_b = base + (b >> 2) + gap * (b & 1)
    # Small integers have 31 bits: their two highest bits are equal in a word.
    if (p_dst ^ p_dst << 1 | p_a ^ p_a << 1 | p_b ^ p_b << 1) < 0 or n >= _MOST:
        return 0
    if (steps | _EACH) != _EACH:
        return 0
    elements(p_dst, p_a, p_b, n << 6 | kind << 3 | steps & 1 | steps >> 9 & 2 | steps >> 18 & 4)
    return 1


# Multiply and add numbers that are not contiguous. Return 1, or 0 if the steps do not fit.
@micropython.viper
def _run_strided(p_dst: int, p_a: int, p_b: int, n: int, steps: int) -> int:
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
        strided(p_dst, p_a, p_b, flags | count)
        p_dst += 4 * count * step_dst
        p_a += 4 * count * step_a
        p_b += 4 * count * step_b
        n -= count
    return 1


@micropython.viper
def clamp(arena, rom, dst: int, n: int, limits: int):
    base = int(ptr8(arena))
    p_dst = base + (dst >> 2)
    p_limits = base + (limits >> 2) + (int(ptr8(rom)) - base) * (limits & 1)
    if (p_dst ^ p_dst << 1 | p_limits ^ p_limits << 1) < 0:
        portable_clamp(arena, rom, dst, n, limits)
    else:
        limit(p_dst, p_limits, n)


@micropython.viper
def dots(arena, rom, target: int, weights: int, vector: int, depth: int, first: int, count: int):
    base = int(ptr8(arena))
    gap = int(ptr8(rom)) - base
    p_target = base + (target >> 2)
    p_vector = base + (vector >> 2) + gap * (vector & 1)
    p_row = base + (weights >> 2) + gap * (weights & 1) + 4 * first * depth
    unfit = p_target ^ p_target << 1 | p_vector ^ p_vector << 1 | p_row ^ p_row << 1
    if unfit < 0 or (depth | count) >> 14:
        portable_dots(arena, rom, target, weights, vector, depth, first, count)
    else:
        rows(p_target, p_row, p_vector, depth << 15 | count)
