# tflm: extents: the signal library but for FFTs and filter banks, and CIRCULAR_BUFFER
# MIT license; Copyright (c) 2026 the tflm authors

# Units are rows, frames or elements; state that stays lies in rows of its own. What a state says
# while the model runs is checked by the kernel.


# A row of the state is a word and `length` samples.
def _state(r, i, row, length):
    r.need(row >= 4 + 2 * length and not row & 3)
    r.writes(i, r.units * row, align=4)


def _delay(r):
    (length,) = r.numbers(4, 1)
    (delay,) = r.numbers(5, 1, 0)
    (row,) = r.numbers(6, 1)
    r.reads(1, 2 * r.units * length, align=2)
    r.writes(2, 2 * r.units * length, align=2)
    _state(r, 3, row, delay)


def _energy(r):
    _, last = r.numbers(3, 2, 0)
    r.reads(1, 4 * min(last, r.units), align=2)
    r.writes(2, 4 * r.units, align=4)


def _bits(r):
    size, _ = r.numbers(4, 2, 0)  # and the number that counts for nothing
    r.need(r.units == 1)
    r.reads(1, 2 * size, align=2)
    r.reads(2, 0)
    r.writes(3, 4, align=4)


def _scaled(r):
    r.reads(1, 2 * r.units, align=2)
    r.writes(2, 2 * r.units, align=2)
    r.writes(3, 4, align=4)


def _window(r):
    (length,) = r.numbers(4, 1)
    r.need(r[5] <= 31)
    r.reads(1, 2 * r.units * length, align=2)
    r.reads(2, 2 * length, align=2)
    r.writes(3, 2 * r.units * length, align=2)


# A frame takes from its row what history does not have: no more than one step brings.
def _framer(r):
    frames, size, step = r.numbers(5, 3)
    _, length = r.numbers(8, 2, 0)
    (row,) = r.numbers(10, 1)
    r.need(size - length <= step)
    r.reads(1, 2 * r.units * frames * step, align=2)
    r.writes(2, 2 * r.units * frames * size, align=2)
    r.writes(3, 1)
    _state(r, 4, row, length)


def _overlap_add(r, item):
    frames, size, step = r.numbers(4, 3)
    r.need(step <= size)
    r.reads(1, item * r.units * frames * size, align=item)
    r.writes(2, item * r.units * frames * step, align=item)
    r.writes(3, item * r.units * size, align=item)


def _stacker(r):
    (channels,) = r.numbers(5, 1)
    (left,) = r.numbers(6, 1, 0)
    frames, step = r.numbers(7, 2)
    r.need(r.units == 1 and left < frames and step <= frames)
    r.reads(1, 2 * channels, align=2)
    r.writes(2, 2 * channels * frames, align=2)
    r.writes(3, 1)
    _state(r, 4, 4 + 2 * channels * frames + 3 & -4, channels * frames)


def _circular(r):
    (depth,) = r.numbers(4, 1, 0)
    slots, _ = r.numbers(5, 2)
    r.need(r.units == 1)
    r.reads(1, depth)
    r.writes(2, depth * slots)
    r.writes(3, 4, align=4)


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
