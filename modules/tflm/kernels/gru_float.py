# tflm: a loop of steps of a GRU, float32
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types float32; package rnn; check recurrent

from .float32 import combine
from .float32_copy import copy
from .float32_dots import dots
from .float32_math import logistic, tanh
from .float32_select import clamp

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
_LIMITS = const(11 << 4 | 1)  # operand word of `lowest` and `highest`
_ONE = const(13 << 4 | 1)  # operand word of 1.0

# Operations of float32.combine.
_MUL = const(1)
_ADD = const(2)
_SUB = const(3)
_EACH = const(1 | 1 << 10 | 1 << 20)
_FROM_ONE = const(1 | 1 << 20)  # the first operand is one number


# Units are steps. The output is the state; it begins as `initial`. In the order of the operators
# of the loop that the pass gru replaces:
# 1. Two FULLY_CONNECTED: of the input, and of the state. Their outputs are three gates each.
# 2. Update and reset gate: LOGISTIC of the sums.
# 3. Candidate: TANH of the input's gate + reset * the state's gate.
# 4. State: update * state + (1 - update) * candidate.
#
# TFLM clamps each output to finite numbers. This kernel clamps only outputs that may be infinite
# and whose limit changes a later result.
#
# scratch: the gates of the input, then the gates of the state. The numbers of the record are
# operands, too: the record is passed as the ROM.
@micropython.viper
def eval_float32(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    size = r[_STATE_SIZE]
    row = size << 4
    state = r[_OUTPUT]
    update = r[_SCRATCH]
    reset = update + row
    candidate = reset + row
    gates = candidate + row
    gate = gates + 2 * row
    source = r[_INPUT] + (start * r[_INPUT_SIZE] << 4)
    if start == 0:
        copy(arena, rom, state, r[_INITIAL], size, 1)
    while start < stop:
        # 1.
        dots(arena, rom, update, r[_WEIGHTS], source, r[_INPUT_SIZE], 0, 3 * size)
        if r[_BIAS] != 1:
            combine(arena, rom, update, update, r[_BIAS], 3 * size, _EACH, _ADD)
        clamp(arena, op, update, 3 * size, _LIMITS)
        dots(arena, rom, gates, r[_RECURRENT_WEIGHTS], state, size, 0, 3 * size)
        if r[_RECURRENT_BIAS] != 1:
            combine(arena, rom, gates, gates, r[_RECURRENT_BIAS], 3 * size, _EACH, _ADD)
        clamp(arena, op, gates, 3 * size, _LIMITS)
        # 2.
        combine(arena, rom, update, update, gates, 2 * size, _EACH, _ADD)
        logistic(arena, rom, update, update, 2 * size)
        # 3.
        combine(arena, rom, gate, reset, gate, size, _EACH, _MUL)
        combine(arena, rom, candidate, candidate, gate, size, _EACH, _ADD)
        tanh(arena, rom, candidate, candidate, size)
        # 4.
        combine(arena, rom, state, update, state, size, _EACH, _MUL)
        clamp(arena, op, state, size, _LIMITS)
        combine(arena, op, update, _ONE, update, size, _FROM_ONE, _SUB)
        combine(arena, rom, candidate, update, candidate, size, _EACH, _MUL)
        combine(arena, rom, state, state, candidate, size, _EACH, _ADD)
        source += r[_INPUT_SIZE] << 4
        start += 1


steps = eval_float32  # overrides import it
