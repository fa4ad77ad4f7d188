# tflm: access checks: the signal library except FFTs and filter banks, and CIRCULAR_BUFFER
# MIT license; Copyright (c) 2026 the tflm authors

from ..dtypes import const

# Words of the records.
_INPUT = const(1)
_DELAY_OUTPUT = const(2)
_DELAY_HISTORY = const(3)
_LENGTH = const(4)
_DELAY = const(5)
_DELAY_HISTORY_ROW = const(6)
_ENERGY_OUTPUT = const(2)
_FIRST = const(3)
_BITS_OUTPUT = const(2)
_BITS = const(3)
_SIZE = const(4)
_SCALED_OUTPUT = const(2)
_WEIGHTS = const(2)
_WINDOW_OUTPUT = const(3)
_SHIFT = const(5)
_FRAMER_OUTPUT = const(2)
_VALID = const(3)
_FRAMER_FRAMES = const(5)
_MISSING = const(8)
_FRAMER_HISTORY = const(4)
_FRAMER_HISTORY_ROW = const(10)
_OVERLAP_ADD_OUTPUT = const(2)
_SUMS = const(3)
_OVERLAP_ADD_FRAMES = const(4)
_STACKER_OUTPUT = const(2)
_STACK = const(4)
_CHANNELS = const(5)
_LEFT_CONTEXT = const(6)
_STACKER_FRAMES = const(7)
_CIRCULAR_OUTPUT = const(2)
_CYCLES = const(3)
_DEPTH = const(4)
_SLOTS = const(5)
# Units are rows, frames or elements; each row has its own state. The kernel checks the numbers in
# the state, which may change while the model runs.


# A row of the state is a word and `length` samples.
def _state(r, i, row, length):
    r.need(row >= 4 + 2 * length and not row & 3)
    r.writes(i, r.units * row, align=4)


def _delay(r):
    (length,) = r.numbers(_LENGTH, 1)
    (delay,) = r.numbers(_DELAY, 1, 0)
    (row,) = r.numbers(_DELAY_HISTORY_ROW, 1)
    r.reads(_INPUT, 2 * r.units * length, align=2)
    r.writes(_DELAY_OUTPUT, 2 * r.units * length, align=2)
    _state(r, _DELAY_HISTORY, row, delay)


def _energy(r):
    _, last = r.numbers(_FIRST, 2, 0)
    r.reads(_INPUT, 4 * min(last, r.units), align=2)
    r.writes(_ENERGY_OUTPUT, 4 * r.units, align=4)


def _bits(r):
    size, _ = r.numbers(_SIZE, 2, 0)  # the second number is ignored
    r.need(r.units == 1)
    r.reads(_INPUT, 2 * size, align=2)
    r.reads(_BITS_OUTPUT, 0)
    r.writes(_BITS, 4, align=4)


def _scaled(r):
    r.reads(_INPUT, 2 * r.units, align=2)
    r.writes(_SCALED_OUTPUT, 2 * r.units, align=2)
    r.writes(_BITS, 4, align=4)


def _window(r):
    (length,) = r.numbers(_LENGTH, 1)
    r.need(r[_SHIFT] <= 31)
    r.reads(_INPUT, 2 * r.units * length, align=2)
    r.reads(_WEIGHTS, 2 * length, align=2)
    r.writes(_WINDOW_OUTPUT, 2 * r.units * length, align=2)


# A frame reads only the samples from its row that are not in history: at most one step.
def _framer(r):
    frames, size, step = r.numbers(_FRAMER_FRAMES, 3)
    _, length = r.numbers(_MISSING, 2, 0)
    (row,) = r.numbers(_FRAMER_HISTORY_ROW, 1)
    r.need(size - length <= step)
    r.reads(_INPUT, 2 * r.units * frames * step, align=2)
    r.writes(_FRAMER_OUTPUT, 2 * r.units * frames * size, align=2)
    r.writes(_VALID, 1)
    _state(r, _FRAMER_HISTORY, row, length)


def _overlap_add(r, item):
    frames, size, step = r.numbers(_OVERLAP_ADD_FRAMES, 3)
    r.need(step <= size)
    r.reads(_INPUT, item * r.units * frames * size, align=item)
    r.writes(_OVERLAP_ADD_OUTPUT, item * r.units * frames * step, align=item)
    r.writes(_SUMS, item * r.units * size, align=item)


def _stacker(r):
    (channels,) = r.numbers(_CHANNELS, 1)
    (left,) = r.numbers(_LEFT_CONTEXT, 1, 0)
    frames, step = r.numbers(_STACKER_FRAMES, 2)
    r.need(r.units == 1 and left < frames and step <= frames)
    r.reads(_INPUT, 2 * channels, align=2)
    r.writes(_STACKER_OUTPUT, 2 * channels * frames, align=2)
    r.writes(_VALID, 1)
    _state(r, _STACK, 4 + 2 * channels * frames + 3 & -4, channels * frames)


def _circular(r):
    (depth,) = r.numbers(_DEPTH, 1, 0)
    slots, _ = r.numbers(_SLOTS, 2)
    r.need(r.units == 1)
    r.reads(_INPUT, depth)
    r.writes(_CIRCULAR_OUTPUT, depth * slots)
    r.writes(_CYCLES, 4, align=4)


CHECKS = {
    "circular_buffer.eval_int8": _circular,
    "signal_delay.eval_int16": _delay,
    "signal_energy.eval_int16": _energy,
    "signal_fft_auto_scale.eval_bits": _bits,
    "signal_fft_auto_scale.eval_scaled": _scaled,
    "signal_framer.eval_int16": _framer,
    "signal_overlap_add.eval_float32": lambda r: _overlap_add(r, 4),
    "signal_overlap_add.eval_int16": lambda r: _overlap_add(r, 2),
    "signal_stacker.eval_int16": _stacker,
    "signal_window.eval_int16": _window,
}
