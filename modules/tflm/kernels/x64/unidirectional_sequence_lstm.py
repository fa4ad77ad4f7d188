# tflm: x86-64: UNIDIRECTIONAL_SEQUENCE_LSTM, int8: rewrites its record for a model
# MIT license; Copyright (c) 2026 the tflm authors

from ..sigmoid_int16 import curve
from .bound import address_of, constant_address, fill_starts, max_weight, new_record, words_of
from .pairs_multiply import HALF, MAX_WEIGHT, pack_rows
from .unidirectional_sequence_lstm_run import run_integers

_INPUT = 1
_ENTRIES = 6
_INPUT_TO_INPUT_WEIGHTS = 7  # then the weights of the forget, cell and output gates
_RECURRENT_TO_INPUT_WEIGHTS = 11
_INPUT_GATE_BIAS = 15
_INPUT_SIZE = 19
_STATE_SIZE = 20
_STEPS = 21
_BATCHES = 22
_WIDE = 24
_CLIP = 25
_INPUT_GATE_OFFSETS = 26  # of 4 gates: offsets, multiplier, shift for input and recurrent
_FORGET_MULTIPLIER = 50  # FIXED_POINT blocks
_OUTPUT_ZERO_POINT = 56
_SIGMOID_MULTIPLIER = 59  # CURVE blocks
_TANH_MULTIPLIER = 66
_CELL_MULTIPLIER = 73
_ACTIVATION = 80

_SYMMETRIC = 0x80  # in the upper half of offsets: weights without a zero point
_VALUES = 1 << 16  # of int16


# Return (function, record) that replace unidirectional_sequence_lstm.eval_integers for this
# record, or None if it is not supported or the new record takes more than `max_bytes`.
def bind_integers(function, record, rom, max_bytes):
    words = words_of(record)
    # For the input and for the hidden state: offsets and multipliers of the gates.
    blocks = []
    for first in (_INPUT_GATE_OFFSETS, _INPUT_GATE_OFFSETS + 3):
        blocks.append([words[first + 6 * gate : first + 6 * gate + 3] for gate in range(4)])
    offsets = [{block[0] for block in side} for side in blocks]
    if words[_WIDE] or not words[_ACTIVATION] or not words[_ENTRIES] & 1:
        return None
    if any([len(each) > 1 or min(each) >> 16 != _SYMMETRIC for each in offsets]):
        return None
    multipliers = []
    for pair in zip(*blocks):
        for block in pair:
            multipliers += block[1:]
    products = words[_FORGET_MULTIPLIER:_OUTPUT_ZERO_POINT]
    if max(multipliers[1::2]) > 32 or max(products[1::2]) > 31:  # above 1, or 1/2
        return None
    multipliers += products
    size = words[_STATE_SIZE]
    rows = 4 * size + 15 & (0 - 16)
    fields = words[:_ENTRIES] + words[_INPUT_SIZE : _BATCHES + 1] + [words[_CLIP]]
    fields += words[_OUTPUT_ZERO_POINT:_SIGMOID_MULTIPLIER] + multipliers
    depths = words[_INPUT_SIZE], size
    sizes = [8 * max(depths), 8 * size]  # taps that are not 0; gates of int16
    for depth in depths:
        sizes += [4 * rows, 4 * rows, 2 * depth * rows]  # sums, their initial values, weights
    curves = _SIGMOID_MULTIPLIER, _TANH_MULTIPLIER, _CELL_MULTIPLIER
    bound, begins = new_record(fields, sizes + [2 * _VALUES] * len(curves), max_bytes)
    if bound is None:
        return None
    for i, first in enumerate((_INPUT_TO_INPUT_WEIGHTS, _RECURRENT_TO_INPUT_WEIGHTS)):
        at = [address_of(bound) + begin for begin in begins[3 + 3 * i : 5 + 3 * i]]
        bias = words[_INPUT_GATE_BIAS : _INPUT_GATE_BIAS + 4]
        weights = _joined(words[first : first + 4], size * depths[i], rom)
        biases = _joined([1] * 4 if i else bias, 4 * size, rom)
        if weights is None or biases is None:
            return None
        start = address_of(weights)
        if max_weight(start, 4 * size, depths[i], depths[i], 1) > MAX_WEIGHT:
            return None
        zero_point = offsets[i].pop() & 0xFFFF
        fill_starts(at[0], start, 4 * size, depths[i], address_of(biases), zero_point, HALF)
        pack_rows(at[1], start, 4 * size, depths[i])
    for block, begin in zip(curves, begins[8:]):
        _fill(bound, begin)
        curve(record, bound, rom, block, words[_ENTRIES], begin << 2, begin, _VALUES)
    return run_integers, bound


# Return the tensors of four gates in one buffer, with zeros for missing tensors, or None if one is
# not a constant of the model.
def _joined(operands, size, rom):
    tensors = []
    for operand in operands:
        if operand != 1 and constant_address(operand, rom) is None:
            return None
        at = operand >> 2
        tensors.append(bytes(size) if operand == 1 else bytes(memoryview(rom)[at : at + size]))
    return b"".join(tensors)


# Write all int16 in the order of their bits.
@micropython.viper
def _fill(record, begin: int):
    p = ptr16(int(ptr8(record)) + begin)
    v = 0
    while v < 0x10000:
        p[v] = v
        v += 1
