# tflm: UNIDIRECTIONAL_SEQUENCE_LSTM of float32 with weights of int8
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types float32; package rnn; check recurrent; order steps

from .float32 import combine
from .float32_convert import from_int
from .float32_divide import div
from .float32_math import logistic, tanh
from .float32_select import clamp, maximum, minimum
from .hybrid_scale import find_zero_point, quantize_products

_INPUT = const(1)
_HIDDEN_STATE = const(2)
_CELL_STATE = const(3)
_OUTPUT = const(4)
_SCRATCH = const(5)
_QUANTIZED = const(6)
_CONSTANTS = const(7)
_INPUT_TO_INPUT_WEIGHTS = const(8)  # then the weights of the forget, cell and output gates
_RECURRENT_TO_INPUT_WEIGHTS = const(12)
_INPUT_GATE_BIAS = const(16)
_INPUT_SIZE = const(20)
_STATE_SIZE = const(21)
_STEPS = const(22)  # steps of a batch; then the next batch begins
_BATCHES = const(23)
_ASYMMETRIC = const(24)
_CLIP = const(25)
_CLIP_LOW = const(26)  # and `clip_high` after it

_CELL_GATE = const(2)

# Words of the scratch buffer after a scale, as distances of operand words.
_MAX = const(1 << 4)
_MIN = const(2 << 4)
_INVERSE = const(3 << 4)
_PRODUCT = const(5 << 4)  # of a scale and the scale of weights
_INPUT_SCALE = const(6 << 4)
_GATES = const(8 << 4)

# Words of the constants after the scales of the weights.
_ONE = const(8 << 4)
_RANGE_STEPS = const(9 << 4)

# Operations and steps of float32.combine.
_MAC = const(0)
_MUL = const(1)
_SUB = const(3)
_EACH = const(1 | 1 << 10 | 1 << 20)
_IN_PLACE = const(1 | 1 << 10)
_RUNNING = const(1 << 10)

_INT32 = const(3)


