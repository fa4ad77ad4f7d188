# tflm: access checks: TFLM_DECODE and int4 weights: compressed constants
# MIT license; Copyright (c) 2026 the tflm authors

import struct

from ..dtypes import const
from .record import divided

# Words of the records.
_INPUT = const(1)
_VALUES = const(2)
_HUFFMAN_OUTPUT = const(3)
_POSITION = const(4)
_HUFFMAN_FIRST_VALUE = const(5)
_ENTRY_BYTES = const(7)
_FIRST_BITS = const(8)
_INPUT_BITS = const(9)
_HUFFMAN_SIZE = const(10)
_LUT_OUTPUT = const(3)
_LUT_FIRST_VALUE = const(4)
_BITS = const(5)
_LUT_SIZE = const(6)
_STRIDE = const(7)
_INNER = const(8)
_PRUNE_OUTPUT = const(3)
_RANKS = const(4)
_ZERO_POINTS = const(5)
_PRUNE_FIRST_VALUE = const(6)
_PRUNE_SIZE = const(7)
_INT4_OUTPUT = const(2)

_RANK_BYTES = 32  # of the mask, from one rank to the next


def _huffman(r):
    first, entries = r.numbers(_HUFFMAN_FIRST_VALUE, 2, 0)
    (bits,) = r.numbers(_INPUT_BITS, 1, 0)
    r.need(r[_ENTRY_BYTES] in (2, 4) and 1 <= r[_FIRST_BITS] <= 16 and r[_HUFFMAN_SIZE] in (1, 2))
    r.reads(_INPUT, divided(bits, 8))
    r.reads(_VALUES, entries * r[_ENTRY_BYTES], first)
    r.writes(_HUFFMAN_OUTPUT, r.units * r[_HUFFMAN_SIZE])
    r.writes(_POSITION, 4, align=4)


def _lut(r):
    (first,) = r.numbers(_LUT_FIRST_VALUE, 1, 0)
    (bits,) = r.numbers(_BITS, 1)
    (size,) = r.numbers(_LUT_SIZE, 1)
    (stride,) = r.numbers(_STRIDE, 1, 0)
    _, channels = r.numbers(_INNER, 2)
    r.need(bits <= 7)
    r.small(r.units * bits)
    r.reads(_INPUT, divided(r.units * bits, 8))
    r.reads(_VALUES, ((channels - 1) * stride + (1 << bits)) * size, first)
    r.writes(_LUT_OUTPUT, r.units * size)


# Bits of the mask select values. The mask and the ranks, the sums of these bits, must be
# constants: they are counted here.
def _prune(r):
    (first,) = r.numbers(_PRUNE_FIRST_VALUE, 1, 0)
    size, _, channels = r.numbers(_PRUNE_SIZE, 3)
    mask = r.constant(_INPUT, divided(r.units, 8))
    ranks = r.constant(_RANKS, 4 * divided(r.units, 8 * _RANK_BYTES), align=4)
    values = 0
    for at in range(0, len(mask), _RANK_BYTES):
        r.need(struct.unpack_from("<I", ranks, 4 * at // _RANK_BYTES)[0] == values)
        some = bytes(mask[at : at + _RANK_BYTES])
        bits = int.from_bytes(some, "big") >> max(0, 8 * (at + len(some)) - r.units)
        values += bin(bits).count("1")
    r.reads(_VALUES, values * size, first)
    r.writes(_PRUNE_OUTPUT, r.units * size)
    r.reads(_ZERO_POINTS, channels)


def _int4(r):
    r.reads(_INPUT, divided(r.units, 2))
    r.writes(_INT4_OUTPUT, r.units)


CHECKS = {
    "decode_huffman.eval_any": _huffman,
    "decode_lut.eval_any": _lut,
    "decode_prune.eval_any": _prune,
    "unpack_int4.eval_int4": _int4,
}
