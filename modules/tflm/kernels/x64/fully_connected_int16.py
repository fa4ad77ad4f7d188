# tflm: x86-64: FULLY_CONNECTED, int16 with weights of int8: machine code with records of its own
# MIT license; Copyright (c) 2026 the tflm authors

from .bound import words_of
from .gen.windows_integer_asm import int16_avx2, int16_sse
from .windows import Windows, matrix
from .windows_integer import INT16, make_step, requantization

_INPUT = 1
_OUTPUT = 4
_DEPTH = 6
_BIAS_KIND = 9
_OFFSETS = 10
_OUTPUT_ZERO_POINT = 11  # the REQUANTIZE_INT16 block

_NO_ZERO_POINT = 0x8000  # in the lower half of offsets: an input without a zero point
_BIAS_SIZES = (4, 8)  # by bias kind


# Return a step for the machine code that replaces fully_connected_int16.eval_int16 for this
# record, or None if there cannot be one or it needs more than `max_bytes`.
def bind_int16(function, record, rom, max_bytes):
    words = words_of(record)
    depth, batches, channels, kind, offsets = words[_DEPTH : _OFFSETS + 1]
    if not words[0] or not depth or kind > 1 or offsets & 0xFFFF != _NO_ZERO_POINT:
        return None
    return make_step(
        Windows(matrix(batches, depth, channels), 1, (depth, channels), INT16, 2),
        words[_INPUT : _OUTPUT + 1],
        (0, (offsets >> 16 & 0xFF) - 0x80),
        requantization(record, words, _OUTPUT_ZERO_POINT, INT16),
        _BIAS_SIZES[kind],
        rom,
        max_bytes,
        (int16_sse, int16_avx2),
    )
