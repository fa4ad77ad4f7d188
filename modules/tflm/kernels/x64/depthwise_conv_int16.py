# tflm: x86-64: DEPTHWISE_CONV_2D, int16 with weights of int8: machine code with own records
# MIT license; Copyright (c) 2026 the tflm authors

from .bound import words_of
from .gen import depthwise_integer_asm, windows_integer_asm
from .windows import DepthwiseWindows, Windows, images_of
from .windows_integer import INT16, make_step, requantization

_INPUT = 1
_OUTPUT = 4
_WINDOWS = 6  # the first word of the windows
_OUTPUT_ZERO_POINT = 20  # the REQUANTIZE_INT16 block


# Return a step for the machine code that replaces depthwise_conv_int16.eval_int16 for this record,
# or None if there cannot be one or it needs more than `max_bytes`. With one input channel it is a
# CONV_2D.
def bind_int16(function, record, rom, max_bytes):
    words = words_of(record)
    windows = words[_WINDOWS : _WINDOWS + 14]
    _, _, depth, rows, columns, channels = windows[:6]
    images = images_of(words[0], rows * columns)
    if not images or depth not in (1, channels):
        return None
    if depth == 1:
        w = Windows(windows, images, (1, channels), INT16, 2)
        code = windows_integer_asm
    else:
        w = DepthwiseWindows(windows, images, INT16, 2)
        code = depthwise_integer_asm
    return make_step(
        w,
        words[_INPUT : _OUTPUT + 1],
        (0, 0),
        requantization(record, words, _OUTPUT_ZERO_POINT, INT16),
        8,
        rom,
        max_bytes,
        (code.int16_sse, code.int16_avx2),
        True,
    )
