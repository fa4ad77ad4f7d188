# tflm: UNIDIRECTIONAL_SEQUENCE_LSTM, float32: for Xtensa with an FPU
# MIT license; Copyright (c) 2026 the tflm authors

from .float32 import combine
from .gen.float32_math import logistic, tanh
from .gen.lstm_float_asm import cells, gates

_HIDDEN_STATE = const(2)
_OUTPUT = const(4)
_SCRATCH = const(5)
_STATE_SIZE = const(19)
_STEPS = const(20)  # steps of a batch; then the next batch begins
_BATCHES = const(21)
_BLOCK = const(22)  # elements of the state that fit the scratch buffer
_ACTIVATION = const(23)  # 0: the cell gate has no activation

# Operations of float32.combine.
_MUL = const(1)
_EACH = const(1 | 1 << 10 | 1 << 20)


# Units are elements of the output, step by step, as in the portable kernel: the new hidden state
# is in the output until its step is complete.
@micropython.viper
def eval_float32(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    size = r[_STATE_SIZE]
    scratch = r[_SCRATCH]
    while start < stop:
        step = start // size
        first = start - step * size
        count = size - first
        if count > stop - start:
            count = stop - start
        if count > r[_BLOCK]:
            count = r[_BLOCK]
        batch = step // r[_STEPS]
        batch -= batch // r[_BATCHES] * r[_BATCHES]
        row = count << 4
        gates(op, arena, rom, start, count)
        logistic(arena, rom, scratch, scratch, 2 * count)
        if r[_ACTIVATION]:
            tanh(arena, rom, scratch + 2 * row, scratch + 2 * row, count)
        logistic(arena, rom, scratch + 3 * row, scratch + 3 * row, count)
        cells(op, arena, rom, batch * size + first, count)
        tanh(arena, rom, scratch, scratch, count)
        target = r[_OUTPUT] + (start << 4)
        combine(arena, rom, target, scratch, scratch + 3 * row, count, _EACH, _MUL)
        start += count
        if first + count == size:
            # The step is complete: its outputs become the hidden state.
            y = ptr32(int(ptr8(arena)) + (r[_OUTPUT] >> 2) + 4 * (start - size))
            h = ptr32(int(ptr8(arena)) + (r[_HIDDEN_STATE] >> 2) + 4 * batch * size)
            n = size
            while n:
                h[0] = y[0]
                h = ptr32(int(h) + 4)
                y = ptr32(int(y) + 4)
                n -= 1
