# tflm: extents: filter banks of the signal library and what follows them
# MIT license; Copyright (c) 2026 the tflm authors

_LOG_TABLE = 129  # segments, and one behind them
_MOST_INTERVALS = 32  # of gains: powers of two in a word


# The kernel cuts bands off that reach outside of these.
def _filter_bank(r):
    bins, weights = r.numbers(8, 2, 0)
    r.reads(1, 4 * bins, align=4)
    for i in (2, 3):
        r.reads(i, 2 * weights, align=2)
    for i in (4, 5, 6):
        r.reads(i, 2 * r.units + 2, align=2)
    r.writes(7, 8 * r.units, align=4)


def _log(r):
    r.need(r.words >= 6 and r[4] <= 31)
    r.reads(1, 4 * r.units, align=4)
    r.reads(2, 2 * _LOG_TABLE, align=2)
    r.writes(3, 2 * r.units, align=2)


def _spectral_subtraction(r):
    r.need(r.words >= 13 and r[10] <= 31 and r[11] <= 63)
    r.reads(1, 4 * r.units, align=4)
    for i in (2, 3, 4):
        r.writes(i, 4 * r.units, align=4)


def _square_root(r):
    r.reads(1, 8 * r.units, align=4)
    r.reads(2, 1)
    r.writes(3, 4 * r.units, align=4)


# Three gains, and four for each interval; the first interval has none.
def _pcan(r):
    (intervals,) = r.numbers(6, 1, 2)
    r.need(r[5] <= 63 and intervals <= _MOST_INTERVALS)
    r.reads(1, 4 * r.units, align=4)
    r.reads(2, 4 * r.units, align=4)
    r.reads(3, 8 * intervals - 6, align=2)
    r.writes(4, 4 * r.units, align=4)


CHECKS = {
    "signal_filter_bank.eval_uint32": _filter_bank,
    "signal_filter_bank_log.eval_uint32": _log,
    "signal_filter_bank_spectral_subtraction.eval_uint32": _spectral_subtraction,
    "signal_filter_bank_square_root.eval_uint64": _square_root,
    "signal_pcan.eval_uint32": _pcan,
}
