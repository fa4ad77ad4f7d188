# float32 comparisons on bit patterns: maximum, minimum, clamp, and the comparing operators
# MIT license; Copyright (c) 2026 the tflm authors
#
# Operand words and steps are explained in float32.py. Bit patterns are compared as signed integers
# (sign and magnitude converted to two's complement), so that -0.0 equals 0.0. Every comparison
# with a NaN is false, as in C.

from .float32 import combine
from .machine_code import use_machine_code

# Operations of `compare`; "greater" is "less" with its operands swapped.
_EQUAL = const(0)
_NOT_EQUAL = const(1)
_LESS = const(2)
_LESS_EQUAL = const(3)

_MUL = const(1)  # of float32.combine
_EACH = const(1 | 1 << 10)


# dst = a > b ? a : b. C++'s std::max(a, b) is maximum(b, a); with dst = b of step 0: running max.
@micropython.viper
def maximum(arena, rom, dst, a, b, n, steps):
    _pick(arena, rom, dst, a, b, n, steps, 1)


# dst = a < b ? a : b. C++'s std::min(a, b) is minimum(b, a).
@micropython.viper
def minimum(arena, rom, dst, a, b, n, steps):
    _pick(arena, rom, dst, a, b, n, steps, 0)


# dst = a if a > b (greater 1) or a < b (greater 0), else b.
@micropython.viper
def _pick(arena, rom, dst: int, a: int, b: int, n: int, steps: int, greater: int):
    base = int(ptr8(arena))
    gap = int(ptr8(rom)) - base
    p_dst = ptr32(base + (dst >> 2))
    p_a = ptr32(base + (a >> 2) + gap * (a & 1))
    p_b = ptr32(base + (b >> 2) + gap * (b & 1))
    step_dst = (steps & 0x3FF) << 2
    step_a = (steps >> 10 & 0x3FF) << 2
    step_b = (steps >> 20 & 0x3FF) << 2
    magnitude = 1
    magnitude = (magnitude << 31) - 1
    infinity = magnitude >> 23 << 23
    while n:
        x = p_a[0]
        y = p_b[0]
        p_dst[0] = y
        sign = x >> 31 & 1
        key_a = x & magnitude
        key_b = y & magnitude
        if key_a <= infinity and key_b <= infinity:
            key_a = (key_a ^ 0 - sign) + sign
            sign = y >> 31 & 1
            key_b = (key_b ^ 0 - sign) + sign
            if not greater:
                sign = key_a
                key_a = key_b
                key_b = sign
            if key_a > key_b:
                p_dst[0] = x
        p_dst = ptr32(int(p_dst) + step_dst)
        p_a = ptr32(int(p_a) + step_a)
        p_b = ptr32(int(p_b) + step_b)
        n -= 1


# The fused activation, in place: dst = min(max(dst, limits[0]), limits[1]); a NaN stays.
@micropython.viper
def clamp(arena, rom, dst: int, n: int, limits: int):
    base = int(ptr8(arena))
    p_dst = ptr32(base + (dst >> 2))
    p_limits = ptr32(base + (limits >> 2) + (int(ptr8(rom)) - base) * (limits & 1))
    magnitude = 1
    magnitude = (magnitude << 31) - 1
    infinity = magnitude >> 23 << 23
    low = p_limits[0]
    high = p_limits[1]
    sign = low >> 31 & 1
    key_low = (low & magnitude ^ 0 - sign) + sign
    sign = high >> 31 & 1
    key_high = (high & magnitude ^ 0 - sign) + sign
    while n:
        x = p_dst[0]
        sign = x >> 31 & 1
        key = x & magnitude
        if key <= infinity:
            key = (key ^ 0 - sign) + sign
            # low <= high, so that at most one of the two steps applies.
            if key < key_low:
                p_dst[0] = low
            elif key > key_high:
                p_dst[0] = high
        p_dst = ptr32(int(p_dst) + 4)
        n -= 1


# dst = a, or a * b if a is negative or a NaN. dst, which is not a, advances. The other values are
# 0 in the product, the factor that takes the least time.
@micropython.viper
def prelu(arena, rom, dst: int, a: int, b: int, n: int, steps: int):
    base = int(ptr8(arena))
    x = base + (a >> 2) + (int(ptr8(rom)) - base) * (a & 1)
    y = base + (dst >> 2)
    step = (steps >> 10 & 0x3FF) << 2
    _negative(0, x, y, y + (n << 2), step)
    combine(arena, rom, dst, dst, b, n, steps >> 20 << 20 | _EACH, _MUL)
    _positive(0, x, y, y + (n << 2), step)


# y = x if x is negative or a NaN, else 0. The first arguments are in registers; the value of `v`
# is ignored.
@micropython.viper
def _negative(v: int, x: ptr32, y: ptr32, end: int, step: int):
    infinity = 255
    infinity = infinity << 23
    while int(y) != end:
        v = x[0]
        y[0] = v if v >> 31 & 1 or v > infinity else 0
        x = ptr32(int(x) + step)
        y = ptr32(int(y) + 4)


# y = x if x is positive or 0.
@micropython.viper
def _positive(v: int, x: ptr32, y: ptr32, end: int, step: int):
    infinity = 255
    infinity = infinity << 23
    magnitude = infinity | 0x7FFFFF
    while int(y) != end:
        v = x[0]
        if not v >> 31 & 1:
            if v <= infinity:
                y[0] = v
        elif not v & magnitude:
            y[0] = v
        x = ptr32(int(x) + step)
        y = ptr32(int(y) + 4)


# The bytes at dst, from a byte offset on, = a OP b: 1 or 0.
@micropython.viper
def compare(arena, rom, dst: int, a: int, b: int, n: int, steps: int, kind: int):
    base = int(ptr8(arena))
    gap = int(ptr8(rom)) - base
    p_dst = ptr8(base + (dst >> 2))
    p_a = ptr32(base + (a >> 2) + gap * (a & 1))
    p_b = ptr32(base + (b >> 2) + gap * (b & 1))
    step_a = (steps >> 10 & 0x3FF) << 2
    step_b = (steps >> 20 & 0x3FF) << 2
    magnitude = 1
    magnitude = (magnitude << 31) - 1
    infinity = magnitude >> 23 << 23
    done = 0
    while done < n:
        x = p_a[0]
        y = p_b[0]
        key_a = x & magnitude
        key_b = y & magnitude
        answer = 0
        if key_a <= infinity and key_b <= infinity:
            x = x >> 31 & 1
            y = y >> 31 & 1
            key_a = (key_a ^ 0 - x) + x
            key_b = (key_b ^ 0 - y) + y
            if key_a == key_b:
                answer = kind ^ 1 if kind < _LESS else kind & 1
            elif kind == _NOT_EQUAL or kind >= _LESS and key_a < key_b:
                answer = 1
        elif kind == _NOT_EQUAL:
            answer = 1
        p_dst[done] = answer
        p_a = ptr32(int(p_a) + step_a)
        p_b = ptr32(int(p_b) + step_b)
        done += 1


use_machine_code(globals(), "float32")
