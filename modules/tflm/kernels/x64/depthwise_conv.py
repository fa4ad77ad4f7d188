# tflm: x86-64: DEPTHWISE_CONV_2D, int8: machine code with records of its own
# MIT license; Copyright (c) 2026 the tflm authors

from .bound import words_of
from .gen import depthwise_integer_asm, windows_integer_asm
from .windows import DepthwiseWindows, Windows, images_of
from .windows_integer import INT8, make_step, requantization

_INPUT = 1
_OUTPUT = 4
_WINDOWS = 6  # the first word of the windows
_INPUT_OFFSET = 20
_OUTPUT_ZERO_POINT = 21  # the REQUANTIZE block


# Return a step for the machine code that replaces depthwise_conv.eval_int8 for this record, or
# None if there cannot be one or it needs more than `max_bytes`. With one input channel it is a
# CONV_2D.
def bind_int8(function, record, rom, max_bytes):
    words = words_of(record)
    windows = words[_WINDOWS : _WINDOWS + 14]
    depth, rows, channels = windows[2], windows[3], windows[5]
    images = images_of(words[0], rows)
    if not images or depth not in (1, channels):
        return None
    if depth == 1:
        w = Windows(windows, images, (1, channels), INT8, 2)
        code = windows_integer_asm
    else:
        w = DepthwiseWindows(windows, images, INT8, 2)
        code = depthwise_integer_asm
    return make_step(
        w,
        words[_INPUT : _OUTPUT + 1],
        (words[_INPUT_OFFSET] - 128, 0),
        requantization(record, words, _OUTPUT_ZERO_POINT, INT8),
        4,
        rom,
        max_bytes,
        (code.int8_sse, code.int8_avx2),
        True,
    )
