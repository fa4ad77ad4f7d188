# Generator of the assembler kernels of the LSTM of int8 and int16 for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

from .lstm_integer import Lstm, WideLstm

_TAPS = 4  # that a pass of the loop multiplies
_TAP_BYTES = 30  # of the machine code for a tap


# As _round(), with a register `sign` that changes. The carry is the last bit that the shift drops.
def _round_short(t, sign, value, shift):
    t.asr(sign, value, 31)
    t.add(value, sign)
    t.mov(sign, 0)
    t.asr(value, value, shift)
    t.adc(value, sign)


class _ThumbLstm(Lstm):
    """The kernel for a Cortex-M0+, whose loads of bytes with sign take a register as offset."""

    # A jump to the begin, because a Cortex-M0+ jumps at most 2 KB.
    def middle(self, loop):
        k = self.k
        again, onward = k.new_label("again"), k.new_label("onward")
        k.goto(onward)
        k.label(again)
        loop.repeat()
        k.label(onward)
        return again

    def begin_products(self, vector, depth, offsets, _doubled):
        k = self.k
        self.minus = k.var("minus", 128 - getattr(self.record, offsets).field(0, 16))
        self.minus.is_total = True
        self.vector_end = k.var("vector_end", vector + depth)
        self.entry = self.entry_of(depth)

    def entry_of(self, depth):
        """Return the bytes of the taps that the first pass of a loop omits."""
        return self.k.var("entry", (-depth & _TAPS - 1) * _TAP_BYTES)

    def dot(self, weights, sums, depth):
        k = self.k
        ends = [k.var("row_end", row + depth) for row in weights]
        for row, acc in zip(weights, sums, strict=True):
            row += depth
            acc.is_total = True
        vector_end = k.var("end", self.vector_end)
        at = k.var("at", -depth)
        taps = k.new_copies(_TAPS)
        k.enter(taps, self.entry, _TAP_BYTES)
        with k.loop("input", times=16) as loop:
            with k.repeated(taps):
                value = self.input_at(vector_end, at)
                for row, acc in zip(ends, sums, strict=True):
                    acc += row.get("s8", at) * value
                at += 1
            loop.repeat_if(at != 0)

    def input_at(self, vector_end, at):
        value = vector_end.get("s8", at)
        value += self.minus
        return value

    def round(self, value, shift):
        self.k.tile(_round_short, [self.k.reg()], [shift], [value], size=10)


class _WideThumbLstm(WideLstm, _ThumbLstm):
    def begin_products(self, vector, depth, _offsets, _doubled):
        self.vector_end = self.k.var("vector_end", vector + (depth << 1))
        self.entry = self.entry_of(depth)

    def input_at(self, vector_end, at):
        return vector_end.get("s16", at, scale=1)


def rows_kernel(machine):
    return _ThumbLstm.kernel(machine)


def wide_rows_kernel(machine):
    return _WideThumbLstm.kernel(machine)
