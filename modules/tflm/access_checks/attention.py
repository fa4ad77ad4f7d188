# tflm: access checks: attention over the positions that are filled: units are heads
# MIT license; Copyright (c) 2026 the tflm authors

from ..dtypes import const
from .record import divided

# Words of the records.
_QUERY = const(1)
_KEYS = const(2)
_VALUES = const(3)
_POSITION = const(4)
_OUTPUT = const(5)
_EXPS = const(6)
_SCRATCH = const(7)
_POSITIONS = const(8)
_NEWTON_START = const(11)
_SCORE_ZERO_POINT = const(13)
_SCORE_MIN = const(14)
_SCORE_MAX = const(15)
_SCORE_PER_CHANNEL = const(16)
_SCORE_CHANNELS = const(17)
_SCORE_MULTIPLIER = const(18)
_SCORE_SHIFT = const(19)
_OUTPUT_ZERO_POINT = const(20)
_PER_CHANNEL = const(23)
_CHANNELS = const(24)

# Words of the records of float32, of which the first six name operands, too.
_MASK = const(4)
_SCORES = const(6)
_FLOAT_POSITIONS = const(7)
_KEY_HEAD_STRIDE = const(10)
_KEY_STRIDE = const(12)
_SELECTS = const(16)
_KEY_SCALE = const(22)
_FLOAT_WORDS = const(23)
_ONE = const(0x3F800000)

_BLOCK = const(32)  # sums that the kernel holds at a time
_MAX_POSITIONS = const(2047)  # the sum of exps has 30 bits
_NEWTON = b"\x5a\x5a\x5a\x5a\xc4\xc3\xc3\xc3"  # with other numbers the quotient might overflow
_LARGEST = b"\xff\xff\xff\x7f"


# The largest score has the exp of 0, so that the sum of exps is positive.
def _int8(r):
    positions, size, group = r.numbers(_POSITIONS, 3)
    r.need(positions <= _MAX_POSITIONS and not (positions | size) & 3)
    r.need(r.table(_NEWTON_START, 2) == _NEWTON)
    r.need(-128 <= r.signed(_SCORE_ZERO_POINT) <= 127 and not r[_SCORE_PER_CHANNEL])
    r.need(
        r.signed(_SCORE_MIN) == -128 and r.signed(_SCORE_MAX) == 127 and r[_SCORE_CHANNELS] == 1
    )
    r.need(not r[_SCORE_MULTIPLIER] >> 31 and 0 < r[_SCORE_SHIFT] < 63)
    r.requantize(_OUTPUT_ZERO_POINT, 1)
    r.need(not r[_PER_CHANNEL] and r[_CHANNELS] == 1)
    exps = r.constant(_EXPS, 1024, 4)
    r.need(bytes(exps[:4]) == _LARGEST and not [i for i in range(3, 1024, 4) if exps[i] > 127])
    caches = divided(r.units, group) * positions * size
    r.reads(_QUERY, r.units * size, align=4)
    r.reads(_KEYS, caches, align=4)
    r.reads(_VALUES, caches, align=4)
    r.reads(_POSITION, 4, align=4)
    r.need(not (r[_QUERY] | r[_KEYS] | r[_VALUES]) & 1)
    r.writes(_OUTPUT, r.units * size)
    r.writes(_SCRATCH, 4 * _BLOCK + positions + 4, align=4)
    for i in (_QUERY, _KEYS, _VALUES, _POSITION, _OUTPUT):
        r.apart(i, _SCRATCH)
    for i in (_QUERY, _KEYS, _VALUES, _POSITION):
        r.apart(i, _OUTPUT)


# The mask decides how many positions are read, at most all of them. No other data is an address.
def _float32(r):
    positions, size, group = r.numbers(_FLOAT_POSITIONS, 3)
    strides = r.numbers(_KEY_HEAD_STRIDE, 6)
    r.need(r.words >= _FLOAT_WORDS and r[_SELECTS] <= 1)
    heads = divided(r.units, group) - 1
    for i in (0, 1):
        step, depth_step = strides[2 + 2 * i : 4 + 2 * i]
        r.need(step == 1 or depth_step == 1)
        last = heads * strides[i] + (positions - 1) * step + (size - 1) * depth_step
        r.reads(_KEYS + i, 4 * (last + 1), align=4)
    # Scaled keys are rows in the arena.
    r.need(r[_KEY_SCALE] == _ONE or (strides[3] == 1 and not r[_KEYS] & 1))
    mask = 1 if r[_SELECTS] else 4
    r.reads(_MASK, positions * mask, align=mask)
    r.reads(_QUERY, 4 * r.units * size, align=4)
    r.writes(_OUTPUT, 4 * r.units * size, align=4)
    r.writes(_SCORES, 4 * (positions + 1 + size), align=4)


CHECKS = {"attention.eval_int8": _int8, "attention_float.eval_float32": _float32}
