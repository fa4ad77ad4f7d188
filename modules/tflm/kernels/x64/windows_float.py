# tflm: x86-64: weights of float32 for the machine code of CONV_2D and FULLY_CONNECTED
# MIT license; Copyright (c) 2026 the tflm authors

from . import LEVEL
from .bound import constant_address
from .gen.windows_float_asm import windows_avx, windows_sse
from .machine import are_finite, fill_words, pack_words
from .windows import DepthwiseWindows, windows_record, windows_step

FUNCTIONS = windows_sse, windows_avx
_VECTORS = 2  # of channels that the code for DEPTHWISE_CONV_2D computes at once


# Return a step for the machine code, or None if weights are not constant or the step needs more
# than `max_bytes`.
#
# w: the windows. operands: the words of input, weights, bias and output. limits: the bits of the
# lowest and the highest output. functions: for SSE2 and for AVX. by_taps: the weights of a tap are
# contiguous, not the weights of a channel. Padding is multiplied, which TFLM does not do: results
# differ only if weights are infinite or NaN.
def make_step(w, operands, limits, rom, max_bytes, functions=FUNCTIONS, by_taps=False):
    source, weights, bias, output = operands
    values = constant_address(weights, rom)
    biases = constant_address(bias, rom)
    if values is None or (bias != 1 and biases is None):
        return None
    taps = w.filter_height * w.cells * w.length
    if w.has_padding() and not are_finite(values, w.channels * taps):
        return None
    lanes = 8 if LEVEL else 4
    # The code reads whole vectors: after the last channels there is memory in copied rows only.
    copies = isinstance(w, DepthwiseWindows) and w.channels % (_VECTORS * lanes)
    step_record = windows_record(w, (source, output), lanes, copies, 4, 4, max_bytes)
    if step_record is None:
        return None
    record, addresses, blocks = step_record
    for i in (0, 1):
        fill_words(addresses["limits"] + 4 * lanes * i, limits[i], lanes)
    pitch, step = (4, 4 * w.channels) if by_taps else (4 * taps, 4)
    for first, count, vectors, packed, constants in blocks:
        pack_words(packed, values + pitch * first, taps, vectors * lanes, count, pitch, step)
        if biases:
            pack_words(constants, biases + 4 * first, count, 1, 1, 0, 4)
    return windows_step(functions[LEVEL > 0], record, w)
