# tflm: Share CONV_2D between two cores by its channels: each core fetches half of the weights.
# MIT license; Copyright (c) 2026 the tflm authors

from ..dtypes import const
from ..micropython_port import struct

# Words of the record of a kernel in lanes or for MAC16.
_STREAM = const(2)
_OUTPUT = const(3)
_OUTPUT_WIDTH = const(8)
_OUTPUT_CHANNELS = const(9)
_COLUMN_LANES = const(17)
_WINDOW_COLUMNS = const(19)
_WEIGHT_BYTES = const(23)
_HEAD_BYTES = const(64)  # of a group, beside its weights


# Return what each core changes in its record so that core 1 computes the first half of the
# channels and core 0 the rest: ([(word, value)] of core 1, [(word, value)] of core 0, loops that
# core 0 waits before it starts). Each core then unpacks all inputs but fetches only half of the
# weights, for which a Pico waits. Return None if sharing the pixels is less work.
def channel_halves(step):
    r = struct.unpack_from("<28I", step.record)
    channels = r[_OUTPUT_CHANNELS]
    pixels = step.units if "_pixels_" in step.kernel else step.units * r[_OUTPUT_WIDTH]
    if channels < 8 or pixels >= 4 * r[_WEIGHT_BYTES] * channels:
        return None
    groups = channels >> 3
    group_bytes = _HEAD_BYTES + 4 * r[_WEIGHT_BYTES] * r[_COLUMN_LANES] * r[_WINDOW_COLUMNS]
    rest = [
        (_STREAM, r[_STREAM] + 4 * groups * group_bytes),
        (_OUTPUT, r[_OUTPUT] + 16 * groups),
        (_OUTPUT_CHANNELS, channels - 4 * groups),
    ]
    # A group of one-byte weights is fetched whole before it is multiplied: four loops a word.
    return [(_OUTPUT_CHANNELS, 4 * groups)], rest, group_bytes if r[_WEIGHT_BYTES] == 1 else 1
