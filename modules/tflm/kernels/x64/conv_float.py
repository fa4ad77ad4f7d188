# tflm: x86-64: CONV_2D, float32: machine code with records of its own
# MIT license; Copyright (c) 2026 the tflm authors

from .bound import words_of
from .windows import Windows, images_of
from .windows_float import make_step

_INPUT = 1
_OUTPUT = 4
_WINDOWS = 5  # the first word of the windows
_FILTER_CHANNELS = 19
_GROUP_CHANNELS = 20
_ACTIVATION_MIN = 21


# A step for the machine code that does what conv_float.eval_float32 does with this record; None
# where there cannot be one, or if it needs more than `max_bytes` bytes.
def bind_float32(function, record, rom, max_bytes):
    words = words_of(record)
    windows = words[_WINDOWS : _WINDOWS + 14]
    images = images_of(words[0], windows[3] * windows[4] * windows[5])
    if not images:
        return None
    group = words[_FILTER_CHANNELS], words[_GROUP_CHANNELS]
    w = Windows(windows, images, group, (4, 4, 4), 1)
    limits = words[_ACTIVATION_MIN : _ACTIVATION_MIN + 2]
    return make_step(w, words[_INPUT : _OUTPUT + 1], limits, rom, max_bytes)
