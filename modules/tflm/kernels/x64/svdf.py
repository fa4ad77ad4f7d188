# tflm: x86-64: SVDF, int8, with a state of int8: rewrites its record when a model is prepared
# MIT license; Copyright (c) 2026 the tflm authors

from .bound import (
    address_of,
    constant_address,
    fill_starts,
    max_weight,
    new_record,
    signed,
    words_of,
)
from .packing import pack_rows, unpack_taps
from .pairs_multiply import HALF, MAX_WEIGHT
from .svdf_run import run_int8

_INPUT = 1
_WEIGHTS_FEATURE = 2
_WEIGHTS_TIME = 3
_BIAS = 4
_STATE = 5
_OUTPUT = 6
_INPUT_SIZE = 8
_MEMORY_SIZE = 9
_RANK = 10
_UNITS_IN_BATCH = 11
_FEATURE_OFFSETS = 13
_STATE_ZERO_POINT = 14
_STATE_BITS = 15
_FEATURE_MULTIPLIER = 16
_OUTPUT_MULTIPLIER = 18
_OUTPUT_ZERO_POINT = 20

_SYMMETRIC = 0x80  # in the upper half of offsets: weights without a zero point


# Return (function, record) that replace svdf.eval_int8 for this record, or None if it is not
# supported or the new record takes more than `max_bytes`.
def bind_int8(function, record, rom, max_bytes):
    words = words_of(record)
    feature = constant_address(words[_WEIGHTS_FEATURE], rom)
    time = constant_address(words[_WEIGHTS_TIME], rom)
    bias = constant_address(words[_BIAS], rom) or 0
    if feature is None or time is None or (words[_BIAS] != 1 and not bias):
        return None
    if words[_STATE_BITS] != 8 or words[_FEATURE_OFFSETS] >> 16 != _SYMMETRIC:
        return None
    if max(words[_FEATURE_MULTIPLIER + 1], words[_OUTPUT_MULTIPLIER + 1]) > 31:
        return None  # a multiplier of more than 1/2; others have a right shift
    size, memory, rank, units = words[_INPUT_SIZE : _UNITS_IN_BATCH + 1]
    filters = units * rank
    rows = filters + 15 & (0 - 16)
    if max_weight(feature, filters, size, size, 1) > MAX_WEIGHT:
        return None
    fields = [words[i] for i in (0, _INPUT, _STATE, _OUTPUT)]
    fields += words[_INPUT_SIZE : _UNITS_IN_BATCH + 1] + [words[_STATE_ZERO_POINT]]
    fields += words[_FEATURE_MULTIPLIER : _OUTPUT_ZERO_POINT + 3]
    sizes = (
        8 * size,  # the taps of an input that are not 0
        4 * rows,  # sums
        4 * rows,  # initial values of the sums
        2 * size * rows,  # weights
        4 * units,  # initial values of the sums over time
        4 * filters * memory,  # weights
    )
    bound, offsets = new_record(fields, sizes, max_bytes)
    if bound is None:
        return None
    at = [address_of(bound) + offset for offset in offsets]
    zero_point = words[_FEATURE_OFFSETS] & 0xFFFF
    fill_starts(at[2], feature, filters, size, 0, zero_point, HALF)
    pack_rows(at[3], feature, filters, size)
    zero_point = signed(words[_STATE_ZERO_POINT]) + 128
    fill_starts(at[4], time, units, rank * memory, bias, zero_point, 0)
    unpack_taps(at[5], time, 1, filters * memory)
    return run_int8, bound
