# tflm: x86-64: DEPTHWISE_CONV_2D, int8: rewrites its record when a model is prepared
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
from .columns import column_record
from .columns_run import run_int8 as run_columns
from .conv import bind_filter
from .depthwise_conv_run import run_int8
from .packing import unpack_taps

_INPUT = 1
_WEIGHTS = 2
_BIAS = 3
_OUTPUT = 4
_WINDOWS = 6  # the first word of the windows
_INPUT_OFFSET = 20

_MAX_LANE_WEIGHT = 4111  # sum of absolute weights of a lane; times 255 it is below 2**20


# Return (function, record) that replace depthwise_conv.eval_int8 for this record, or None if it is
# not supported or the new record takes more than `max_bytes`. With one input channel it is a
# CONV_2D.
def bind_int8(function, record, rom, max_bytes):
    record = bytes(record)
    words = words_of(record)
    windows = words[_WINDOWS : _WINDOWS + 14]
    _, source_width, depth, _, width, channels, height, columns = windows[:8]
    if depth == 1:
        return bind_filter(record, words, rom, max_bytes, 1, channels, _WINDOWS, _INPUT_OFFSET)
    if depth != channels or not words[0]:
        return None
    taps = height * columns
    weights = constant_address(words[_WEIGHTS], rom)
    bias = constant_address(words[_BIAS], rom) or 0
    if weights is None or (words[_BIAS] != 1 and not bias):
        return None
    bound = _bind_column(words, windows, weights, rom, max_bytes)
    if bound is not None:
        return run_columns, bound
    if windows[10:12] != [1, 1]:
        return None
    table = clamp_table(words[_INPUT_OFFSET + 2], words[_INPUT_OFFSET + 3], max_bytes)
    if table is None or max_weight(weights, channels, 1, taps, channels) > _MAX_LANE_WEIGHT:
        return None
    # A packed row has all columns of the windows of all lanes.
    row_columns = (3 * ((width + 2) // 3) - 1) * windows[9] + columns
    row_bytes = row_columns * depth + 7 & (0 - 8)
    copied = max(0, min(source_width, row_columns - windows[13]))
    fields = [words[0], words[_INPUT], words[_OUTPUT]] + windows + [row_bytes, copied]
    fields += table + [0 if words[_INPUT_OFFSET + 2] == words[_INPUT_OFFSET + 1] else 1]
    fields += [0, 0]  # for the kernel's own use: the units it has done
    sizes = (
        row_bytes * (height + 1),  # rows of the input; the last one is padding
        4 * height,  # the addresses of these rows
        4 * taps * channels,  # the taps of each channel
        CONSTANTS * channels,
        8,  # a target for pixels beyond the row
    )
    bound, offsets = new_record(fields, sizes, max_bytes)
    if bound is None:
        return None
    at = address_of(bound)
    block = address_of(record) + 4 * (_INPUT_OFFSET + 1)
    offset = words[_INPUT_OFFSET]  # the zero point of taps that are input values + 128
    if not fill_constants(
        at + offsets[3],
        weights,
        channels,
        1,
        taps,
        channels,
        bias,
        block,
        offset,
        1 << 20,
        REACH,
    ):
        return None
    rows = row_bytes * (height + 1)
    bound[offsets[0] : offsets[0] + rows] = bytes([offset]) * rows
    unpack_taps(at + offsets[2], weights, channels, taps)
    return run_int8, bound


# Return a record for images of one column, or None.
def _bind_column(words, windows, weights, rom, max_bytes):
    source_height, source_width, depth, height, width, _, taps, columns = windows[:8]
    if source_width != 1 or width != 1 or columns != 1 or any(windows[12:]) or words[0] != height:
        return None
    if (height - 1) * windows[8] + (taps - 1) * windows[10] >= source_height:
        return None
    block = words[_INPUT_OFFSET + 1 :]
    per_channel, channels = block[3:5]
    shifts = b"".join([word.to_bytes(4, "little") for word in block[5 + channels :]])
    biases = constant_address(words[_BIAS], rom)
    if max(shifts[:channels]) > 32:  # a multiplier above 1
        return None

    def channel(i):
        k = i * per_channel
        bias = words_of(memoryview(rom)[(words[_BIAS] >> 2) + 4 * i :][:4])[0] if biases else 0
        return weights + i, depth, bias, words[_INPUT_OFFSET], block[5 + k], 32 - shifts[k]

    sizes = 1, depth, taps, windows[10] * depth, windows[8] * depth
    return column_record(
        words[0], [words[_INPUT], words[_OUTPUT]], sizes, block[:3], channel, max_bytes
    )
