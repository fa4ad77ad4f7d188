# tflm: extents: TFLM_DECODE and weights of int4: constants that are stored smaller
# MIT license; Copyright (c) 2026 the tflm authors

import struct

from .record import divided

_RANK_BYTES = 32  # of the mask, from one rank to the next


def _huffman(r):
    first, entries = r.numbers(5, 2, 0)
    (bits,) = r.numbers(9, 1, 0)
    r.need(r[7] in (2, 4) and 1 <= r[8] <= 16 and r[10] in (1, 2))
    r.reads(1, divided(bits, 8))
    r.reads(2, entries * r[7], first)
    r.writes(3, r.units * r[10])
    r.writes(4, 4, align=4)


def _lut(r):
    (first,) = r.numbers(4, 1, 0)
    (bits,) = r.numbers(5, 1)
    (size,) = r.numbers(6, 1)
    (stride,) = r.numbers(7, 1, 0)
    _, channels = r.numbers(8, 2)
    r.need(bits <= 7)
    r.small(r.units * bits)
    r.reads(1, divided(r.units * bits, 8))
    r.reads(2, ((channels - 1) * stride + (1 << bits)) * size, first)
    r.writes(3, r.units * size)


# Bits of the mask say how many values are taken. Mask and ranks, the sums of these bits, must be
# constants: they are counted here.
def _prune(r):
    (first,) = r.numbers(6, 1, 0)
    size, _, channels = r.numbers(7, 3)
    mask = r.constant(1, divided(r.units, 8))
    ranks = r.constant(4, 4 * divided(r.units, 8 * _RANK_BYTES), align=4)
    values = 0
    for at in range(0, len(mask), _RANK_BYTES):
        r.need(struct.unpack_from("<I", ranks, 4 * at // _RANK_BYTES)[0] == values)
        some = bytes(mask[at : at + _RANK_BYTES])
        bits = int.from_bytes(some, "big") >> max(0, 8 * (at + len(some)) - r.units)
        values += bin(bits).count("1")
    r.reads(2, values * size, first)
    r.writes(3, r.units * size)
    r.reads(5, channels)


def _int4(r):
    r.reads(1, divided(r.units, 2))
    r.writes(2, r.units)


CHECKS = {
    "decode_huffman.eval_any": _huffman,
    "decode_lut.eval_any": _lut,
    "decode_prune.eval_any": _prune,
    "unpack_int4.eval_int4": _int4,
}
