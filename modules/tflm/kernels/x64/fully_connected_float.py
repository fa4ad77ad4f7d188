# tflm: x86-64: FULLY_CONNECTED, float32: machine code with records of its own
# MIT license; Copyright (c) 2026 the tflm authors

from .bound import words_of
from .windows import Windows, images_of, matrix
from .windows_float import make_step

_INPUT = 1
_OUTPUT = 4
_DEPTH = 5
_CHANNELS = 6
_ACTIVATION_MIN = 7


# A step for the machine code that does what fully_connected_float.eval_float32 does with this
# record; None where there cannot be one, or if it needs more than `max_bytes` bytes.
def bind_float32(function, record, rom, max_bytes):
    words = words_of(record)
    depth, channels = words[_DEPTH : _DEPTH + 2]
    batches = images_of(words[0], channels)
    if not batches or not depth:
        return None
    w = Windows(matrix(batches, depth, channels), 1, (depth, channels), (4, 4, 4), 1)
    limits = words[_ACTIVATION_MIN : _ACTIVATION_MIN + 2]
    return make_step(w, words[_INPUT : _OUTPUT + 1], limits, rom, max_bytes)
