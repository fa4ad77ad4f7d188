# tflm: x86-64: DEPTHWISE_CONV_2D, float32: machine code
# MIT license; Copyright (c) 2026 the tflm authors

from . import LEVEL
from .bound import words_of
from .gen import depthwise_conv_float
from .gen.depthwise_float_asm import depthwise_avx, depthwise_sse
from .windows import DepthwiseWindows, Windows, images_of
from .windows_float import FUNCTIONS, make_step

if LEVEL == 2:
    eval_float32 = depthwise_conv_float.eval_float32

_INPUT = 1
_OUTPUT = 4
_WINDOWS = 5  # the first word of the windows
_ACTIVATION_MIN = 24
_FLOAT32 = (4, 4, 4)  # bytes of an element


# A step for the machine code that does what depthwise_conv_float.eval_float32 does with this
# record; None where there is no such code, or if it needs more than `max_bytes` bytes. With one
# input channel it is a CONV_2D.
def bind_float32(function, record, rom, max_bytes):
    words = words_of(record)
    windows = words[_WINDOWS : _WINDOWS + 14]
    _, _, depth, rows, columns, channels = windows[:6]
    images = images_of(words[0], rows * columns)
    if not images or depth not in (1, channels):
        return None
    if depth == channels:
        w = DepthwiseWindows(windows, images, _FLOAT32, 1)
        functions = depthwise_sse, depthwise_avx
    else:
        w = Windows(windows, images, (1, channels), _FLOAT32, 1)
        functions = FUNCTIONS
    limits = words[_ACTIVATION_MIN : _ACTIVATION_MIN + 2]
    return make_step(w, words[_INPUT : _OUTPUT + 1], limits, rom, max_bytes, functions, True)
