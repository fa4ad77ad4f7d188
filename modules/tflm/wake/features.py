# tflm.wake: Pass features from the front end to the models, in viper.
# MIT license; Copyright (c) 2026 the tflm authors

import micropython

from ..micropython_port import struct

CHANNELS = 40

# A feature of the front end is 64 * ln(energy). microWakeWord's models are trained with 5 / 128
# (0.0390625) of it.
_FACTOR = 5
_SHIFT = 7
_MAX_FEATURE = 1420  # above 64 * ln(2 ** 32)


def table(scale, zero_point, limits):
    """Return a model's input bytes for features 0, 1, ...

    A byte is round(feature * 5 / 128 / scale) + zero_point, halves to even, as microWakeWord's
    tools quantize. scale: float32. limits: least and greatest value of the type. The table ends
    at the greatest value: larger features use the last byte.
    """
    bits = struct.unpack("<I", struct.pack("<f", scale))[0]
    divisor = bits & 0x7FFFFF | 0x800000
    shift = 150 - (bits >> 23) - _SHIFT  # scale = divisor / 2 ** 150 * 2 ** exponent
    factor = _FACTOR << shift if shift > 0 else _FACTOR
    if shift < 0:
        divisor <<= 0 - shift
    found = bytearray()
    for feature in range(_MAX_FEATURE):
        doubled = 2 * feature * factor + divisor
        value = doubled // (2 * divisor)
        if doubled % (2 * divisor) == 0 and (value + zero_point) & 1:
            value -= 1
        value = min(max(value + zero_point, limits[0]), limits[1])
        found.append(value & 0xFF)
        if value == limits[1]:
            break
    return found


# Look up 40 features (int16, 0 or more) in a table whose last index is `last`; store the bytes at
# target[at].
@micropython.viper
def look_up(table: ptr8, last: int, features: ptr16, target: ptr8, at: int):
    i = 0
    while i < 40:
        feature = features[i]
        if feature > last:
            feature = last
        target[at + i] = table[feature]
        i += 1


# Copy bytes to target[at]; the source may be at any address.
@micropython.viper
def copy_bytes(target: ptr8, at: int, source: ptr8, count: int):
    i = 0
    while i < count:
        target[at + i] = source[i]
        i += 1


# Copy words of source[begin] to target[at]; both buffers are at multiples of 4, as on the heap.
@micropython.viper
def copy_words(target: ptr32, at: int, source: ptr32, begin: int, count: int):
    i = 0
    while i < count:
        target[at + i] = source[begin + i]
        i += 1
