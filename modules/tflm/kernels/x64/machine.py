# tflm: x86-64: records for machine code
# MIT license; Copyright (c) 2026 the tflm authors

from .bound import address_of

_ALIGNMENT = 32  # instructions of SSE2 read vectors at multiples of 16


# Lay out a record of `count` words of 64 bits and blocks of `sizes` bytes after them. Returns the
# record and the addresses of the blocks; None for the record if it needs more than `max_bytes`.
def new_record(count, sizes, max_bytes):
    offset = 8 * count + _ALIGNMENT
    offsets = []
    for size in sizes:
        offset = offset + _ALIGNMENT - 1 & (0 - _ALIGNMENT)
        offsets.append(offset)
        offset += size
    if offset > max_bytes:
        return None, ()
    record = bytearray(offset)
    start = address_of(record)
    start -= start % _ALIGNMENT
    return record, [start + offset for offset in offsets]


# Write words of 64 bits to an address.
def put_words(address, words):
    for word in words:
        _put(address, word & 0xFFFFFFFF, word >> 32)
        address += 8


@micropython.viper
def _put(address: int, low: int, high: int):
    p = ptr32(address)
    p[0] = low
    p[1] = high


# Write `value`, a word of 32 bits, to `count` places.
@micropython.viper
def fill_words(address: int, value: int, count: int):
    p = ptr32(address)
    while count:
        p[0] = value
        p = ptr32(int(p) + 4)
        count -= 1


# 1 if `count` values of float32 are neither infinite nor NaN.
@micropython.viper
def are_finite(address: int, count: int) -> int:
    p = ptr32(address)
    while count:
        if p[0] >> 23 & 255 == 255:
            return 0
        p = ptr32(int(p) + 4)
        count -= 1
    return 1


# Pack words of 32 bits, `count` of each channel, so that word k of all channels follow each other,
# `lanes` of them. Words without a channel are 0. Channels are `pitch` bytes apart, words `step`.
@micropython.viper
def pack_words(to: int, source: int, count: int, lanes: int, channels: int, pitch: int, step: int):
    packed_step = 4 * lanes
    while channels:
        p = ptr32(to)
        w = ptr32(source)
        k = count
        while k:
            p[0] = w[0]
            p = ptr32(int(p) + packed_step)
            w = ptr32(int(w) + step)
            k -= 1
        to += 4
        source += pitch
        channels -= 1
