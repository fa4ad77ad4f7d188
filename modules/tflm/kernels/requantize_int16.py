# tflm: sums of matrix.py to int16 outputs, with a multiplier for all or for each channel
# MIT license; Copyright (c) 2026 the tflm authors

from .fixed_point import rescale, store
from .rescale_wide import rescale_wide

# Words of the REQUANTIZE_INT16 block, which ends a record and begins like a CLAMP block. A pair of
# words for each multiplier follows it.
_PER_CHANNEL = const(3)
_PAIRS = const(4)
_TABLE = const(5)


# Rescale `count` sums at byte offset `sums` of the arena, clamp and store them. As in TFLM the
# type of the bias selects the arithmetic: sums are words (int32) and multipliers have 31 bits, or
# sums are pairs of words (int64) and multipliers have 15. `channel` is the channel of the first
# sum.
@micropython.viper
def requantize_int16(op, arena, block: int, sums: int, output: int, channel: int, count: int):
    q = ptr32(int(ptr32(op)) + 4 * block)
    step = q[_PER_CHANNEL] << 1
    first = block + _TABLE + channel * step
    if q[_PAIRS]:
        rescale_wide(op, arena, first, sums, count, step)
    else:
        rescale(op, arena, first, sums, count, step)
    store(op, arena, block, sums, output, count, 1)
