# tflm: UNIDIRECTIONAL_SEQUENCE_LSTM: int8 with biases of int32, int16 with biases of int64
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int8 int16; package rnn; check recurrent; order steps

from .fixed_point import rescale, store
from .matrix import multiply, start_sums
from .rescale_wide import rescale_wide
from .sigmoid_int16 import curve

_INPUT = const(1)
_HIDDEN_STATE = const(2)
_CELL_STATE = const(3)
_OUTPUT = const(4)
_SCRATCH = const(5)
_ENTRIES = const(6)
_INPUT_TO_INPUT_WEIGHTS = const(7)  # then the weights of the forget, cell and output gates
_RECURRENT_TO_INPUT_WEIGHTS = const(11)
_INPUT_GATE_BIAS = const(15)
_INPUT_SIZE = const(19)
_STATE_SIZE = const(20)
_STEPS = const(21)  # steps of a batch; then the next batch begins
_BATCHES = const(22)
_BLOCK = const(23)  # elements of the state that fit the scratch buffer
_WIDE = const(24)
_CLIP = const(25)  # limit of the cell state, or _NO_LIMIT
_INPUT_GATE_OFFSETS = const(26)  # of 4 gates: offsets, multiplier, shift for input and recurrent
_FORGET_MULTIPLIER = const(50)  # FIXED_POINT blocks
_UPDATE_MULTIPLIER = const(52)
_HIDDEN_MULTIPLIER = const(54)
_OUTPUT_ZERO_POINT = const(56)  # the CLAMP block
_SIGMOID_MULTIPLIER = const(59)  # CURVE blocks
_TANH_MULTIPLIER = const(66)
_CELL_MULTIPLIER = const(73)
_ACTIVATION = const(80)  # 0: the cell gate has no activation

_GATE_WORDS = const(6)
_CELL_GATE = const(2)
_NO_LIMIT = const(0x8000)


