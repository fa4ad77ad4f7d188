# tflm: UNIDIRECTIONAL_SEQUENCE_LSTM, float32: for the FPU of a Cortex-M4, M7 or M33
# MIT license; Copyright (c) 2026 the tflm authors

from ..float32_math import logistic, tanh
from .gen.float_curves_asm import curve
from .gen.lstm_float_fpu_asm import cells, gates, outputs

_HIDDEN_STATE = const(2)
_OUTPUT = const(4)
_SCRATCH = const(5)
_STATE_SIZE = const(19)
_STEPS = const(20)  # steps of a batch; then the next batch begins
_BATCHES = const(21)
_BLOCK = const(22)  # elements of the state that fit the scratch buffer
_ACTIVATION = const(23)  # 0: the cell gate has no activation

# Kinds of curve(), which returns the number of elements that are left for the functions of
# float32_math. It is called here, because calls of viper functions take long.
_LOGISTIC = const(1)
_TANH = const(2)


# Units are elements of the output, step by step, as in the portable kernel: the new hidden state
# is in the output until its step is complete. The assembler takes at most four arguments, so a
# word of the scratch buffer passes the number of elements, which no earlier function may change.
@micropython.viper
def eval_float32(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    base = int(ptr8(arena))
    size = r[_STATE_SIZE]
    scratch = r[_SCRATCH]
    passed = ptr32(base + (scratch >> 2) + 16 * r[_BLOCK])
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
        passed[0] = count
        gates(op, arena, rom, start)
        at = scratch >> 2
        left = int(curve(arena, at, at, 3 * count << 2 | _LOGISTIC))
        if left:
            x = scratch + (3 * count - left << 4)
            logistic(arena, rom, x, x, left)
        if r[_ACTIVATION]:
            at += 12 * count
            left = int(curve(arena, at, at, count << 2 | _TANH))
            if left:
                x = (at << 2) + (count - left << 4)
                tanh(arena, rom, x, x, left)
        passed[0] = count
        cells(op, arena, rom, batch * size + first)
        at = scratch >> 2
        left = int(curve(arena, at, at, count << 2 | _TANH))
        if left:
            x = scratch + (count - left << 4)
            tanh(arena, rom, x, x, left)
        passed[0] = count
        outputs(op, arena, rom, start)
        start += count
        if first + count == size:
            # The step is complete: its outputs become the hidden state.
            y = ptr32(base + (r[_OUTPUT] >> 2) + 4 * (start - size))
            h = ptr32(base + (r[_HIDDEN_STATE] >> 2) + 4 * batch * size)
            n = size
            while n:
                h[0] = y[0]
                h = ptr32(int(h) + 4)
                y = ptr32(int(y) + 4)
                n -= 1
