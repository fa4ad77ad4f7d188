# tflm: access checks: SVDF, UNIDIRECTIONAL_SEQUENCE_LSTM and loops of a GRU
# MIT license; Copyright (c) 2026 the tflm authors

from ..dtypes import const
from .record import divided
from .sigmoid import curve

# Words of the records.
_INPUT = const(1)
_WEIGHTS_FEATURE = const(2)
_WEIGHTS_TIME = const(3)
_BIAS = const(4)
_STATE = const(5)
_SVDF_OUTPUT = const(6)
_INPUT_SIZE = const(8)
_MEMORY_SIZE = const(9)
_SVDF_INT8_SCRATCH = const(7)
_BLOCK = const(12)
_FEATURE_OFFSETS = const(13)
_STATE_BITS = const(15)
_SUM = const(7)
_HIDDEN_STATE = const(2)
_CELL_STATE = const(3)
_LSTM_OUTPUT = const(4)
_LSTM_INTEGERS_SCRATCH = const(5)
_ENTRIES = const(6)
_INTEGERS_INPUT_TO_INPUT_WEIGHTS = const(7)
_WIDE = const(24)
_INPUT_GATE_OFFSETS = const(26)
_FORGET_MULTIPLIER = const(50)
_SIGMOID_MULTIPLIER = const(59)
_TANH_MULTIPLIER = const(66)
_CELL_MULTIPLIER = const(73)
_LSTM_FLOAT32_SCRATCH = const(5)
_FLOAT32_INPUT_TO_INPUT_WEIGHTS = const(6)
_LSTM_HYBRID_SCRATCH = const(5)
_QUANTIZED = const(6)
_CONSTANTS = const(7)
_HYBRID_INPUT_TO_INPUT_WEIGHTS = const(8)
_HYBRID_INPUT_SIZE = const(20)
_INITIAL = const(2)
_GRU_OUTPUT = const(3)
_GRU_SCRATCH = const(4)
_WEIGHTS = const(5)
_GRU_BIAS = const(6)
_RECURRENT_WEIGHTS = const(7)
_RECURRENT_BIAS = const(8)
_GRU_INPUT_SIZE = const(9)

# Words from the first weights of an LSTM on.
_TO_RECURRENT_TO_INPUT_WEIGHTS = const(4)
_TO_INPUT_GATE_BIAS = const(8)
_TO_INPUT_SIZE = const(12)
_TO_STATE_SIZE = const(13)

_TAPS = const(64)  # of a vector, that kernels/matrix.py unpacks at a time


# Check operands 1 to 6 of SVDF and its sizes, from word 8 on. `size`: bytes of the input, of the
# feature weights and of the output; `state`: bytes of the other weights and of the state. Without
# feature weights (float32 only) the input is an array in the arena of a feature for each filter.
# Return elements of the input, filters of an output, and outputs of a batch.
def _svdf(r, size, state):
    (depth,) = r.numbers(_INPUT_SIZE, 1, 0)
    memory, rank, outputs = r.numbers(_MEMORY_SIZE, 3)
    if depth and size == 4 and not r.has(_WEIGHTS_FEATURE):
        r.writes(_INPUT, r.units * rank * size, align=size)
    else:
        r.reads(_INPUT, divided(r.units, outputs) * depth * size, align=size)
        r.reads(_WEIGHTS_FEATURE, outputs * rank * depth * size, align=size)
    r.reads(_WEIGHTS_TIME, outputs * rank * memory * state, align=state)
    if r.has(_BIAS):
        r.reads(_BIAS, 4 * outputs, align=4)
    r.writes(_STATE, r.units * rank * memory * state, align=state)
    r.writes(_SVDF_OUTPUT, r.units * size, align=size)
    return depth, rank, outputs