# Units are elements of the output, step by step. The elements of one step depend only on the
# hidden state of the previous step. The hidden state is therefore updated after the step's last
# element; until then the new hidden state is in the output. If batches are the outer dimension,
# all steps of one batch precede the next batch; inputs and outputs are stored in the order of
# steps in both cases.
@micropython.viper
def eval_integers(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    size = r[_STATE_SIZE]
    width = 1 + r[_WIDE]
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
        gate = 0
        while gate < 4:
            _gate(op, arena, rom, gate, step, batch, first, count)
            gate += 1
        _update(op, arena, rom, batch * size + first, start, count)
        start += count
        if first + count == size:
            # The step is complete: its outputs become the hidden state.
            y = ptr8(int(ptr8(arena)) + (r[_OUTPUT] >> 2) + (start - size) * width)
            h = ptr8(int(ptr8(arena)) + (r[_HIDDEN_STATE] >> 2) + batch * size * width)
            n = size * width
            while n:
                h[0] = y[0]
                h = ptr8(int(h) + 1)
                y = ptr8(int(y) + 1)
                n -= 1


# The scratch buffer: 4 gates of int16, then accumulators and taps.
#
# A gate is the activation of two products, weights * input + bias and weights * hidden state. Each
# is rescaled to int16 and clamped; the sum is clamped, too.
@micropython.viper
def _gate(op, arena, rom, gate: int, step: int, batch: int, first: int, count: int):
    r = ptr32(op)
    wide = r[_WIDE]
    gates = r[_SCRATCH] >> 2
    target = gates + 2 * gate * count
    sums = gates + 8 * r[_BLOCK]
    block = _INPUT_GATE_OFFSETS + _GATE_WORDS * gate
    # The input first, then the hidden state, which has no bias.
    depth = r[_INPUT_SIZE]
    bias = r[_INPUT_GATE_BIAS + gate]
    weights = r[_INPUT_TO_INPUT_WEIGHTS + gate]
    vector = r[_INPUT] + (step * depth << 2 + wide)
    hidden = 0
    while hidden < 2:
        start_sums(arena, rom, sums, bias, first, count, wide)
        weights += first * depth << 2
        multiply(sums, weights, arena, rom, vector, depth, count, r[block], depth)
        if wide:
            rescale_wide(op, arena, block + 1, sums, count, 0)
        else:
            rescale(op, arena, block + 1, sums, count, 0)
        _add(arena, target, sums, count, hidden, _NO_LIMIT)
        depth = r[_STATE_SIZE]
        bias = 1
        weights = r[_RECURRENT_TO_INPUT_WEIGHTS + gate]
        vector = r[_HIDDEN_STATE] + (batch * depth << 2 + wide)
        block += 3
        hidden += 1
    # The activation.
    block = _SIGMOID_MULTIPLIER
    if gate == _CELL_GATE:
        block = _TANH_MULTIPLIER
        if not r[_ACTIVATION]:
            return
    curve(op, arena, rom, block, r[_ENTRIES], target << 2, target, count)


# The cell state: forget gate * cell state + input gate * cell gate, clipped. The output: tanh(cell
# state) * output gate. `at` is the first element of the cell state.
@micropython.viper
def _update(op, arena, rom, at: int, start: int, count: int):
    r = ptr32(op)
    gates = r[_SCRATCH] >> 2
    sums = gates + 8 * r[_BLOCK]
    row = 2 * count
    cell = (r[_CELL_STATE] >> 2) + 2 * at
    _products(arena, sums, gates + row, cell, count)
    rescale(op, arena, _FORGET_MULTIPLIER, sums, count, 0)
    _add(arena, cell, sums, count, 0, _NO_LIMIT)
    _products(arena, sums, gates, gates + 2 * row, count)
    rescale(op, arena, _UPDATE_MULTIPLIER, sums, count, 0)
    _add(arena, cell, sums, count, 1, r[_CLIP])
    curve(op, arena, rom, _CELL_MULTIPLIER, r[_ENTRIES], cell << 2, gates, count)
    _products(arena, sums, gates, gates + 3 * row, count)
    rescale(op, arena, _HIDDEN_MULTIPLIER, sums, count, 0)
    wide = r[_WIDE]
    target = (r[_OUTPUT] >> 2) + (start << wide)
    store(op, arena, _OUTPUT_ZERO_POINT, sums, target, count, wide)


# values = a * b, from int16 to words; all are byte offsets in the arena.
@micropython.viper
def _products(arena, values: int, a: int, b: int, count: int):
    base = int(ptr8(arena))
    p = ptr32(base + values)
    x = ptr16(base + a)
    y = ptr16(base + b)
    while count:
        p[0] = ((x[0] ^ 0x8000) - 0x8000) * ((y[0] ^ 0x8000) - 0x8000)
        p = ptr32(int(p) + 4)
        x = ptr16(int(x) + 2)
        y = ptr16(int(y) + 2)
        count -= 1


# target = values, clamped to int16 (keep 0), or target += values, clamped to int16 and, if there
# is a limit, to -limit .. limit.
@micropython.viper
def _add(arena, target: int, values: int, count: int, keep: int, limit: int):
    base = int(ptr8(arena))
    # x64 words have 64 bits and loads are zero-extended: this shift brings the sign back.
    sign = 0x20000000
    sign = sign << 3 >> 27
    p = ptr32(base + values)
    y = ptr16(base + target)
    low = 0 - limit
    if limit == _NO_LIMIT:
        limit -= 1
    while count:
        v = (p[0] << sign) >> sign
        if v > 0x7FFF:
            v = 0x7FFF
        if v < 0 - 0x8000:
            v = 0 - 0x8000
        if keep:
            v = v + (y[0] ^ 0x8000) - 0x8000
            if v > limit:
                v = limit
            if v < low:
                v = low
        y[0] = v
        p = ptr32(int(p) + 4)
        y = ptr16(int(y) + 2)
        count -= 1


# For overrides, which pass other records to it.
ALL = (eval_integers,)
