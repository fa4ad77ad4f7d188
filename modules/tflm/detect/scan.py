# tflm.detect: Scan: finds the elements of an output whose scores reach the threshold.
# MIT license; Copyright (c) 2026 the tflm authors

import math
from array import array

import micropython

from ..micropython_port import struct
from .fixed_point import check_type

# Positions in the settings of _next().
_BEST = 10


# Return the next candidate from `i` on, -1 if none is left; store its best class in settings[10].
#
# Scores are compared without dequantization. Their order is the order of these integers: the
# byte, with the sign bit of int8 inverted; or the bits of a float32 without the last one, which
# are inverted for negative numbers. NaN and infinity have the lowest order, 0.
@micropython.viper
def _next(data: ptr8, settings: ptr32, i: int) -> int:
    wide = ptr32(data)
    is_float = settings[0]
    flip = settings[1]
    step = settings[3]
    objectness = settings[4]
    base = settings[5]
    class_step = settings[7]
    positive = 0x20000000
    positive += positive
    while i < settings[2]:
        best = 0 - 1
        k = 0 if objectness < 0x7FFF else 1
        while k <= settings[6]:
            at = i * step + objectness
            if k:
                at = i * step + base + (k - 1) * class_step
            if is_float:
                size = (wide[at] >> 1) & 0x3FFFFFFF
                if size >= 0x3FC00000:
                    score = 0
                elif (wide[at] >> 31) & 1:
                    score = 0x3FFFFFFF - size
                else:
                    score = positive + size
            else:
                score = data[at] ^ flip
            if k == 0:
                if score < settings[8]:
                    k = settings[6]
            elif score > best:
                best = score
                settings[10] = k - 1
            k += 1
        if best >= settings[9]:
            return i
        i += 1
    return 0 - 1


class Scan:
    """The candidates of an output: its anchors with a class whose score reaches the threshold.

    tensor: int8, uint8 or float32. count: number of anchors. step: elements from one anchor to
    the next. base: element of the first class of anchor 0. classes: their number. class_step:
    elements from one class to the next. threshold: the least score, a real value of the output.
    objectness: element of the objectness of anchor 0, which must reach the threshold, too.
    all_classes: only the objectness must reach the threshold.
    """

    def __init__(self, tensor, count, step, base, classes, class_step, threshold,
                 objectness=None, all_classes=False):  # fmt: skip
        tensor = check_type(tensor)
        self._raw = tensor.raw
        is_float = tensor.dtype == "float32"
        limit = _order(threshold) if is_float else _quantized(threshold, tensor)
        settings = [int(is_float), 128 if tensor.dtype == "int8" else 0, count, step]
        settings += [0x7FFF if objectness is None else objectness, base, classes, class_step]
        settings += [limit, 0 if all_classes else limit, 0]
        self._settings = array("i", settings)

    def next(self, index):
        """Return the next candidate's anchor from `index` on; -1 if none is left."""
        return _next(self._raw, self._settings, index)

    def best(self):
        """Return the best class of the candidate that next() found."""
        return self._settings[_BEST]


# Return the integer of a float32 for the order of scores.
def _order(value):
    bits = struct.unpack("<I", struct.pack("<f", value))[0]
    size = (bits >> 1) & 0x3FFFFFFF
    return 0x3FFFFFFF - size if bits >> 31 else 0x40000000 + size


# Return the least byte (int8 with its sign inverted) whose real value reaches the threshold; 256
# if there is none. Boards compute with float32, so the quotient may be slightly too large.
def _quantized(threshold, tensor):
    limit = math.ceil(threshold / tensor.scale - 0.001) + tensor.zero_point
    return min(max(limit + (128 if tensor.dtype == "int8" else 0), 0), 256)