def _svdf_int8(r):
    r.need(r.words >= 23 and r[_STATE_BITS] in (8, 16))
    depth, rank, outputs = _svdf(r, 1, r[_STATE_BITS] // 8)
    (block,) = r.numbers(_BLOCK, 1)
    r.is_offsets(_FEATURE_OFFSETS)
    r.writes(_SVDF_INT8_SCRATCH, 4 * (min(block, outputs) * rank + min(depth, _TAPS)), align=4)


def _svdf_float32(r):
    r.need(r.words >= 15)
    _svdf(r, 4, 4)
    r.writes(_SUM, 4, align=4)


# Check the operands of an LSTM except its scratch buffer. Weights begin at operand `at`, sizes
# after these. The other arguments are bytes of an element of input and output, of the cell state,
# of a weight and of a bias. Return elements of input and state, and how many elements of the state
# are computed together.
def _lstm(r, at, size, cell, weight, bias):
    (depth,) = r.numbers(at + _TO_INPUT_SIZE, 1, 0)
    state, _, batches, block = r.numbers(at + _TO_STATE_SIZE, 4)
    r.need(block <= state)
    r.reads(_INPUT, divided(r.units, state) * depth * size, align=size)
    r.writes(_HIDDEN_STATE, batches * state * size, align=size)
    r.writes(_CELL_STATE, batches * state * cell, align=cell)
    r.writes(_LSTM_OUTPUT, r.units * size, align=size)
    for gate in range(at, at + 4):
        r.reads(gate, state * depth * weight, align=weight)
        r.reads(gate + _TO_RECURRENT_TO_INPUT_WEIGHTS, state * state * weight, align=weight)
        r.reads(gate + _TO_INPUT_GATE_BIAS, state * bias, align=4)
    return depth, state, block


def _lstm_integers(r):
    wide = r[_WIDE]
    r.need(wide <= 1 and r.words >= 81)
    depth, state, block = _lstm(r, _INTEGERS_INPUT_TO_INPUT_WEIGHTS, 1 + wide, 2, 1, 4 + 4 * wide)
    r.writes(
        _LSTM_INTEGERS_SCRATCH,
        block * (12 + 4 * wide) + 4 * min(_TAPS, max(depth, state)),
        align=4,
    )
    for offsets in range(_INPUT_GATE_OFFSETS, _FORGET_MULTIPLIER, 3):
        r.need(r[offsets] >> 24 == wide)  # kernels/matrix.py: size of vectors and sums
        if not wide:
            r.is_offsets(offsets)
    for at in (_SIGMOID_MULTIPLIER, _TANH_MULTIPLIER, _CELL_MULTIPLIER):
        curve(r, at, _ENTRIES)


def _lstm_float32(r):
    r.need(r.words >= 29)
    _, _, block = _lstm(r, _FLOAT32_INPUT_TO_INPUT_WEIGHTS, 4, 4, 4, 4)
    r.writes(_LSTM_FLOAT32_SCRATCH, 20 * block, align=4)


# Units are steps of a batch. The kernel divides by no scale of 0 if no other operand overlaps the
# scratch buffer.
def _lstm_hybrid(r):
    depth, state, _, batches = r.numbers(_HYBRID_INPUT_SIZE, 4)
    r.need(r.words >= 28)
    r.reads(_INPUT, 4 * r.units * depth, align=4)
    for i in (_HIDDEN_STATE, _CELL_STATE):
        r.writes(i, 4 * batches * state, align=4)
    r.writes(_LSTM_OUTPUT, 4 * r.units * state, align=4)
    r.writes(_LSTM_HYBRID_SCRATCH, 4 * (8 + 5 * state), align=4)
    r.writes(_QUANTIZED, depth + state)
    r.reads(_CONSTANTS, 40, align=4)
    at = _HYBRID_INPUT_TO_INPUT_WEIGHTS
    for gate in range(at, at + 4):
        r.reads(gate, state * depth)
        r.reads(gate + _TO_RECURRENT_TO_INPUT_WEIGHTS, state * state)
        r.reads(gate + _TO_INPUT_GATE_BIAS, 4 * state, align=4)


# Units are steps.
def _gru_float32(r):
    r.need(r.words >= 14)
    depth, state = r.numbers(_GRU_INPUT_SIZE, 2)
    r.reads(_INPUT, 4 * r.units * depth, align=4)
    r.reads(_INITIAL, 4 * state, align=4)
    r.writes(_GRU_OUTPUT, 4 * state, align=4)
    r.writes(_GRU_SCRATCH, 24 * state, align=4)
    r.reads(_WEIGHTS, 12 * state * depth, align=4)
    r.reads(_RECURRENT_WEIGHTS, 12 * state * state, align=4)
    for i in (_GRU_BIAS, _RECURRENT_BIAS):
        if r.has(i):
            r.reads(i, 12 * state, align=4)


CHECKS = {
    "gru_float.eval_float32": _gru_float32,
    "svdf.eval_int8": _svdf_int8,
    "svdf_float.eval_float32": _svdf_float32,
    "unidirectional_sequence_lstm.eval_integers": _lstm_integers,
    "unidirectional_sequence_lstm_float.eval_float32": _lstm_float32,
    "unidirectional_sequence_lstm_hybrid.eval_float32": _lstm_hybrid,
}
