# tflm: norms of rows, float32: the operators of an RMS norm or a layer norm as one step
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types float32; package more; check norm; order place

from .float32 import combine
from .float32_divide import div
from .float32_select import clamp
from .float32_sqrt import sqrt

_INPUT = const(1)  # the four operands that operations name
_DEPTH = const(5)
_LOWEST = const(6)  # float32, and the largest one after it
_OPERATIONS = const(8)
_TABLE = const(9)  # for each operation its kind, then where its result and its inputs are

# Kinds: the operations of float32.combine, two more, and flags.
_DIV = const(4)
_SQRT = const(5)  # of one element
_KIND = const(7)
_CLAMPS = const(8)  # as ADD, SUB, MUL and DIV do; the products of _MAC
_CLEARS = const(16)  # the result is 0 before
_BOUNDS = const(32)
_FLAGS = const(0x37)  # all but _CLAMPS
_BOUND = const(207)  # exponent of 2 ** 80

# Where: the number of the operand, 4 for a row, and the element << 3.
_ROWS = const(2)  # operands below it are a row for each unit

_MUL = const(1)
_ADD = const(2)


# Units are rows. A row passes through the operations of TFLM's operators in the same order. The
# mean of squares is a product of the row with itself, since float32.combine rounds before it adds.
# Operations after _BOUNDS have no result to clamp if the sum of the squares is below 2 ** 80, as
# the host has computed from the constants.
@micropython.viper
def eval_float32(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    depth = r[_DEPTH]
    end = _TABLE + (r[_OPERATIONS] << 2)
    while start < stop:
        row = start * depth << 4
        clamps = _CLAMPS
        i = _TABLE
        while i < end:
            kind = r[i] & clamps | r[i] & _FLAGS
            where = r[i + 1]
            dst = r[_INPUT + (where & 3)] + (where >> 3 << 4)
            if where & 3 < _ROWS:
                dst += row
            steps = where >> 2 & 1
            where = r[i + 2]
            a = r[_INPUT + (where & 3)] + (where >> 3 << 4)
            if where & 3 < _ROWS:
                a += row
            steps |= (where >> 2 & 1) << 10
            where = r[i + 3]
            b = r[_INPUT + (where & 3)] + (where >> 3 << 4)
            if where & 3 < _ROWS:
                b += row
            steps |= (where >> 2 & 1) << 20
            count = depth if steps else 1
            to = ptr32(int(ptr8(arena)) + (dst >> 2))
            if kind & _CLEARS:
                to[0] = 0
            if kind & _KIND == _SQRT:
                sqrt(arena, rom, dst, a, 1)
            elif kind & _KIND == _DIV:
                div(arena, rom, dst, a, b, count, steps)
            else:
                combine(arena, rom, dst, a, b, count, steps, kind & _KIND)
            if kind & _BOUNDS and to[0] >> 23 & 0x1FF < _BOUND:
                clamps = 0
            elif kind & _CLAMPS:
                if kind & _KIND:
                    clamp(arena, op, dst, depth if steps & 1 else 1, _LOWEST << 4 | 1)
                elif to[0] >> 23 & 0xFF == 0xFF:
                    to[0] = 0
                    while count:
                        combine(arena, rom, dst + 16, a, b, 1, 0, _MUL)
                        clamp(arena, op, dst + 16, 1, _LOWEST << 4 | 1)
                        combine(arena, rom, dst, dst, dst + 16, 1, 0, _ADD)
                        a += steps >> 6 & 16
                        b += steps >> 16 & 16
                        count -= 1
            i += 4
        start += 1
