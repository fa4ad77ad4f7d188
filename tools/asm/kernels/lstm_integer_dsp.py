# Generator of the assembler kernels of the LSTM of int8 and int16 for the DSP extension
# MIT license; Copyright (c) 2026 the tflm authors

from .lstm_integer import Lstm, WideLstm
from .outputs_int16 import MAX_PRODUCTS

_WORDS = 4  # of a row that a pass of the loop multiplies
_WORD_BYTES = 84  # of the machine code for a word


def _pair_lanes(t, even, odd, first, second):
    t.pkhbt(even, first, second)
    t.pkhtb(odd, second, first)


# Multiply a word of weights at `weights`, which advances, by four taps: 0 and 2 in `even`, 1 and 3
# in `odd`. `spare` and `word` are changed. The word may be unaligned.
def _products(t, spare, word, acc, weights, even, odd):
    t.ldr_next(word, weights)
    t.sxtb16(spare, word)
    t.sxtb16(word, word, 8)
    t.smlad(acc, spare, even, acc)
    t.smlad(acc, word, odd, acc)


def _taps(t, even, odd, word, minus):
    t.sxtab16(even, minus, word)
    t.sxtab16(odd, minus, word, 8)


def _doubled_taps(t, even, odd, word, minus):
    _taps(t, even, odd, word, minus)
    t.sadd16(even, even, even)
    t.sadd16(odd, odd, odd)


# Multiply any number by 2 ** -31 and a multiplier, rounded.
def _high(t, low, high, value, multiplier):
    t.smull(low, high, value, multiplier)
    t.add_wide(low, low, low, flags=True)
    t.adc_wide(high, high, high)
    t.add_wide(low, low, low, flags=True)
    t.add_carry(high, high)


# Multiply a doubled number by 2 ** -32 and a multiplier, rounded.
def _doubled_high(t, value, multiplier):
    t.smmulr(value, value, multiplier)


# Shift right, rounded to nearest, halves away from 0; see requantize().
def _round(t, value, shift):
    t.add_wide(value, value, value, "asr", 31, flags=True)
    t.asrs(value, value, shift)
    t.add_carry(value, value)


def _saturate(t, value, bits):
    t.ssat(value, value, bits)


class _DspLstm(Lstm):
    """The kernel for the DSP extension: four products of a word of weights at once."""

    doubled, elements = 1, "4 elements at least"

    # Write `depth` inputs less their zero point as taps: of each four, 0 and 2, then 1 and 3. The
    # last word of a row has its last four elements; its taps are 0 where the word before has the
    # same element.
    def begin_products(self, source, depth, offsets, doubled):
        k = self.k
        self.taps = k.var("taps", self.gates + (self.record.block << 3))
        taps_of = self.taps_of(offsets, doubled)
        to = k.var("to", self.taps)
        step = self.bits >> 1  # bytes of four inputs
        end = k.var("end", source + self.size_of(depth) - step)
        even, odd = k.vars("even odd")
        with k.loop("unpack", times=8) as unpack:
            taps_of(even, odd, source)
            source += step
            to.put_next(even, odd)
            unpack.repeat_if(source.not_above(end))
        self.words_end = k.var("words_end", to)
        before = (-(depth >> 2)).field(0, 2)  # copies that the first pass of _dot() omits
        self.entry = k.var("entry", before * _WORD_BYTES)
        self.overlap = k.var("overlap", source - end)  # in inputs; 4: there is no last word
        if self.bits == 16:
            self.overlap.set(self.overlap.lsr(1))
        with k.If(self.overlap != 4):
            taps_of(even, odd, end)
            with k.If(self.overlap > 2):
                even.set(0)
            even.set(even.lsr(16) << 16)
            with k.If(self.overlap > 1):
                odd.set(odd.lsr(16) << 16)
            to.put_next(even, odd)

    def taps_of(self, offsets, doubled):
        """Return a function that sets two registers to the taps of four inputs at an address."""
        k = self.k
        write, size = (_doubled_taps, 16) if doubled else (_taps, 8)
        minus = k.var("minus", 128 - getattr(self.record, offsets).field(0, 16))
        minus = k.var("minus", minus.field(0, 16) * 0x10001)
        return lambda even, odd, at: k.tile(write, [even, odd], [at[0], minus], size=size)

    # Add a row of weights times the taps to each sum; the addresses of weights advance.
    def dot(self, weights, sums, depth):
        k = self.k
        tap = k.var("tap", self.taps)
        words = k.new_copies(_WORDS)
        k.enter(words, self.entry, _WORD_BYTES)
        with k.loop("words", times=4) as loop:
            with k.repeated(words):
                self._dot_word(tap, weights, sums)
            loop.repeat_if(tap.below(self.words_end))
        with k.If(self.overlap != 4):
            for row in weights:
                row -= self.overlap
            self._dot_word(tap, weights, sums)

    def _dot_word(self, tap, weights, sums):
        k = self.k
        even, odd = tap.next(k.reg(), k.reg())
        for row, acc in zip(weights, sums, strict=True):
            k.tile(_products, [k.reg(), k.reg()], [even, odd], [acc, row], size=20)

    def clamp(self, value, bits):
        self.k.tile(_saturate, [], [], [value], size=4, info=(bits,))

    def rescale(self, value, name):
        k = self.k
        low, high = k.reg(), k.reg()
        multiplier, shift = self.multiplier(name)
        k.tile(_high, [low, high], [value, multiplier], size=20)
        self.round(high, shift)
        return high

    def rescale_doubled(self, value, name):
        multiplier, shift = self.multiplier(name)
        self.k.tile(_doubled_high, [], [multiplier], [value], size=4)
        self.round(value, shift)

    def round(self, value, shift):
        self.k.tile(_round, [], [shift], [value], size=12)


class _WideDspLstm(WideLstm, _DspLstm):
    doubled, elements = 1, f"4 to {MAX_PRODUCTS} elements"

    def taps_of(self, _offsets, _doubled):
        k = self.k
        return lambda even, odd, at: k.tile(_pair_lanes, [even, odd], [at[0], at[4]], size=8)


def rows_kernel(machine):
    return _DspLstm.kernel(machine)


def wide_rows_kernel(machine):
    return _WideDspLstm.kernel(machine)
