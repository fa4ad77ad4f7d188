# tflm: x86-64: CONV_2D, int8: rewrites its record for conv_run.py when a model is prepared
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
from .conv_run import pack_padding, run_int8
from .fully_connected import bind_rows
from .packing import pack_eights

_INPUT = 1
_WEIGHTS = 2
_BIAS = 3
_OUTPUT = 4
_WINDOWS = 7  # the first word of the windows
_FILTER_CHANNELS = 21
_INPUT_OFFSET = 22

_MAX_LANE_WEIGHT = 8191  # sum of absolute weights of a lane; times 128 it is below 2**20
_EIGHT = 8  # channels at a time
_PLAIN = [1, 1, 0, 0]  # neither dilation nor padding


# Return (function, record) that replace conv.eval_int8 for this record, or None if it is not
# supported or the new record takes more than `max_bytes`.
def bind_int8(function, record, rom, max_bytes):
    record = bytes(record)
    words = words_of(record)
    depth = words[_WINDOWS + 2]
    if words[_FILTER_CHANNELS] != depth:
        return None
    taps = words[_WINDOWS + 6] * words[_WINDOWS + 7] * depth
    height, width, _, rows, columns, channels, tall, wide = words[_WINDOWS : _WINDOWS + 8]
    stride = words[_WINDOWS + 8]
    is_inside = words[_WINDOWS + 10 :][:4] == _PLAIN and (rows - 1) * stride + tall <= height
    if is_inside and columns == 1 and wide == width and words[0] == rows:
        # Windows of whole rows of one image are runs of bytes: FULLY_CONNECTED.
        sizes = taps, stride * width * depth, 1, 1, channels
        return bind_rows(record, words, rom, max_bytes, sizes, _INPUT_OFFSET, _INPUT_OFFSET + 1)
    return bind_filter(record, words, rom, max_bytes, taps, 1, _WINDOWS, _INPUT_OFFSET)


# Return (function, record) for a filter whose channels are `pitch` bytes apart and whose taps are
# `step` bytes apart, or None. `windows` and `offset` are the numbers of the first word of the
# windows and of the input's offset.
def bind_filter(record, words, rom, max_bytes, pitch, step, windows, offset):
    _, _, depth, _, width, channels, height, columns = words[windows : windows + 8]
    weights = constant_address(words[_WEIGHTS], rom)
    bias = constant_address(words[_BIAS], rom) or 0
    if weights is None or (words[_BIAS] != 1 and not bias) or not words[0]:
        return None
    if height > 1 and words[windows + 10] != 1:  # rows of the window that do not touch
        return None
    table = clamp_table(words[offset + 2], words[offset + 3], max_bytes)
    if table is None:
        return None
    segment, segments, until = _cut(weights, channels, height, columns * depth, pitch, step)
    triples = (width + 2) // 3
    row_bytes = triples * 8 * segments * (segment + 1)
    fields = [words[0], words[_INPUT], words[_OUTPUT]] + words[windows : windows + 14]
    fields += [triples, segment, segments, until] + table
    fields.append(0 if words[offset + 2] == words[offset + 1] else 1)
    fields += [0, 0]  # for the kernel's own use: the units it has done
    sizes = (
        row_bytes * (height + 1),  # rows of packed taps; the last one is padding
        4 * height,  # the addresses of these rows
        4 * 24 * 2 + _EIGHT,  # zeros, sums, and a target for pixels beyond the row
        ((channels + 7) & (0 - 8)) * height * segments * segment,  # weights
        CONSTANTS * channels,
        depth,  # a cell of padding
    )
    bound, offsets = new_record(fields, sizes, max_bytes)
    if bound is None:
        return None
    at = address_of(bound)
    block = address_of(record) + 4 * (offset + 1)
    taps = height * columns * depth
    zero_point = words[offset] - 128
    added = height * segments // until << 20
    if not fill_constants(
        at + offsets[4],
        weights,
        channels,
        pitch,
        taps,
        step,
        bias,
        block,
        zero_point,
        added,
        REACH,
    ):
        return None
    bound[offsets[5] : offsets[5] + depth] = bytes([zero_point & 0xFF]) * depth
    run = columns * depth
    _pack(at + offsets[3], weights, channels, height, run, pitch, step, segment * segments)
    pack_padding(bound, offsets[0] + row_bytes * height)
    return run_int8, bound


# How to cut a row of the window: (taps a segment, segments, segments a sum). A lane holds the sum
# of as many segments as stay small enough for any input, usually of the whole window.
def _cut(weights, channels, height, run, pitch, step):
    segments = 0
    while True:
        segments += 1
        segment = ((run + segments - 1) // segments + 3) & (0 - 4)
        largest = []
        for i in range(height):
            for j in range(segments):
                count = min(segment, run - j * segment)
                first = weights + (i * run + j * segment) * step
                largest.append(max_weight(first, channels, pitch, count, step))
        for until in range(len(largest), 0, -1):
            groups = range(0, len(largest), until)
            if len(largest) % until == 0 and all(
                [sum(largest[i : i + until]) <= _MAX_LANE_WEIGHT for i in groups]
            ):
                return segment, segments, until


# Pack the filters of all groups of eight channels, row by row of the window, `padded` taps each.
def _pack(to, weights, channels, height, run, pitch, step, padded):
    for channel in range(0, channels, _EIGHT):
        count = min(_EIGHT, channels - channel)
        for i in range(height):
            first = weights + channel * pitch + i * run * step
            pack_eights(to, first, run, step, count, pitch)
            pack_eights(to + 8 * run, first, padded - run, step, 0, pitch)
            to += 8 * padded
