# tflm: x86-64: FULLY_CONNECTED, int8: rewrites its record when a model is prepared
# MIT license; Copyright (c) 2026 the tflm authors

from .bound import (
    CONSTANTS,
    REACH,
    address_of,
    clamp_table,
    constant_address,
    fill_constants,
    max_weight,
    new_record,
    words_of,
)
from .fully_connected_run import run_int8
from .packing import pack_rows
from .pairs_multiply import HALF, MAX_WEIGHT

_INPUT = 1
_WEIGHTS = 2
_BIAS = 3
_OUTPUT = 4
_DEPTH = 7
_INPUT_OFFSET = 10
_WEIGHTS_OFFSET = 11
_REQUANTIZE = 12

_BLOCK = 256  # taps whose sum of absolute weights cannot exceed MAX_WEIGHT
_ANY = 1 << 40  # reach of outputs that are not looked up in the table


# Return (function, record) that replace fully_connected.eval_int8 for this record, or None if it
# is not supported or the new record takes more than `max_bytes`.
def bind_int8(function, record, rom, max_bytes):
    record = bytes(record)
    words = words_of(record)
    depth, batches, channels = words[_DEPTH : _DEPTH + 3]
    if words[_WEIGHTS_OFFSET] != 128 or words[0] != channels:
        return None
    sizes = depth, depth, channels, batches, channels
    return bind_rows(record, words, rom, max_bytes, sizes, _INPUT_OFFSET, _REQUANTIZE)


# Return (function, record) for rows of `sizes`, or None: (depth, bytes from one row to the next,
# units of a group of rows, rows of a group, channels). `offset` and `block` are the numbers of the
# word of the input's offset and of the REQUANTIZE block.
def bind_rows(record, words, rom, max_bytes, sizes, offset, block):
    depth, channels = sizes[0], sizes[4]
    weights = constant_address(words[_WEIGHTS], rom)
    bias = constant_address(words[_BIAS], rom) or 0
    if weights is None or not words[0] or (words[_BIAS] != 1 and not bias):
        return None
    table = clamp_table(words[block + 1], words[block + 2], max_bytes)
    if table is None:
        return None
    most = max_weight(weights, channels, depth, depth, 1)
    taps = depth if most <= MAX_WEIGHT else _BLOCK
    fields = [words[i] for i in (0, _INPUT, _OUTPUT)] + list(sizes) + [taps] + table
    fields.append(0 if words[block + 1] == words[block] else 1)
    fields += words[block + 1 : block + 3] + [0]
    rows = channels + 15 & (0 - 16)
    sizes = (
        8 * taps,  # the taps of an input that are not 0
        4 * rows,  # zeros
        4 * rows,  # sums
        2 * depth * rows,  # weights
        CONSTANTS * channels,
    )
    bound, offsets = new_record(fields, sizes, max_bytes)
    if bound is None:
        return None
    at = address_of(bound)
    for is_wide in range(2):
        if fill_constants(
            at + offsets[4],
            weights,
            channels,
            depth,
            depth,
            1,
            bias,
            address_of(record) + 4 * block,
            words[offset],
            (depth + taps - 1) // taps * HALF,
            _ANY if is_wide else REACH,
        ):
            break
    else:
        return None
    bound[4 * (len(fields) - 1)] = is_wide
    pack_rows(at + offsets[3], weights, channels, depth)
    return run_int8, bound