# Units are steps of a batch. As in LiteRT, input and hidden state become int8 with a scale for
# each step, sums of products are integers, and all else is float32.
#
# 1. Quantize the input and the hidden state.
# 2. Each gate is its bias plus the scaled sums of its weights and of its recurrent weights.
# 3. Apply the activations, update the cell state and compute the output.
@micropython.viper
def eval_float32(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    base = int(ptr8(arena))
    size = r[_INPUT_SIZE]
    state = r[_STATE_SIZE]
    gates = r[_SCRATCH] + _GATES
    while start < stop:
        batch = start // r[_STEPS]
        batch -= batch // r[_BATCHES] * r[_BATCHES]
        hidden = r[_HIDDEN_STATE] + (batch * state << 4)
        offset = int(_quantize(op, arena, rom, r[_INPUT] + (start * size << 4), size, 0))
        p = ptr32(base + (r[_SCRATCH] >> 2))
        p[6] = p[0]
        offset_hidden = int(_quantize(op, arena, rom, hidden, state, size))
        gate = 0
        while gate < 4:
            target = gates + (gate * state << 4)
            p = ptr32(base + (target >> 2))
            word = r[_INPUT_GATE_BIAS + gate]
            bias = ptr32((int(ptr8(rom)) if word & 1 else base) + (word >> 2))
            i = 0
            while i < state:
                p[i] = bias[i]
                i += 1
            _add_products(op, arena, rom, gate, 0, offset)
            _add_products(op, arena, rom, gate, 1, offset_hidden)
            if gate != _CELL_GATE:
                logistic(arena, rom, target, target, state)
            else:
                tanh(arena, rom, target, target, state)
            gate += 1
        row = state << 4
        cell = r[_CELL_STATE] + (batch * state << 4)
        combine(arena, rom, cell, gates + row, cell, state, _EACH, _MUL)
        combine(arena, rom, cell, gates + 2 * row, gates, state, _EACH, _MAC)
        if r[_CLIP]:
            clamp(arena, op, cell, state, _CLIP_LOW << 4 | 1)
        tanh(arena, rom, gates, cell, state)
        combine(arena, rom, hidden, gates + 3 * row, gates, state, _EACH, _MUL)
        p = ptr32(base + (hidden >> 2))
        y = ptr32(base + (r[_OUTPUT] >> 2) + 4 * start * state)
        i = 0
        while i < state:
            y[i] = p[i]
            i += 1
        start += 1


# Quantize a vector of `n` elements to int8, from byte `at` of the quantized vectors on, and store
# its scale. Return the zero point.
@micropython.viper
def _quantize(op, arena, rom, source: int, n: int, at: int) -> int:
    r = ptr32(op)
    base = int(ptr8(arena))
    scratch = r[_SCRATCH]
    constants = r[_CONSTANTS]
    steps = constants + _RANGE_STEPS
    p = ptr32(base + (scratch >> 2))
    magnitude = 1
    magnitude = (magnitude << 31) - 1
    p[1] = 0
    p[2] = 0
    maximum(arena, rom, scratch + _MAX, source, scratch + _MAX, n, _RUNNING)
    minimum(arena, rom, scratch + _MIN, source, scratch + _MIN, n, _RUNNING)
    high = p[1] & magnitude
    low = p[2] & magnitude
    # Bits of floats without their signs are in the order of their magnitudes.
    p[0] = high if high > low else low
    if r[_ASYMMETRIC]:
        combine(arena, rom, scratch, scratch + _MAX, scratch + _MIN, 1, 0, _SUB)
    size = p[0] & magnitude
    zero_point = 0
    if not size:
        p[0] = 0x3F800000
        p[3] = 0
    elif r[_ASYMMETRIC]:
        div(arena, rom, scratch, scratch, steps, 1, 0)
        div(arena, rom, scratch + _INVERSE, constants + _ONE, scratch, 1, 0)
        zero_point = int(find_zero_point(high, low, size))
    else:
        div(arena, rom, scratch + _INVERSE, steps, scratch, 1, 0)
        div(arena, rom, scratch, scratch, steps, 1, 0)
    values = (int(ptr8(rom)) if source & 1 else base) + (source >> 2)
    quantize_products(values, base + (r[_QUANTIZED] >> 2) + at, n, p[3], zero_point)
    return zero_point


# Add the scaled sums of the weights of a gate, or of its recurrent weights.
@micropython.viper
def _add_products(op, arena, rom, gate: int, recurrent: int, offset: int):
    r = ptr32(op)
    base = int(ptr8(arena))
    scratch = r[_SCRATCH]
    state = r[_STATE_SIZE]
    n = r[_INPUT_SIZE]
    q = ptr8(base + (r[_QUANTIZED] >> 2))
    scale = scratch + _INPUT_SCALE
    if recurrent:
        q = ptr8(int(q) + n)
        n = state
        scale = scratch
    gate += recurrent << 2
    word = r[_INPUT_TO_INPUT_WEIGHTS + gate]
    w = ptr8((int(ptr8(rom)) if word & 1 else base) + (word >> 2))
    sums = scratch + _GATES + (state << 6)
    p = ptr32(base + (sums >> 2))
    offset += 0x80
    row = 0
    while row < state:
        total = 0
        i = 0
        while i < n:
            total += ((q[i] ^ 0x80) - offset) * ((w[i] ^ 0x80) - 0x80)
            i += 1
        p[row] = total
        w = ptr8(int(w) + n)
        row += 1
    from_int(arena, rom, sums, sums, state, _INT32)
    word = r[_CONSTANTS] + (gate << 4)
    combine(arena, rom, scratch + _PRODUCT, scale, word, 1, 0, _MUL)
    target = scratch + _GATES + ((gate & 3) * state << 4)
    combine(arena, rom, target, sums, scratch + _PRODUCT, state, _IN_PLACE, _MAC)
