# tflm: RANDOM_UNIFORM, RANDOM_STANDARD_NORMAL, float32
# MIT license; Copyright (c) 2026 the tflm authors
#
# Philox4x32-10 (Salmon et al., Parallel random numbers: as easy as 1, 2, 3) with the seeds as
# LiteRT takes them: key = seed, counter = number of the group, then seed2. Words are handled as
# halves of 16 bits, whose products fit words of any size.

# Kernel: types float32; package more; check random

from .float32 import combine
from .float32_copy import copy
from .float32_log import log
from .float32_sqrt import sqrt
from .float32_trig import sine

_OUTPUT = const(1)
_SCRATCH = const(2)  # eight float32
_STATE = const(3)  # two words: groups of four numbers before this invoke
_ELEMENTS = const(4)
_SEED = const(5)
_SEED_HIGH = const(6)
_SEED2 = const(7)
_SEED2_HIGH = const(8)
_MINUS_TWO = const(9)  # float32 numbers
_TWO_PI = const(10)

_MUL = const(1)  # an operation of float32.combine
_BY_SCALAR = const(1 | 1 << 10)
_LEAST = const(0x33D6BF95)  # 1e-7 as a float32
_FLOAT = const(16)  # an element in an operand word


# Units are groups of four numbers.
@micropython.viper
def eval_uniform(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    base = int(ptr8(arena))
    scratch = ptr32(base + (r[_SCRATCH] >> 2))
    while start < stop:
        _group(op, arena, start)
        y = ptr32(base + (r[_OUTPUT] >> 2) + (start << 4))
        n = r[_ELEMENTS] - (start << 2)
        i = 0
        while i < n and i < 4:
            y[i] = scratch[i]
            i += 1
        start += 1
    _advance(op, arena, stop)


# Pairs of normal numbers by Box and Muller: sqrt(-2 log u) times sin and cos of 2 pi v.
@micropython.viper
def eval_normal(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    s = r[_SCRATCH]
    scratch = ptr32(int(ptr8(arena)) + (s >> 2))
    while start < stop:
        _group(op, arena, start)
        # u of both pairs first, then v of both pairs.
        i = scratch[1]
        scratch[1] = scratch[2]
        scratch[2] = i
        i = 0
        while i < 2:
            if scratch[i] < _LEAST:
                scratch[i] = _LEAST
            i += 1
        log(arena, rom, s, s, 2)
        combine(arena, op, s, s, _MINUS_TWO << 4 | 1, 2, _BY_SCALAR, _MUL)
        sqrt(arena, rom, s, s, 2)
        v = s + 2 * _FLOAT
        combine(arena, op, v, v, _TWO_PI << 4 | 1, 2, _BY_SCALAR, _MUL)
        t = s + 4 * _FLOAT
        sine(arena, rom, t, v, 2, 0)
        sine(arena, rom, t + 2 * _FLOAT, v, 2, 1)
        n = r[_ELEMENTS] - (start << 2)
        i = 0
        while i < n and i < 4:
            # sin of pair 0, cos of pair 0, sin of pair 1, cos of pair 1.
            a = t + ((i & 1) * 2 + (i >> 1)) * _FLOAT
            b = s + (i >> 1) * _FLOAT
            combine(arena, rom, a, a, b, 1, 0, _MUL)
            copy(arena, rom, r[_OUTPUT] + ((start << 2) + i << 4), a, 1, 0)
            i += 1
        start += 1
    _advance(op, arena, stop)


# Count the groups of a complete invoke.
@micropython.viper
def _advance(op: ptr32, arena: ptr8, stop: int):
    if stop == op[0]:
        state = ptr32(int(arena) + (op[_STATE] >> 2))
        low = (state[0] & 0xFFFF) + (stop & 0xFFFF)
        high = (state[0] >> 16 & 0xFFFF) + (stop >> 16) + (low >> 16)
        state[0] = (high & 0xFFFF) << 16 | low & 0xFFFF
        state[1] = state[1] + (high >> 16)


# Write four uniform numbers of a group, 0 to 1, to the scratch buffer. Word i of the counter has
# the halves a, b, c, d and 1 for the upper half; keys are k and h.
@micropython.viper
def _group(op: ptr32, arena: ptr8, group: int):
    state = ptr32(int(arena) + (op[_STATE] >> 2))
    a = (state[0] & 0xFFFF) + (group & 0xFFFF)
    a1 = (state[0] >> 16 & 0xFFFF) + (group >> 16) + (a >> 16)
    b = (state[1] & 0xFFFF) + (a1 >> 16)
    b1 = (state[1] >> 16) + (b >> 16) & 0xFFFF
    a = a & 0xFFFF
    a1 = a1 & 0xFFFF
    b = b & 0xFFFF
    c = op[_SEED2] & 0xFFFF
    c1 = op[_SEED2] >> 16 & 0xFFFF
    d = op[_SEED2_HIGH] & 0xFFFF
    d1 = op[_SEED2_HIGH] >> 16 & 0xFFFF
    k = op[_SEED] & 0xFFFF
    k1 = op[_SEED] >> 16 & 0xFFFF
    h = op[_SEED_HIGH] & 0xFFFF
    h1 = op[_SEED_HIGH] >> 16 & 0xFFFF
    i = 0
    while i < 10:
        # 0xCD9E8D57 times word 2.
        p = c * 0x8D57
        q = c1 * 0x8D57
        s = c * 0xCD9E
        t = c1 * 0xCD9E
        middle = (p >> 16 & 0xFFFF) + (q & 0xFFFF) + (s & 0xFFFF)
        high = (middle >> 16) + (q >> 16 & 0xFFFF) + (s >> 16 & 0xFFFF) + (t & 0xFFFF)
        b = b ^ k ^ high & 0xFFFF
        b1 = b1 ^ k1 ^ (high >> 16) + (t >> 16) & 0xFFFF
        c = p & 0xFFFF
        c1 = middle & 0xFFFF
        # 0xD2511F53 times word 0.
        p = a * 0x1F53
        q = a1 * 0x1F53
        s = a * 0xD251
        t = a1 * 0xD251
        middle = (p >> 16 & 0xFFFF) + (q & 0xFFFF) + (s & 0xFFFF)
        high = (middle >> 16) + (q >> 16 & 0xFFFF) + (s >> 16 & 0xFFFF) + (t & 0xFFFF)
        d = d ^ h ^ high & 0xFFFF
        d1 = d1 ^ h1 ^ (high >> 16) + (t >> 16) & 0xFFFF
        a = b
        a1 = b1
        b = c
        b1 = c1
        c = d
        c1 = d1
        d = p & 0xFFFF
        d1 = middle & 0xFFFF
        k += 0x79B9
        k1 = k1 + 0x9E37 + (k >> 16) & 0xFFFF
        k = k & 0xFFFF
        h += 0xAE85
        h1 = h1 + 0xBB67 + (h >> 16) & 0xFFFF
        h = h & 0xFFFF
        i += 1
    y = ptr32(int(arena) + (op[_SCRATCH] >> 2))
    y[0] = (a1 & 0x7F) << 16 | a
    y[1] = (b1 & 0x7F) << 16 | b
    y[2] = (c1 & 0x7F) << 16 | c
    y[3] = (d1 & 0x7F) << 16 | d
    i = 0
    while i < 4:
        m = y[i]  # in units of 2**-23
        if m:
            e = 127
            while not m >> 23:
                m = m << 1
                e -= 1
            y[i] = e << 23 | m & 0x7FFFFF
        i += 1
