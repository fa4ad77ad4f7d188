# tflm: COMPLEX_ABS, float32
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types float32; package signal; check unary_float

from .float32 import combine
from .float32_sqrt import sqrt

_INPUT = const(1)
_OUTPUT = const(2)
_SCRATCH = const(3)  # one complex number
_UP = const(4)  # float32 numbers: 2**64 and 2**-64
_DOWN = const(5)

# Operations of float32.combine.
_MAC = const(0)
_MUL = const(1)
_EACH_SECOND = const(1 | 2 << 10 | 2 << 20)
_PAIR = const(1 | 1 << 10)
_LOWEST = const(87)  # exponents whose squares keep all bits
_HIGHEST = const(187)
_CHUNK = const(64)  # numbers that are computed at a time
_FLOAT = const(16)  # an element in an operand word


# Units are complex numbers. Very large and very small ones are scaled first.
@micropython.viper
def eval_float32(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    word = r[_INPUT]
    input = ptr32((int(ptr8(rom)) if word & 1 else int(ptr8(arena))) + (word >> 2))
    while start < stop:
        # Numbers that need no scale.
        n = 0
        while start + n < stop and n < _CHUNK:
            x = ptr32(int(input) + (start + n << 3))
            e = x[0] >> 23 & 0xFF
            f = x[1] >> 23 & 0xFF
            if e < f:
                e = f
            if e < _LOWEST or e > _HIGHEST:
                break
            n += 1
        a = word + (start << 5)
        y = r[_OUTPUT] + (start << 4)
        if n:
            combine(arena, rom, y, a, a, n, _EACH_SECOND, _MUL)
            combine(arena, rom, y, a + _FLOAT, a + _FLOAT, n, _EACH_SECOND, _MAC)
            sqrt(arena, rom, y, y, n)
            start += n
        else:
            _scaled(op, arena, rom, a, y, e)
            start += 1


# The absolute value of a complex number with a least or highest exponent e.
@micropython.viper
def _scaled(op, arena, rom, a: int, y: int, e: int):
    r = ptr32(op)
    base = int(ptr8(rom)) if a & 1 else int(ptr8(arena))
    x = ptr32(base + (a >> 2))
    infinity = 255
    infinity = infinity << 23
    magnitude = 1
    magnitude = (magnitude << 31) - 1
    if x[0] & magnitude == infinity or x[1] & magnitude == infinity:
        ptr32(int(ptr8(arena)) + (y >> 2))[0] = infinity
    else:
        scale = _UP if e < _LOWEST else _DOWN
        s = r[_SCRATCH]
        z = ptr32(int(ptr8(arena)) + (s >> 2))
        z[0] = x[0]
        z[1] = x[1]
        combine(arena, op, s, s, scale << 4 | 1, 2, _PAIR, _MUL)
        combine(arena, rom, s, s, s, 1, 0, _MUL)
        combine(arena, rom, s, s + _FLOAT, s + _FLOAT, 1, 0, _MAC)
        sqrt(arena, rom, s, s, 1)
        combine(arena, op, y, s, (_UP + _DOWN - scale) << 4 | 1, 1, 0, _MUL)
