# tflm: access checks: SignalFilterBank and the operators after it
# MIT license; Copyright (c) 2026 the tflm authors

from ..dtypes import const

# Words of the records.
_INPUT = const(1)
_WEIGHTS = const(2)
_UNWEIGHTS = const(3)
_FREQUENCY_STARTS = const(4)
_WEIGHT_STARTS = const(5)
_WIDTHS = const(6)
_FILTER_BANK_OUTPUT = const(7)
_BINS = const(8)
_SEGMENTS = const(2)
_LOG_OUTPUT = const(3)
_CORRECTION_BITS = const(4)
_OUTPUT = const(2)
_NOISE_OUTPUT = const(3)
_SUBTRACTION_NOISE = const(4)
_SMOOTHING_BITS = const(10)
_SPECTRAL_SUBTRACTION_BITS = const(11)
_SCALE_BITS = const(2)
_SQUARE_ROOT_OUTPUT = const(3)
_NOISE = const(2)
_GAINS = const(3)
_PCAN_OUTPUT = const(4)
_SNR_SHIFT = const(5)
_INTERVALS = const(6)
_LOG_TABLE = 129  # segments, and one more
_MAX_INTERVALS = 32  # of gains: powers of two in a word


# The kernel cuts off bands that exceed these tensors.
def _filter_bank(r):
    bins, weights = r.numbers(_BINS, 2, 0)
    r.reads(_INPUT, 4 * bins, align=4)
    for i in (_WEIGHTS, _UNWEIGHTS):
        r.reads(i, 2 * weights, align=2)
    for i in (_FREQUENCY_STARTS, _WEIGHT_STARTS, _WIDTHS):
        r.reads(i, 2 * r.units + 2, align=2)
    r.writes(_FILTER_BANK_OUTPUT, 8 * r.units, align=4)


def _log(r):
    r.need(r.words >= 6 and r[_CORRECTION_BITS] <= 31)
    r.reads(_INPUT, 4 * r.units, align=4)
    r.reads(_SEGMENTS, 2 * _LOG_TABLE, align=2)
    r.writes(_LOG_OUTPUT, 2 * r.units, align=2)


def _spectral_subtraction(r):
    r.need(r.words >= 13 and r[_SMOOTHING_BITS] <= 31 and r[_SPECTRAL_SUBTRACTION_BITS] <= 63)
    r.reads(_INPUT, 4 * r.units, align=4)
    for i in (_OUTPUT, _NOISE_OUTPUT, _SUBTRACTION_NOISE):
        r.writes(i, 4 * r.units, align=4)


def _square_root(r):
    r.reads(_INPUT, 8 * r.units, align=4)
    r.reads(_SCALE_BITS, 1)
    r.writes(_SQUARE_ROOT_OUTPUT, 4 * r.units, align=4)


# Three gains, and four for each interval; the first interval has no gains.
def _pcan(r):
    (intervals,) = r.numbers(_INTERVALS, 1, 2)
    r.need(r[_SNR_SHIFT] <= 63 and intervals <= _MAX_INTERVALS)
    r.reads(_INPUT, 4 * r.units, align=4)
    r.reads(_NOISE, 4 * r.units, align=4)
    r.reads(_GAINS, 8 * intervals - 6, align=2)
    r.writes(_PCAN_OUTPUT, 4 * r.units, align=4)


CHECKS = {
    "signal_filter_bank.eval_uint32": _filter_bank,
    "signal_filter_bank_log.eval_uint32": _log,
    "signal_filter_bank_spectral_subtraction.eval_uint32": _spectral_subtraction,
    "signal_filter_bank_square_root.eval_uint64": _square_root,
    "signal_pcan.eval_uint32": _pcan,
}
