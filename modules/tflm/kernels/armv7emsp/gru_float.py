# tflm: a loop of steps of a GRU, float32: for the FPU of a Cortex-M4, M7 or M33
# MIT license; Copyright (c) 2026 the tflm authors

from ..float32_copy import copy
from ..float32_math import logistic, tanh
from ..gru_float import steps
from .gen.float32_asm import elements, limit, rows
from .gen.float_curves_asm import curve

_INPUT = const(1)
_INITIAL = const(2)
_OUTPUT = const(3)
_SCRATCH = const(4)
_WEIGHTS = const(5)
_BIAS = const(6)
_RECURRENT_WEIGHTS = const(7)
_RECURRENT_BIAS = const(8)
_INPUT_SIZE = const(9)
_STATE_SIZE = const(10)
_LIMITS = const(44)  # bytes of the record before `lowest` and `highest`
_ONE = const(52)  # and before 1.0

_MOST = const(1 << 14)  # elements of rows()

# Flags of elements(): each element of three vectors, or one first operand.
_MUL = const(1 << 3 | 7)
_ADD = const(2 << 3 | 7)
_SUB_FROM_ONE = const(3 << 3 | 5)

# Curves.
_LOGISTIC = const(1)
_TANH = const(2)


# As the portable kernel, whose helpers take longer than the machine code that they call. A word
# that does not fit a small integer cannot be an argument of machine code.
@micropython.viper
def eval_float32(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    base = int(ptr8(arena))
    model = int(ptr8(rom))
    record = int(r)
    size = r[_STATE_SIZE]
    depth = r[_INPUT_SIZE]
    count = 3 * size
    unfit = base ^ base << 1 | model ^ model << 1 | record ^ record << 1
    if unfit < 0 or depth >= _MOST or count >= _MOST:
        steps(op, arena, rom, start, stop)
        return
    if start == 0:
        copy(arena, rom, r[_OUTPUT], r[_INITIAL], size, 1)
    run = elements
    clamp = limit
    dots = rows
    limits = record + _LIMITS
    row = 4 * size
    word = r[_INPUT]
    source = (model if word & 1 else base) + (word >> 2) + 4 * start * depth
    word = r[_WEIGHTS]
    weights = (model if word & 1 else base) + (word >> 2)
    word = r[_RECURRENT_WEIGHTS]
    recurrent = (model if word & 1 else base) + (word >> 2)
    state = base + (r[_OUTPUT] >> 2)
    offset = r[_SCRATCH] >> 2
    update = base + offset
    reset = update + row
    candidate = reset + row
    gates = candidate + row
    gate = gates + 2 * row
    while start < stop:
        dots(update, weights, source, depth << 15 | count)
        word = r[_BIAS]
        if word != 1:
            bias = (model if word & 1 else base) + (word >> 2)
            run(update, update, bias, count << 6 | _ADD)
        clamp(update, limits, count)
        dots(gates, recurrent, state, size << 15 | count)
        word = r[_RECURRENT_BIAS]
        if word != 1:
            bias = (model if word & 1 else base) + (word >> 2)
            run(gates, gates, bias, count << 6 | _ADD)
        clamp(gates, limits, count)
        run(update, update, gates, 2 * size << 6 | _ADD)
        left = int(curve(arena, offset, offset, 2 * size << 2 | _LOGISTIC))
        if left:  # elements that machine code does not compute
            at = (offset << 2) + (2 * size - left << 4)
            logistic(arena, rom, at, at, left)
        run(gate, reset, gate, size << 6 | _MUL)
        run(candidate, candidate, gate, size << 6 | _ADD)
        at = offset + 2 * row
        left = int(curve(arena, at, at, size << 2 | _TANH))
        if left:
            at = (at << 2) + (size - left << 4)
            tanh(arena, rom, at, at, left)
        run(state, update, state, size << 6 | _MUL)
        clamp(state, limits, size)
        run(update, record + _ONE, update, size << 6 | _SUB_FROM_ONE)
        run(candidate, update, candidate, size << 6 | _MUL)
        run(state, state, candidate, size << 6 | _ADD)
        source += 4 * depth
        start += 1
