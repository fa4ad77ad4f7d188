# tflm: access checks: LOGISTIC and TANH, int16 (prepare/sigmoid_int16.py)
# MIT license; Copyright (c) 2026 the tflm authors

from ..dtypes import const

# Words of the records.
_INPUT = const(1)
_ENTRIES = const(2)
_OUTPUT = const(3)
_MULTIPLIER = const(4)
_TO_SHIFT = const(1)  # from the multiplier

_TABLE = 512  # bytes: 256 entries


# Check the CURVE block from word `at` on, with its table as operand `entries`. The magnitude of a
# product that wraps around could become negative, and so could the index in the table.
def curve(r, at, entries):
    (multiplier,) = r.numbers(at, 1, 0)
    shift = r[at + _TO_SHIFT]
    r.need(shift <= 31 and (multiplier << 15) + (1 << shift >> 1) < 1 << 31)
    r.need(r.words >= at + 7)
    r.reads(entries, _TABLE, align=2)


def _sigmoid(r):
    curve(r, _MULTIPLIER, _ENTRIES)
    r.reads(_INPUT, 2 * r.units, align=2)
    r.writes(_OUTPUT, 2 * r.units, align=2)


CHECKS = {"sigmoid_int16.eval_int16": _sigmoid}
