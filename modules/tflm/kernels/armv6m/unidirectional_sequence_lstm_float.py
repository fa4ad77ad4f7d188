# tflm: UNIDIRECTIONAL_SEQUENCE_LSTM, float32: for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

from ..float32_math import logistic, tanh
from ..float32_select import clamp
from .float32 import combine, dots
from .gen.lstm_float_asm import cells, gates

_INPUT = const(1)
_HIDDEN_STATE = const(2)
_CELL_STATE = const(3)
_OUTPUT = const(4)
_SCRATCH = const(5)
_INPUT_TO_INPUT_WEIGHTS = const(6)  # then the weights of the forget, cell and output gates
_RECURRENT_TO_INPUT_WEIGHTS = const(10)
_INPUT_GATE_BIAS = const(14)
_INPUT_SIZE = const(18)
_STATE_SIZE = const(19)
_STEPS = const(20)  # steps of a batch; then the next batch begins
_BATCHES = const(21)
_BLOCK = const(22)  # elements of the state that fit the scratch buffer
_ACTIVATION = const(23)  # 0: the cell gate has no activation
_CLIP = const(24)
_LOWEST = const(25)  # and `highest` after it
_CLIP_LOW = const(27)  # and `clip_high` after it

# Operations of float32.combine.
_MUL = const(1)
_ADD = const(2)
_EACH = const(1 | 1 << 10 | 1 << 20)


# Units are elements of the output, step by step, as in the portable kernel: the new hidden state
# is in the output until its step is complete. The assembler takes at most four arguments, so a
# word of the scratch buffer passes the number of elements.
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
        row = count << 4
        passed[0] = count
        if not int(gates(op, arena, rom, start)):
            gate = 0
            while gate < 4:
                _gate(op, arena, rom, gate, step, batch, first, count)
                gate += 1
        logistic(arena, rom, scratch, scratch, 3 * count)
        if r[_ACTIVATION]:
            tanh(arena, rom, scratch + 3 * row, scratch + 3 * row, count)
        _update(op, arena, rom, batch * size + first, start, count)
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


# The sums of a gate: weights * input + bias + weights * hidden state. The scratch buffer holds the
# input, forget, output and cell gates, and one more row.
@micropython.viper
def _gate(op, arena, rom, gate: int, step: int, batch: int, first: int, count: int):
    r = ptr32(op)
    target = r[_SCRATCH] + ((gate ^ gate >> 1) * count << 4)
    row = r[_SCRATCH] + (count << 6)
    source = r[_INPUT] + (step * r[_INPUT_SIZE] << 4)
    weights = r[_INPUT_TO_INPUT_WEIGHTS + gate]
    weights += first * r[_INPUT_SIZE] << 4
    dots(arena, rom, target, weights, source, r[_INPUT_SIZE], 0, count)
    bias = r[_INPUT_GATE_BIAS + gate] + (first << 4)
    combine(arena, rom, target, target, bias, count, _EACH, _ADD)
    # TFLM clamps the outputs of its FULLY_CONNECTED to finite numbers. The limits are in the
    # record, which is passed as the ROM.
    clamp(arena, op, target, count, _LOWEST << 4 | 1)
    source = r[_HIDDEN_STATE] + (batch * r[_STATE_SIZE] << 4)
    weights = r[_RECURRENT_TO_INPUT_WEIGHTS + gate]
    weights += first * r[_STATE_SIZE] << 4
    dots(arena, rom, row, weights, source, r[_STATE_SIZE], 0, count)
    clamp(arena, op, row, count, _LOWEST << 4 | 1)
    combine(arena, rom, target, target, row, count, _EACH, _ADD)


# The cell state: forget gate * cell state + input gate * cell gate, clipped. The output: tanh(cell
# state) * output gate. `at` is the first element of the cell state.
@micropython.viper
def _update(op, arena, rom, at: int, start: int, count: int):
    r = ptr32(op)
    base = int(ptr8(arena))
    row = count << 4
    gates_at = r[_SCRATCH]
    forget = gates_at + row
    cell = r[_CELL_STATE] + (at << 4)
    p_cell = base + (cell >> 2)
    done = 0
    too_large = base >> 30 | count >> 8  # for small integers, and for the arguments of cells()
    if not too_large:
        done = int(cells(p_cell, base + (forget >> 2), p_cell, count | 256))
    n = count - done
    if n:
        at = done << 4
        combine(arena, rom, cell + at, forget + at, cell + at, n, _EACH, _MUL)
        clamp(arena, op, cell + at, n, _LOWEST << 4 | 1)
        at += gates_at
        combine(arena, rom, at, at, at + 3 * row, n, _EACH, _MUL)
        clamp(arena, op, at, n, _LOWEST << 4 | 1)
        combine(arena, rom, cell + (done << 4), cell + (done << 4), at, n, _EACH, _ADD)
    if r[_CLIP]:
        clamp(arena, op, cell, count, _CLIP_LOW << 4 | 1)
    tanh(arena, rom, gates_at, cell, count)
    target = r[_OUTPUT] + (start << 4)
    output = gates_at + 2 * row
    done = 0
    if not too_large:
        done = int(
            cells(base + (target >> 2), base + (gates_at >> 2), base + (output >> 2), count)
        )
    n = count - done
    if n:
        at = done << 4
        combine(arena, rom, target + at, gates_at + at, output + at, n, _EACH, _MUL)
