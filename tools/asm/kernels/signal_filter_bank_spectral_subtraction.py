# Kernel of SignalFilterBankSpectralSubtraction in the kernel language
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.signal_filter_bank_spectral_subtraction import LAYOUT

from ..language.calls import begin_eval
from ..language.macros import Record

_ABOUT = """
SignalFilterBankSpectralSubtraction. Units are channels. op: LAYOUT of
prepare/signal_filter_bank_spectral_subtraction.py.
"""
_PAIR = 8  # bytes of a smoothing factor and 1 minus it


# Numbers of 64 bits are lists of a lower and an upper word.
def _product(k, one, other):
    return [k.var("low", one * other), k.var("high", one.mulhu(other))]


def _add(k, number, other):
    carry = k.reg("carry")
    number[0] += other[0]
    k.emit("ult", [carry], [number[0], other[0]])
    number[1] += other[1] + carry


class _Shift:
    """A shift to the right by 0 to 63 bits."""

    def __init__(self, k, bits):
        self._k, self._bits = k, bits.field(0, 5)
        self._left, self._is_far = 31 - self._bits, bits.lsr(5)

    def apply(self, number):
        """Return the lower word of the shifted number; its registers change."""
        low, high = number
        with self._k.If(self._is_far != 0, rare=True):
            low.set(high)
            high.set(0)
        return self._k.var("shifted", low.lsr(self._bits) | high << 1 << self._left)


# With s = input << smoothing_bits, products of 64 bits and a shift by spectral_subtraction_bits:
# 1. noise = s * smoothing + noise * (1 - smoothing), shifted back. With clamping it is s at most.
# 2. output = max(max(s - noise, 0) shifted back, input * min_signal_remaining shifted back).
def eval_uint32(machine):
    k, start, stop = begin_eval("eval_uint32", _ABOUT, machine)
    op, arena, rom = k.arguments[:3]
    record = Record(k, op, LAYOUT)
    operands = [record.operand(name, arena, rom) + (start << 2) for name in LAYOUT[:4]]
    x, output, noise_output, noise = operands
    bits, clamping = record.smoothing_bits, record.clamping
    lowest_factor, shift = record.min_signal_remaining, _Shift(k, record.spectral_subtraction_bits)
    factors = k.var("factors", op + record.offset("smoothing"))
    parity = k.var("parity", start.field(0, 1) * _PAIR)
    end = k.var("end", x + (stop - start << 2))
    with k.While(lambda: x != end, "channel"):
        value = k.var("input", x[0])
        scaled = k.var("scaled", value << bits)
        smoothing, rest = k.words(factors + parity, 0, "smoothing", "one_minus_smoothing")
        number = _product(k, scaled, smoothing)
        _add(k, number, _product(k, noise[0], rest))
        estimate = shift.apply(number)
        subtracted = k.var("subtracted", estimate)
        with k.If(estimate.above(scaled)):
            subtracted.set(scaled)
            with k.If(clamping != 0):
                estimate.set(scaled)
        noise[0] = estimate
        noise_output[0] = estimate
        result = k.var("result", (scaled - subtracted).lsr(bits))
        lowest = shift.apply(_product(k, value, lowest_factor))
        with k.If(lowest.above(result)):
            result.set(lowest)
        output[0] = result
        for address in operands:
            address += 4
        parity ^= _PAIR
    return k.finish()
