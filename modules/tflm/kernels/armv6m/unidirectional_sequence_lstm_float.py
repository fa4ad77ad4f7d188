# tflm: UNIDIRECTIONAL_SEQUENCE_LSTM, float32: for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

from ..float32 import combine
from ..float32_math import logistic, tanh
from ..float32_select import clamp
from ..unidirectional_sequence_lstm_float import _gate, _update
from .gen.float_lstm_asm import cells, gates

_HIDDEN_STATE = const(2)
_CELL_STATE = const(3)
_OUTPUT = const(4)
_SCRATCH = const(5)
_STATE_SIZE = const(19)
_STEPS = const(20)  # steps of a batch; then the next batch begins
_BATCHES = const(21)
_BLOCK = const(22)  # elements of the state that fit the scratch buffer
_ACTIVATION = const(23)  # 0: the cell gate has no activation
_CLIP = const(24)
_LOWEST = const(25)
_HIGHEST = const(26)
_CLIP_LOW = const(27)

# Operations of float32.combine.
_MUL = const(1)
_EACH = const(1 | 1 << 10 | 1 << 20)

_MOST = const(1023)  # elements of a call


# Units are elements of the output, step by step, as in the portable kernel: the new hidden state
# is in the output until its step is complete. Functions of the portable kernel compute numbers
# that the assembler leaves. The assembler does not limit sums to finite numbers, because all of
# its sums are finite.
@micropython.viper
def eval_float32(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    size = r[_STATE_SIZE]
    scratch = r[_SCRATCH]
    # The limits are the lowest and the highest finite number.
    fits = 0
    low = r[_LOWEST]
    high = r[_HIGHEST]
    if low & high & 0xFFFF == 0xFFFF and low >> 16 & 0xFFFF == 0xFF7F and high >> 16 == 0x7F7F:
        fits = 1
    if stop >> 20 or r[_BATCHES] * size >> 20:
        fits = 0
    while start < stop:
        step = start // size
        first = start - step * size
        count = size - first
        if count > stop - start:
            count = stop - start
        if count > r[_BLOCK]:
            count = r[_BLOCK]
        if count > _MOST:
            count = _MOST
        batch = step // r[_STEPS]
        batch -= batch // r[_BATCHES] * r[_BATCHES]
        row = count << 4
        at = batch * size + first
        done = 0
        if fits:
            done = int(gates(op, arena, rom, start << 10 | count))
        if done:
            logistic(arena, rom, scratch, scratch, 2 * count)
            if r[_ACTIVATION]:
                tanh(arena, rom, scratch + 2 * row, scratch + 2 * row, count)
            logistic(arena, rom, scratch + 3 * row, scratch + 3 * row, count)
        else:
            gate = 0
            while gate < 4:
                _gate(op, arena, rom, gate, step, batch, first, count)
                gate += 1
        done = 0
        if fits:
            done = int(cells(op, arena, rom, at << 10 | count))
        if done:
            cell = r[_CELL_STATE] + (at << 4)
            if r[_CLIP]:
                clamp(arena, op, cell, count, _CLIP_LOW << 4 | 1)
            tanh(arena, rom, scratch, cell, count)
            target = r[_OUTPUT] + (start << 4)
            combine(arena, rom, target, scratch, scratch + 3 * row, count, _EACH, _MUL)
        else:
            _update(op, arena, rom, at, start, count)
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
