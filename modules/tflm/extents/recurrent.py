# tflm: extents: SVDF and UNIDIRECTIONAL_SEQUENCE_LSTM
# MIT license; Copyright (c) 2026 the tflm authors

from .record import divided
from .sigmoid import curve

_TAPS = 64  # of a vector, that kernels/matrix.py unpacks at a time


# The operands 1 to 6 of SVDF and its sizes, from word 8 on. `size`: bytes of the input, of the
# weights of its features and of the output; `state`: of the other weights and of the state.
# Returns elements of the input, filters of an output, and outputs of a batch.
def _svdf(r, size, state):
    (depth,) = r.numbers(8, 1, 0)
    memory, rank, outputs = r.numbers(9, 3)
    r.reads(1, divided(r.units, outputs) * depth * size, align=size)
    r.reads(2, outputs * rank * depth * size, align=size)
    r.reads(3, outputs * rank * memory * state, align=state)
    if r.has(4):
        r.reads(4, 4 * outputs, align=4)
    r.writes(5, r.units * rank * memory * state, align=state)
    r.writes(6, r.units * size, align=size)
    return depth, rank, outputs


def _svdf_int8(r):
    r.need(r.words >= 23 and r[15] in (8, 16))
    depth, rank, outputs = _svdf(r, 1, r[15] // 8)
    (block,) = r.numbers(12, 1)
    r.need(r[13] < 1 << 24)  # or kernels/matrix.py would take the input for int16
    r.writes(7, 4 * (min(block, outputs) * rank + min(depth, _TAPS)), align=4)


def _svdf_float32(r):
    r.need(r.words >= 15)
    _svdf(r, 4, 4)
    r.writes(7, 4, align=4)


# The operands of an LSTM but for its scratch buffer: weights begin at operand `at`, sizes behind
# them. Bytes of an element of input and output, of the cell state, a weight, a bias. Returns
# elements of input and state, and how many of the state are computed together.
def _lstm(r, at, size, cell, weight, bias):
    (depth,) = r.numbers(at + 12, 1, 0)
    state, _, batches, block = r.numbers(at + 13, 4)
    r.need(block <= state)
    r.reads(1, divided(r.units, state) * depth * size, align=size)
    r.writes(2, batches * state * size, align=size)
    r.writes(3, batches * state * cell, align=cell)
    r.writes(4, r.units * size, align=size)
    for gate in range(at, at + 4):
        r.reads(gate, state * depth * weight, align=weight)
        r.reads(gate + 4, state * state * weight, align=weight)
        r.reads(gate + 8, state * bias, align=4)
    return depth, state, block


def _lstm_integers(r):
    wide = r[24]
    r.need(wide <= 1 and r.words >= 81)
    depth, state, block = _lstm(r, 7, 1 + wide, 2, 1, 4 + 4 * wide)
    r.writes(5, block * (12 + 4 * wide) + 4 * min(_TAPS, max(depth, state)), align=4)
    for at in range(26, 50, 3):
        r.need(r[at] >> 24 == wide)  # kernels/matrix.py: vectors and sums are that long
    for at in (59, 66, 73):
        curve(r, at, 6)


def _lstm_float32(r):
    r.need(r.words >= 29)
    _, _, block = _lstm(r, 6, 4, 4, 4, 4)
    r.writes(5, 20 * block, align=4)


CHECKS = {
    "svdf.eval_int8": _svdf_int8,
    "svdf_float.eval_float32": _svdf_float32,
    "unidirectional_sequence_lstm.eval_integers": _lstm_integers,
    "unidirectional_sequence_lstm_float.eval_float32": _lstm_float32,
}
