# tflm: UNIDIRECTIONAL_SEQUENCE_LSTM, int8: whole rows of weights at a time
# MIT license; Copyright (c) 2026 the tflm authors

from .fixed_point import store
from .sigmoid_int16 import curve
from .unidirectional_sequence_lstm import ALL

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
_SYMMETRIC = const(0x80)  # in the upper half of offsets: weights without a zero point
_ROWS = const(127)
_MAX_ROW = const(1 << 14)  # elements of a row
_ADD = const(1 << 12)  # argument of gate(): add to the targets
_ADD_INT16 = const(0x10001000)  # argument of gate(): add to the targets, which are int16


# Compute units start..stop-1 of unidirectional_sequence_lstm.eval_integers by functions of
# tools/asm/armv6m/recurrent.py.
@micropython.viper
def run_rows(op, arena, rom, start: int, stop: int, dot, rescale, gate, products):
    r = ptr32(op)
    size = r[_STATE_SIZE]
    is_plain = r[_WIDE] == 0 and r[_BLOCK] <= _ROWS
    if r[_INPUT_SIZE] >= _MAX_ROW or size >= _MAX_ROW or r[_INPUT_SIZE] == 0:
        is_plain = False
    n = 0
    while n < 8:
        if r[_INPUT_GATE_OFFSETS + 3 * n] >> 16 != _SYMMETRIC:
            is_plain = False
        n += 1
    if not is_plain:
        ALL[0](op, arena, rom, start, stop)
        return
    base = int(ptr8(arena))
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
        _gates(op, arena, rom, step, batch, first, count, dot, gate)
        at = batch * size + first
        _update(op, arena, rom, at, start, count, rescale, gate, products)
        start += count
        if first + count == size:
            # The step is complete: its outputs become the hidden state.
            y = ptr8(base + (r[_OUTPUT] >> 2) + start - size)
            h = ptr8(base + (r[_HIDDEN_STATE] >> 2) + batch * size)
            n = size
            while n:
                h[0] = y[0]
                h = ptr8(int(h) + 1)
                y = ptr8(int(y) + 1)
                n -= 1


# The scratch buffer is the same as in the portable file; its taps are not used.
@micropython.viper
def _gates(op, arena, rom, step: int, batch: int, first: int, count: int, dot, gate):
    r = ptr32(op)
    base = int(ptr8(arena))
    flash = int(ptr8(rom))
    target = r[_SCRATCH] >> 2
    sums = base + target + 8 * r[_BLOCK]
    number = 0
    while number < 4:
        # The input first, then the hidden state, which has no bias.
        block = _INPUT_GATE_OFFSETS + _GATE_WORDS * number
        depth = r[_INPUT_SIZE]
        bias = r[_INPUT_GATE_BIAS + number]
        weights = r[_INPUT_TO_INPUT_WEIGHTS + number]
        vector = r[_INPUT] + (step * depth << 2)
        mode = 0
        hidden = 0
        while hidden < 2:
            p = ptr32(sums)
            n = count
            if bias == 1:
                while n:
                    p[0] = 0
                    p = ptr32(int(p) + 4)
                    n -= 1
            else:
                b = ptr32((flash if bias & 1 else base) + (bias >> 2) + 4 * first)
                while n:
                    p[0] = b[0]
                    p = ptr32(int(p) + 4)
                    b = ptr32(int(b) + 4)
                    n -= 1
            w = (flash if weights & 1 else base) + (weights >> 2) + first * depth
            x = (flash if vector & 1 else base) + (vector >> 2)
            dot(w, x, sums, depth << 16 | count << 9 | (r[block] & 0xFFFF) + 128)
            gate(int(r) + 4 * block + 4, sums, base + target, count | mode)
            depth = r[_STATE_SIZE]
            bias = 1
            weights = r[_RECURRENT_TO_INPUT_WEIGHTS + number]
            vector = r[_HIDDEN_STATE] + (batch * depth << 2)
            mode = _ADD_INT16
            block += 3
            hidden += 1
        if number != _CELL_GATE:
            curve(op, arena, rom, _SIGMOID_MULTIPLIER, r[_ENTRIES], target << 2, target, count)
        elif r[_ACTIVATION]:
            curve(op, arena, rom, _TANH_MULTIPLIER, r[_ENTRIES], target << 2, target, count)
        target += 2 * count
        number += 1


# The cell state: forget gate * cell state + input gate * cell gate, clipped. The output: tanh(cell
# state) * output gate. `at` is the first element of the cell state.
@micropython.viper
def _update(op, arena, rom, at: int, start: int, count: int, rescale, gate, products):
    r = ptr32(op)
    base = int(ptr8(arena))
    gates = r[_SCRATCH] >> 2
    values = gates + 8 * r[_BLOCK]
    first = base + gates
    sums = base + values
    row = 2 * count
    cell = (r[_CELL_STATE] >> 2) + 2 * at
    products(sums, first + row, base + cell, count)
    gate(int(r) + 4 * _FORGET_MULTIPLIER, sums, base + cell, count)
    products(sums, first, first + 2 * row, count)
    gate(int(r) + 4 * _UPDATE_MULTIPLIER, sums, base + cell, count | _ADD | r[_CLIP] << 13)
    curve(op, arena, rom, _CELL_MULTIPLIER, r[_ENTRIES], cell << 2, gates, count)
    products(sums, first, first + 3 * row, count)
    rescale(int(r) + 4 * _HIDDEN_MULTIPLIER, sums, count, 0)
    store(op, arena, _OUTPUT_ZERO_POINT, values, (r[_OUTPUT] >> 2) + start, count, 0)
