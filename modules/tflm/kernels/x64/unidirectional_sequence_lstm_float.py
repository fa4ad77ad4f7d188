# tflm: x86-64: UNIDIRECTIONAL_SEQUENCE_LSTM, float32: machine code with records of its own
# MIT license; Copyright (c) 2026 the tflm authors

from . import LEVEL
from .bound import address_of, constant_address, words_of
from .gen.lstm_float_asm import lstm_avx2, lstm_sse
from .machine import fill_words, new_record, pack_words, put_words
from .records import LSTM, LSTM_BLOCK

_INPUT = 1
_HIDDEN_STATE = 2
_CELL_STATE = 3
_OUTPUT = 4
_INPUT_TO_INPUT_WEIGHTS = 6  # then the weights of the forget, cell and output gates
_RECURRENT_TO_INPUT_WEIGHTS = 10
_INPUT_GATE_BIAS = 14
_INPUT_SIZE = 18
_STATE_SIZE = 19
_STEPS = 20
_BATCHES = 21
_ACTIVATION = 23
_CLIP = 24
_LOWEST = 25  # and `highest` after it
_CLIP_LOW = 27  # and `clip_high` after it

_GATES = 4
_AVX2 = 2
_MOST_VECTORS = 4  # of a block
_SLICE = 1 << 22  # multiply-accumulates between two checks for Ctrl-C


# Return a step for the machine code that replaces eval_float32 for this record, or None if weights
# are not constant or it needs more than `max_bytes`.
def bind_float32(function, record, rom, max_bytes):
    words = words_of(record)
    size, state = words[_INPUT_SIZE], words[_STATE_SIZE]
    operands = words[_INPUT_TO_INPUT_WEIGHTS : _INPUT_GATE_BIAS + _GATES]
    constants = [constant_address(operand, rom) for operand in operands]
    if not words[0] or not size or None in constants:
        return None
    lanes = 8 if LEVEL == _AVX2 else 4
    rows = (state + lanes - 1) // lanes * lanes
    blocks = []  # (gate, first row, vectors)
    for gate in range(_GATES):
        first = 0
        while first < rows:
            vectors = min(_MOST_VECTORS, (rows - first) // lanes)
            vectors = 2 if vectors == 3 else vectors
            blocks.append((gate, first, vectors))
            first += vectors * lanes
    sizes = [4 * _GATES * rows, 4 * rows, 4 * 4 * lanes, 8 * len(LSTM_BLOCK) * len(blocks)]
    for _, _, vectors in blocks:
        sizes += [4 * lanes * vectors * depth for depth in (size, state, 1)]
    step_record, addresses = new_record(len(LSTM), sizes, max_bytes)
    if step_record is None:
        return None
    values = {
        "input": words[_INPUT],
        "hidden": words[_HIDDEN_STATE] >> 2,
        "cell": words[_CELL_STATE] >> 2,
        "output": words[_OUTPUT] >> 2,
        "input_size": size,
        "state_size": state,
        "state_bytes": 4 * state,
        "steps": words[_STEPS],
        "batches": words[_BATCHES],
        "activation": words[_ACTIVATION],
        "clip": words[_CLIP],
        "gate_bytes": 4 * rows,
        "gates": addresses[0],
        "cell_copy": addresses[1],
        "limits": addresses[2],
        "blocks": len(blocks),
        "block_list": addresses[3],
    }
    put_words(address_of(step_record), [values[name] for name in LSTM])
    for i, word in enumerate((_LOWEST, _LOWEST + 1, _CLIP_LOW, _CLIP_LOW + 1)):
        fill_words(addresses[2] + 4 * lanes * i, words[word], lanes)
    listed = []
    for i, (gate, first, vectors) in enumerate(blocks):
        packed = addresses[4 + 3 * i : 7 + 3 * i]
        listed += [vectors] + packed + [addresses[0] + 4 * (gate * rows + first)]
        count = min(vectors * lanes, state - first)
        for to, operand, depth in zip(packed, constants[gate::_GATES], (size, state, 1)):
            source = operand + 4 * first * depth
            pack_words(to, source, depth, vectors * lanes, count, 4 * depth, 4)
    put_words(addresses[3], listed)
    run = lstm_avx2 if LEVEL == _AVX2 else lstm_sse
    work = _GATES * state * (size + state + 8)
    return run, step_record, words[0] // state, max(1, _SLICE // work)
