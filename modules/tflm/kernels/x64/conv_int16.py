# tflm: x86-64: CONV_2D, int16 with weights of int8: machine code with records of its own
# MIT license; Copyright (c) 2026 the tflm authors

from .bound import words_of
from .gen.windows_integer_asm import int16_avx2, int16_sse
from .windows import Windows, images_of
from .windows_integer import INT16, make_step, requantization

_INPUT = 1
_OUTPUT = 4
_WINDOWS = 6  # the first word of the windows
_FILTER_CHANNELS = 20
_GROUP_CHANNELS = 21
_BIAS_KIND = 22
_OUTPUT_ZERO_POINT = 24  # the REQUANTIZE_INT16 block


# Return a step for the machine code that replaces conv_int16.eval_int16 for this record, or None
# if there cannot be one or it needs more than `max_bytes`.
def bind_int16(function, record, rom, max_bytes):
    words = words_of(record)
    windows = words[_WINDOWS : _WINDOWS + 14]
    images = images_of(words[0], windows[3] * windows[4])
    if not images:
        return None
    w = Windows(windows, images, (words[_FILTER_CHANNELS], words[_GROUP_CHANNELS]), INT16, 2)
    return make_step(
        w,
        words[_INPUT : _OUTPUT + 1],
        (0, 0),
        requantization(record, words, _OUTPUT_ZERO_POINT, INT16),
        8 if words[_BIAS_KIND] else 4,
        rom,
        max_bytes,
        (int16_sse, int16_avx2),
    )
