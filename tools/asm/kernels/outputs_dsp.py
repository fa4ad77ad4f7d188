# Kernel language: sums become outputs of int8, with the DSP extension
# MIT license; Copyright (c) 2026 the tflm authors


def _fold(t, *registers):
    *sums, factor, zero_point = registers
    for total in sums:
        t.smmla(total, total, factor, zero_point)
    for total in sums:
        t.ssat(total, total, 8)


def _run_fold(*values):
    *sums, factor, zero_point = values
    return tuple(_saturated((total * factor >> 32) + zero_point) for total in sums)


# MultiplyByQuantizedMultiplier (TFLM common.cc, double rounding) of halves of sums, for right
# shifts of 0..31, and the zero point.
#
# SMMULR of 2 * v and m is (2 * v * m + 2**31) / 2**32 = (v * m + 2**30) / 2**31, rounded down:
# SaturatingRoundingDoublingHighMul. The weights are stored doubled, so that sums are 2 * v.
# RoundingDivideByPOT rounds halves away from zero, so 1 is subtracted from negative values first.
# The shift leaves the highest bit that it drops in the carry, and ADC adds the carry. A shift by 0
# leaves the carry of the ADD before it, which adds that 1 again.
def _requantize(t, *registers):
    *sums, multiplier, shift, zero_point = registers
    for total in sums:
        t.smmulr(total, total, multiplier)
    for total in sums:
        t.add_wide(total, total, total, "asr", 31, flags=True)
        t.asrs(total, total, shift)
        t.adc_wide(total, total, zero_point)
    for total in sums:
        t.ssat(total, total, 8)


def _run_requantize(*values):
    *sums, multiplier, shift, zero_point = values
    outputs = (_scaled(total, multiplier, shift & 0xFF) for total in sums)
    return tuple(_saturated(output + zero_point) for output in outputs)


def _scale(t, *registers):
    *values, multiplier, shift = registers
    for value in values:
        t.smmulr(value, value, multiplier)
    for value in values:
        t.add_wide(value, value, value, "asr", 31, flags=True)
        t.asrs(value, value, shift)
        t.add_carry(value, value)


def _run_scale(*values):
    *values, multiplier, shift = values
    return tuple(_scaled(value, multiplier, shift) for value in values)


def _scaled(value, multiplier, shift):
    value = value * multiplier + (1 << 31) >> 32
    return (value - (value < 0) >> shift - 1) + 1 >> 1 if shift else value


def _saturated(value):
    return max(-128, min(127, value))


def fold(k, sums, factor, zero_point):
    """Make outputs of sums with one multiplication (see prepare/folding.py)."""
    k.tile(_fold, [], [factor, zero_point], sums, 8 * len(sums), run=_run_fold)


def requantize(k, sums, multiplier, shift, zero_point):
    """Make outputs of doubled sums, rounded twice as in TFLM."""
    ins = multiplier, shift, zero_point
    k.tile(_requantize, [], ins, sums, 20 * len(sums), run=_run_requantize)


def scale(k, values, multiplier, shift):
    """Change doubled values as requantize() does, without the zero point and the limits."""
    k.tile(_scale, [], [multiplier, shift], values, 16 * len(values), run=_run_scale)


def _join(t, word, *others):
    for i, other in enumerate(others):
        t.bfi(word, other, 8 * (i + 1), 8)


def _run_join(*values):
    return (sum((value & 0xFF) << 8 * i for i, value in enumerate(values)),)


def join(k, values):
    """Make the first one of four values a word of their lowest bytes."""
    k.tile(_join, [], values[1:], values[:1], 4 * len(values) - 4, run=_run_join)


def _clamp(t, spare, word, low, high):
    t.at_least(word, low, spare)
    t.at_most(word, high, spare)


def _run_clamp(*words):
    result = 0
    for i in range(4):
        value, low, high = ((word >> 8 * i & 0xFF ^ 0x80) - 0x80 for word in words)
        result |= (max(low, min(high, value)) & 0xFF) << 8 * i
    return 0, result


def clamp(k, word, low, high):
    """Clamp each byte of a word to a byte of `low` and a byte of `high`."""
    k.tile(_clamp, [k.reg()], [low, high], [word], 16, run=_run_clamp)


def _multiply(t, total, one, other):
    t.smlad(total, one, other, total)


def _run_multiply(total, one, other):
    for half in (0, 16):
        x, y = ((word >> half & 0xFFFF ^ 0x8000) - 0x8000 for word in (one, other))
        total += x * y
    return (total,)


def multiply_add(k, total, one, other):
    """Add the products of the halfwords of two words."""
    k.tile(_multiply, [], [one, other], [total], 4, run=_run_multiply)


def _unpack(t, even, word):
    t.sxtb16(even, word)
    t.sxtb16(word, word, 8)


def _run_unpack(word):
    one, two, three, four = ((word >> 8 * i & 0xFF ^ 0x80) - 0x80 for i in range(4))
    return one & 0xFFFF | three << 16, two & 0xFFFF | four << 16


def unpack(k, word):
    """Return halfwords of bytes 0 and 2 of a word, and of bytes 1 and 3, which replace it."""
    even = k.reg()
    k.tile(_unpack, [even], [], [word], 8, run=_run_unpack)
    return even, word
