# Kernel language: sums become outputs of int8, with a multiplier for each channel
# MIT license; Copyright (c) 2026 the tflm authors

from ..language.macros import multiply_rounded


# Divide by a power of 2, halves away from 0, and add the zero point. The shift leaves the highest
# bit that it drops in the carry; a shift by 0 leaves the carry of the sum. The lowest byte of a
# shift counts.
def _divide(t, value, sign, shift, zero_point):
    t.add(value, sign)
    t.asr(value, value, shift)
    t.adc(value, zero_point)


def _run_divide(value, _sign, shift, zero_point):
    shift &= 0xFF
    if shift:
        value = (value - (value < 0) >> shift - 1) + 1 >> 1
    return (value + zero_point,)


class ChannelOutputs:
    """MultiplyByQuantizedMultiplier of TFLM for sums below 2 ** 30 and right shifts, and limits.

    record: its layout has LIMITS. The multiplier of a channel is three words: its lower and upper
    half, and the right shift; or split() makes them of a word. is_repeated: it is loaded once for
    many sums.
    """

    def __init__(self, k, record, is_repeated=True):
        self.k, self.is_repeated = k, is_repeated
        self.has_carry = k.machine.name == "armv6m"
        names = "output_zero_point", "activation_min", "activation_max"
        self.set_limits([getattr(record, name) for name in names])

    def limits(self):
        """Return the registers of the zero point and of the limits of the output."""
        return self.zero_point, self.low, self.high

    def set_limits(self, limits):
        self.zero_point, self.low, self.high = limits

    def begin(self, address, offset=0):
        """Load the multiplier of a channel, on machines with enough registers."""
        if self.has_carry:
            return
        k = self.k
        self.factor, self.upper, self.shift = k.words(address, offset, "factor", "upper", "shift")
        if self.is_repeated:
            self.nudge = k.var("nudge", (k.const(1) << self.shift).lsr(1))
        if k.machine.has_mulh:
            self.factor += self.upper << 16

    def split(self, multiplier, shift):
        """Set the multiplier of a channel, a word, and its right shift."""
        self.factor, self.upper, self.shift = multiplier.field(0, 16), multiplier.lsr(16), shift

    def apply(self, value, reader=None):
        """Change a sum to the output. reader: Cursor at the multiplier, for some machines."""
        k = self.k
        if self.has_carry:
            factor, upper, shift = (
                reader.next(3) if reader else (self.factor, self.upper, self.shift)
            )
            high, rest = self._products(value, factor, upper)
            k.emit("round_shift", [value], [value + high, rest], info=15)
            ins = value >> 31, shift, k.var("zero_point", self.zero_point)
            k.tile(_divide, [], ins, [value], size=6, run=_run_divide)
        else:
            if k.machine.has_mulh:
                value.set(multiply_rounded(k, value, self.factor))
            else:
                high, rest = self._products(value, self.factor, self.upper)
                value += high
                value += 1 << 14
                value >>= 15
                value += rest
            with k.If(self.shift != 0):
                value += value >> 31
                if self.is_repeated:
                    value += self.nudge
                    value >>= self.shift
                else:
                    value >>= self.shift - 1
                    value += 1
                    value >>= 1
            value += self.zero_point
        value.set(value.max(self.low).min(self.high))

    # With value = high * 2 ** 15 + low and a multiplier = upper * 2 ** 16 + factor, the product is
    # (rest << 31) + ((value + middle) << 16); return (middle, rest).
    def _products(self, value, factor, upper):
        high = value >> 15
        if self.has_carry:
            value -= high << 15
        else:
            value.set(value.field(0, 15))
        rest = high * upper
        high *= factor
        high += (factor * value).lsr(15)
        high >>= 1
        value *= upper
        return high, rest
