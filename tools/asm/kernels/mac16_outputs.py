# Kernel language: sums of MAC16 become outputs of int8, rounded as in TFLM
# MIT license; Copyright (c) 2026 the tflm authors


def _upper(t, to, value, factor):
    t.mulsh(to, value, factor)


def _shift_right(t, value):
    t.sra(value, value)


def _limit(t, spare, value):
    t.clamps(value, value, spare)


def _set_shift(t, shift):
    t.ssr(shift)


class Outputs:
    """The numbers of a channel (prepare/mac16.py), and the limits of the output.

    record: its layout has the zero point and the limits of the output.
    """

    def __init__(self, k, record):
        self.k = k
        self.zero_point = record.output_zero_point
        self.low, self.high = record.activation_min, record.activation_max
        self._product_bytes = 3 if k.machine.mulsh else 100

    def begin(self, factor, half):
        self.factor, self.half = factor, half

    def set_shift(self, shift):
        """Keep the right shift of a channel in SAR; shifts by numbers do not change it."""
        self.k.tile(_set_shift, [], [shift], [], 3)

    def _upper_product(self, value):
        to = self.k.reg()
        self.k.tile(_upper, [to], [value, self.factor], [], self._product_bytes)
        return to

    def twice(self, value):
        """Change a sum of a channel whose kind is TWICE.

        Sums have twice their value, so that the upper word of the product, rounded, is
        SaturatingRoundingDoublingHighMul (gemmlowp). RoundingDivideByPOT subtracts 1 from negative
        values and adds a half. A `half` of 0 means a shift by 0.
        """
        k, upper = self.k, self._upper_product(value)
        value *= self.factor
        value.set(value.lsr(31))
        value += upper
        with k.If(self.half != 0):
            sign = value >> 31
            value += self.half
            value += sign
            k.tile(_shift_right, [], [], [value], 3)
        value += self.zero_point
        value.set(value.max(self.low).min(self.high))

    def folded(self, value):
        """Change a sum of a channel whose kind is FOLDED.

        One multiplication does both roundings (prepare/folding.py), and the limits are the limits
        of int8.
        """
        value.set(self._upper_product(value))
        value += self.zero_point
        self.k.tile(_limit, [self.k.reg()], [], [value], 12)
