# tflm: x86-64: FULLY_CONNECTED, int8: its record is rewritten when a model is prepared
# MIT license; Copyright (c) 2026 the tflm authors

from .bound import (
    CONSTANTS,
    REACH,
    address_of,
    clamp_table,
    constant_address,
    fill_constants,
    most_weight,
    new_record,
    words_of,
)
from .fully_connected_run import run_int8
from .packing import pack_pairs

_INPUT = 1
_WEIGHTS = 2
_BIAS = 3
_OUTPUT = 4
_DEPTH = 7
_INPUT_OFFSET = 10
_WEIGHTS_OFFSET = 11
_REQUANTIZE = 12

_MOST = 32895  # weights' absolute values in the sum of a lane; times 255 that is below 2**23
_BLOCK = 256  # taps whose weights cannot be more than that
_SIXTEEN = 16  # channels at a time
_ANY = 1 << 40  # outputs that are not looked up in the table


# (function, record) that do what fully_connected.eval_int8 does with this record; None where they
# cannot, or where that takes more than `room` bytes.
def bind_int8(function, record, rom, room):
    record = bytes(record)
    words = words_of(record)
    weights = constant_address(words[_WEIGHTS], rom)
    bias = constant_address(words[_BIAS], rom) or 0
    depth, batches, channels = words[_DEPTH : _DEPTH + 3]
    if weights is None or not words[0] or words[_WEIGHTS_OFFSET] != 128:
        return None
    if words[_BIAS] != 1 and not bias:
        return None
    table = clamp_table(words[_REQUANTIZE + 1], words[_REQUANTIZE + 2], room)
    if table is None:
        return None
    most = most_weight(weights, channels, depth, depth, 1)
    block = depth if most <= _MOST else _BLOCK
    blocks = (depth + block - 1) // block
    fields = [words[0], words[_INPUT], words[_OUTPUT], depth, batches, channels, block] + table
    fields.append(0 if words[_REQUANTIZE + 1] == words[_REQUANTIZE] else 1)
    fields += words[_REQUANTIZE + 1 : _REQUANTIZE + 3] + [0]
    sizes = (
        8 * (depth + blocks),  # the taps of an input that are not 0
        4 * _SIXTEEN * 2,  # zeros, and sums
        2 * depth * (channels + 15 & (0 - _SIXTEEN)),  # weights
        CONSTANTS * channels,
    )
    bound, places = new_record(fields, sizes, room)
    if bound is None:
        return None
    at = address_of(bound)
    block = address_of(record) + 4 * _REQUANTIZE
    for is_wide in range(2):
        if fill_constants(
            at + places[3],
            weights,
            channels,
            depth,
            depth,
            1,
            bias,
            block,
            words[_INPUT_OFFSET],
            blocks << 23,
            _ANY if is_wide else REACH,
        ):
            break
    else:
        return None
    bound[4 * (len(fields) - 1)] = is_wide
    for channel in range(0, channels, _SIXTEEN):
        count = min(_SIXTEEN, channels - channel)
        pack_pairs(at + places[2] + 2 * depth * channel, weights + channel * depth, depth, count)
    return run_int8, bound
