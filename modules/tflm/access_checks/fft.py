# tflm: access checks: SignalRfft and SignalIrfft (prepare/signal_fft.py)
# MIT license; Copyright (c) 2026 the tflm authors

import struct

from ..dtypes import const
from .record import divided

# Words of the records.
_INPUT = const(1)
_INDICES = const(2)
_LOAD_OUTPUT = const(3)
_LOAD_PAIRS = const(4)
_STAGE_TWIDDLES = const(1)
_STAGE_OUTPUT = const(2)
_STAGE_SCRATCH = const(3)
_BUTTERFLIES = const(4)
_INNER_STEP = const(9)
_SPLIT_TWIDDLES = const(3)
_SPLIT_OUTPUT = const(4)
_SPLIT_SCRATCH = const(5)
_SPLIT_PAIRS = const(6)
_LENGTH_OUTPUT = const(1)
_LENGTH = const(2)

_SCRATCH = const(1024)  # bytes of the vectors of kernels for words
_MAX_STEP = const(1023)  # maximum number of elements that a vector advances by
_CHUNK = const(64)  # indices that are checked at a time


# Check operand `i`, a table of the indices of `pairs` pairs in a row of `row` values. The table
# must be a constant, because it must not change after this check.
def _indices(r, i, pairs, row):
    table = r.constant(i, 2 * pairs, align=2)
    for at in range(0, pairs, _CHUNK):
        some = struct.unpack_from("<%dH" % min(_CHUNK, pairs - at), table, 2 * at)
        r.need(2 * max(some) + 2 <= row)


def _load(r):
    pairs, input_row, row, halves = r.numbers(_LOAD_PAIRS, 4)
    r.need(halves <= 2)
    rows = divided(r.units, pairs)
    r.reads(_INPUT, 2 * halves * rows * input_row, align=2 * halves)
    _indices(r, _INDICES, pairs, row)
    r.writes(_LOAD_OUTPUT, 2 * halves * rows * row, align=2 * halves)


# A stage of int16, in place; `radices`: supported by the kernel. A stage of three or five values
# has one or two roots after its twiddles.
def _stage(r, *radices):
    butterflies, row, radix, span = r.numbers(_BUTTERFLIES, 4)
    r.need(radix in radices and butterflies % span == 0 and 2 * butterflies * radix <= row)
    r.need(r.words >= 18)
    roots = radix // 2 if radix & 1 else 0
    r.reads(_STAGE_TWIDDLES, 4 * (span * (radix - 1) + roots), align=2)
    r.writes(_STAGE_OUTPUT, 2 * divided(r.units, butterflies) * row, align=2)


# A stage of words, by vectors of pairs; a root has six words.
def _wide_stage(r, *radices):
    butterflies, row, radix, span, inner = r.numbers(_BUTTERFLIES, 5)
    inner_step, outer_step, inner_twiddle, outer_twiddle = r.numbers(_INNER_STEP, 4, 0)
    r.need(radix in radices and butterflies % inner == 0 and r.words >= 18)
    r.need(2 * inner_step <= _MAX_STEP and 4 * (radix - 1) * inner_twiddle <= _MAX_STEP)
    inner -= 1
    outer = butterflies // (inner + 1) - 1
    last = outer * outer_step + inner * inner_step + (radix - 1) * span
    r.need(2 * last + 2 <= row)
    twiddles = max(span, outer * outer_twiddle + inner * inner_twiddle + 1)
    roots = radix // 2 if radix & 1 else 0
    r.reads(_STAGE_TWIDDLES, 16 * twiddles * (radix - 1) + 24 * roots, align=4)
    r.writes(_STAGE_OUTPUT, 4 * divided(r.units, butterflies) * row, align=4)
    r.writes(_STAGE_SCRATCH, _SCRATCH, align=4)


# From pairs to a spectrum in place, or (`join`) from a spectrum to pairs at their indices. Values
# have `size` bytes.
def _split(r, size, join):
    pairs, input_row, row = r.numbers(_SPLIT_PAIRS, 3)
    rows = divided(r.units, pairs // 2 + 1)
    r.need(r.words >= 13 and 2 * pairs + 2 <= (input_row if join else row))
    if join:
        r.reads(_INPUT, size * rows * input_row, align=size)
        _indices(r, _INDICES, pairs, row)
    else:
        r.reads(_INPUT, 0)
    r.reads(_SPLIT_TWIDDLES, (4 if size == 2 else 16) * (pairs // 2), align=size)
    r.writes(_SPLIT_OUTPUT, size * rows * row, align=size)
    if size == 4:
        r.writes(_SPLIT_SCRATCH, _SCRATCH, align=4)


def _length(r):
    length, row = r.numbers(_LENGTH, 2)
    r.need(length <= row and r.words >= 5)
    r.writes(_LENGTH_OUTPUT, 4 * divided(r.units, length) * row, align=4)


CHECKS = {
    "signal_fft.eval_load": _load,
    "signal_fft_int16.eval_stage": lambda r: _stage(r, 2, 4),
    "signal_fft_int16.eval_split": lambda r: _split(r, 2, False),
    "signal_fft_int16.eval_join": lambda r: _split(r, 2, True),
    "signal_fft_odd_int16.eval_three": lambda r: _stage(r, 3),
    "signal_fft_odd_int16.eval_five": lambda r: _stage(r, 5),
    "signal_fft_wide_real.eval_length_float32": _length,
}
for _kind in ("int32", "float32"):
    CHECKS["signal_fft_wide.eval_stage_" + _kind] = lambda r: _wide_stage(r, 2, 4)
    CHECKS["signal_fft_odd_wide.eval_stage_" + _kind] = lambda r: _wide_stage(r, 3, 5)
    CHECKS["signal_fft_wide_real.eval_split_" + _kind] = lambda r: _split(r, 4, False)
    CHECKS["signal_fft_wide_real.eval_join_" + _kind] = lambda r: _split(r, 4, True)
