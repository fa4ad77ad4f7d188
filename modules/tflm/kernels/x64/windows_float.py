# tflm: x86-64: weights of float32 for the machine code of CONV_2D and FULLY_CONNECTED
# MIT license; Copyright (c) 2026 the tflm authors

from . import LEVEL
from .bound import constant_address
from .machine import are_finite, fill_words, pack_words
from .windows import windows_record, windows_step
from .windows_float_asm import windows_avx, windows_sse


# A step for windows; None where weights are not constant. `operands` are the words of input,
# weights, bias and output. Padding is multiplied, too, which TFLM does not do: that makes no
# difference unless weights are infinite or NaN.
def make_step(w, operands, limits, rom, room):
    source, weights, bias, output = operands
    values = constant_address(weights, rom)
    biases = constant_address(bias, rom)
    if values is None or (bias != 1 and biases is None):
        return None
    taps = w.filter_height * w.cells * w.length
    if w.has_padding() and not are_finite(values, w.channels * taps):
        return None
    lanes = 8 if LEVEL else 4
    made = windows_record(w, (source, output), lanes, False, 4, 4, room)
    if made is None:
        return None
    record, places, blocks = made
    for i in (0, 1):
        fill_words(places["limits"] + 4 * lanes * i, limits[i], lanes)
    for first, count, vectors, packed, constants in blocks:
        pack_words(packed, values + 4 * taps * first, taps, vectors * lanes, count, 4 * taps)
        if biases:
            pack_words(constants, biases + 4 * first, count, 1, 1, 0)
    return windows_step(windows_avx if LEVEL else windows_sse, record, w)
