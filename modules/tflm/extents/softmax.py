# tflm: extents: SOFTMAX, int8
# MIT license; Copyright (c) 2026 the tflm authors

import binascii

_MOST_DEPTH = 8191  # the sum of exps has 13 integer bits
_CONSTANTS = 0x494331BB  # CRC32 of the table: with others the loops might not end


# Differences to the largest value of a row choose a slot of the scratch buffer: a row must not
# change before it is done with.
def _softmax(r):
    depth, bits = r.numbers(4, 2)
    largest, slots = r.numbers(8, 2, 0)
    r.need(depth <= _MOST_DEPTH and bits in (8, 16))
    r.need(largest <= 255 and 1 <= slots <= 256)
    r.need(binascii.crc32(r.table(10, 11)) & 0xFFFFFFFF == _CONSTANTS)
    size = bits // 8
    r.reads(1, r.units * depth)
    r.writes(2, r.units * depth * size, align=size)
    r.writes(3, 4 + 4 * slots, align=4)
    r.apart(1, 3)
    if bits == 16 or r[1] & 1 or r.extents[2][0] > r.extents[1][0]:
        r.apart(1, 2)


CHECKS = {"softmax.eval_int8": _softmax}
