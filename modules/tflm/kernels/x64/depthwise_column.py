# tflm: x86-64: DEPTHWISE_CONV_2D, int8, whose window is a line of pixels: rewrites its record
# MIT license; Copyright (c) 2026 the tflm authors

from .bound import constant_address, words_of
from .columns import column_record
from .columns_run import run_int8

_INPUT = 1
_STREAM = 2
_OUTPUT = 3
_OUTPUT_CHANNELS = 5
_TAPS = 6
_TAP_STEP = 7
_PIXELS = 8
_CHANNEL_BYTES = 10
_OUTPUT_ZERO_POINT = 11

_SIGNED = 128  # zero point of inputs + 128; the actual zero point is in the bias


# Return (function, record) that replace depthwise_column.eval_int8 for this record, or None if it
# is not supported or the new record takes more than `max_bytes`.
def bind_int8(function, record, rom, max_bytes):
    words = words_of(record)
    channels, taps, step, pixels = words[_OUTPUT_CHANNELS : _PIXELS + 1]
    if pixels != 1 or words[0] != channels or constant_address(words[_STREAM], rom) is None:
        return None
    size = words[_CHANNEL_BYTES]

    # The channel's words of the stream: bias, multiplier, weights, shift.
    def channel(i):
        at = (words[_STREAM] >> 2) + i * size
        bias, multiplier = words_of(memoryview(rom)[at : at + 8])
        first = constant_address((at + 8 << 2) + 1, rom)
        return first, 1, bias, _SIGNED, multiplier, rom[at + 8 + taps]

    operands = [words[_INPUT], words[_OUTPUT]]
    limits = words[_OUTPUT_ZERO_POINT : _OUTPUT_ZERO_POINT + 3]
    bound = column_record(
        words[0], operands, (channels, channels, taps, step, 0), limits, channel, max_bytes
    )
    return bound and (run_int8, bound)
