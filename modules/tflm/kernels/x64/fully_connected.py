# tflm: x86-64: FULLY_CONNECTED, int8: machine code with records of its own
# MIT license; Copyright (c) 2026 the tflm authors

from .bound import words_of
from .gen.windows_integer_asm import int8_avx2, int8_sse
from .windows import Windows, matrix
from .windows_integer import INT8, make_step, requantization

_INPUT = 1
_OUTPUT = 4
_DEPTH = 7
_INPUT_OFFSET = 10
_WEIGHTS_OFFSET = 11
_OUTPUT_ZERO_POINT = 12  # the REQUANTIZE block


# Return a step for the machine code that replaces fully_connected.eval_int8 for this record, or
# None if there cannot be one or it needs more than `max_bytes`.
def bind_int8(function, record, rom, max_bytes):
    words = words_of(record)
    depth, batches, channels = words[_DEPTH : _DEPTH + 3]
    if not words[0] or not depth:
        return None
    return make_step(
        Windows(matrix(batches, depth, channels), 1, (depth, channels), INT8, 2),
        words[_INPUT : _OUTPUT + 1],
        (words[_INPUT_OFFSET] - 128, words[_WEIGHTS_OFFSET] - 128),
        requantization(record, words, _OUTPUT_ZERO_POINT, INT8),
        4,
        rom,
        max_bytes,
        (int8_sse, int8_avx2),
    )
