# tflm: x86-64: CONV_2D, int8: machine code with records of its own
# MIT license; Copyright (c) 2026 the tflm authors

from .bound import words_of
from .gen.windows_integer_asm import int8_avx2, int8_sse
from .windows import Windows, images_of
from .windows_integer import INT8, make_step, requantization

_INPUT = 1
_OUTPUT = 4
_WINDOWS = 7  # the first word of the windows
_FILTER_CHANNELS = 21
_INPUT_OFFSET = 22
_OUTPUT_ZERO_POINT = 23  # the REQUANTIZE block


# Return a step for the machine code that replaces conv.eval_int8 for this record, or None if there
# cannot be one or it needs more than `max_bytes`.
def bind_int8(function, record, rom, max_bytes):
    words = words_of(record)
    windows = words[_WINDOWS : _WINDOWS + 14]
    depth, rows, channels = windows[2], windows[3], windows[5]
    length = words[_FILTER_CHANNELS]
    images = images_of(words[0], rows)
    if not images:
        return None
    w = Windows(windows, images, (length, channels * length // depth), INT8, 2)
    return make_step(
        w,
        words[_INPUT : _OUTPUT + 1],
        (words[_INPUT_OFFSET] - 128, 0),
        requantization(record, words, _OUTPUT_ZERO_POINT, INT8),
        4,
        rom,
        max_bytes,
        (int8_sse, int8_avx2),
    )
