# tflm: CUMSUM, float32
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types float32; package rnn; check axis

from .float32 import combine

_INPUT = const(1)
_OUTPUT = const(2)
_DEPTH = const(3)
_INNER = const(4)
_EXCLUSIVE = const(5)
_REVERSE = const(6)

_ADD = const(2)  # of float32.combine
_EACH = const(1 | 1 << 10 | 1 << 20)


# Units are elements in the order of the sums: rows of `inner` elements across the axis, from its
# end in reverse. Each row is the previous row plus a row of the input. The first row is 0.0, plus
# the first row of the input if the sums are inclusive. If rows have one element, a run of sums is
# one call.
@micropython.viper
def eval_float32(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    depth = r[_DEPTH]
    inner = r[_INNER]
    while start < stop:
        line = start // inner
        column = start - line * inner
        outer = line // depth
        step = line - outer * depth
        count = inner - column
        before = inner << 4
        first = 0
        if step == 0:
            first = 1
        elif inner == 1 and not r[_REVERSE]:
            count = depth - step
        if count > stop - start:
            count = stop - start
        start += count
        if r[_REVERSE]:
            step = depth - 1 - step
            before = 0 - before
        at = (outer * depth + step) * inner + column << 4
        dst = r[_OUTPUT] + at
        x = r[_INPUT] + at
        if first:
            before = 0
            out = ptr32(int(ptr8(arena)) + (dst >> 2))
            i = 0
            while i < count:
                out[i] = 0
                i += 1
        if r[_EXCLUSIVE]:
            x = x - before
        if not first or not r[_EXCLUSIVE]:
            combine(arena, rom, dst, dst - before, x, count, _EACH, _ADD)
