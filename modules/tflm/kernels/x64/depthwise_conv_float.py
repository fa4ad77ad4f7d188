# tflm: x86-64: DEPTHWISE_CONV_2D, float32: machine code
# MIT license; Copyright (c) 2026 the tflm authors

from . import LEVEL
from .bound import words_of
from .gen import depthwise_conv_float
from .gen.depthwise_float_asm import depthwise_avx, depthwise_sse
from .windows import Windows, images_of
from .windows_float import make_step

if LEVEL == 2:
    eval_float32 = depthwise_conv_float.eval_float32

_INPUT = 1
_OUTPUT = 4
_WINDOWS = 5  # the first word of the windows
_ACTIVATION_MIN = 24
_SLICE = 1 << 22  # multiply-accumulates between two checks for Ctrl-C


# A step for the machine code that does what depthwise_conv_float.eval_float32 does with this
# record; None where there is no such code. With one input channel it is a CONV_2D.
def bind_float32(function, record, rom, max_bytes):
    words = words_of(record)
    windows = words[_WINDOWS : _WINDOWS + 14]
    _, _, depth, rows, columns, channels, height, width = windows[:8]
    images = images_of(words[0], rows * columns)
    if not images:
        return None
    if depth == 1 and channels > 1:
        w = Windows(windows, images, (1, channels), (4, 4, 4), 1)
        limits = words[_ACTIVATION_MIN : _ACTIVATION_MIN + 2]
        return make_step(w, words[_INPUT : _OUTPUT + 1], limits, rom, max_bytes, True)
    if depth != channels:
        return None
    pixels = max(1, _SLICE // (height * width * channels))
    return depthwise_avx if LEVEL else depthwise_sse, record, words[0], pixels
