# Generator of the assembler kernels of the LSTM of int8 and int16 for the DSP extension
# MIT license; Copyright (c) 2026 the tflm authors

from .lstm_integer import Lstm, WideLstm
from .outputs_int16 import MAX_PRODUCTS

_WORDS = 4  # of a row that a pass of the loop multiplies
_WORD_BYTES = 84  # of the machine code for a word


def _pair_lanes(t, even, odd, first, second):
    t.pkhbt(even, first, second)
    t.pkhtb(odd, second, first)


# Multiply a word of weights of each row, whose address advances, by four taps: 0 and 2 in `even`,
# 1 and 3 in `odd`. The words may be unaligned. The next one is loaded between two products,
# because the core waits for a loaded value.
def _products(t, spare, word, *registers):
    *sums_and_rows, even, odd = registers
    sums, rows = sums_and_rows[::2], sums_and_rows[1::2]
    t.ldr_next(word, rows[0])
    for acc, following in zip(sums, [*rows[1:], None], strict=True):
        t.sxtb16(spare, word)
        t.sxtb16(word, word, 8)
        t.smlad(acc, spare, even, acc)
        if following is not None:
            t.ldr_next(spare, following)
        t.smlad(acc, word, odd, acc)
        spare, word = word, spare


def _taps(t, even, odd, word, minus):
    t.sxtab16(even, minus, word)
    t.sxtab16(odd, minus, word, 8)


def _doubled_taps(t, even, odd, word, minus):
    _taps(t, even, odd, word, minus)
    t.sadd16(even, even, even)
    t.sadd16(odd, odd, odd)


# Double a number; the result is as near to twice the number as 32 bits allow.
def _double(t, value):
    t.qadd(value, value, value)


# Multiply a doubled number by 2 ** -32 and a multiplier, rounded.
def _doubled_high(t, value, multiplier):
    t.smmulr(value, value, multiplier)


# Shift right, rounded to nearest, halves away from 0; see requantize(). Between, load the word at
# `offset`, unless it is None: a shifted operand is late. A shift by 0 keeps the first carry.
def _round(t, *registers):
    *following, value, op, shift, offset = registers
    t.add_wide(value, value, value, "asr", 31, flags=True)
    for word in following:
        t.memory("ld", "w", word, op, offset)
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
        changed = [each for pair in zip(sums, weights, strict=True) for each in pair]
        k.tile(_products, [k.reg(), k.reg()], [even, odd], changed, size=20 * len(sums))

    def clamp(self, value, bits):
        self.k.tile(_saturate, [], [], [value], size=4, info=(bits,))

    # Numbers from 2 ** 30 on, whose doubles are limited, become 32767 after shifts by 14 at most.
    def rescaled(self, values, names):
        for value in values:
            self.k.tile(_double, [], [], [value], size=4)
        return self.rescaled_doubled(values, names)

    # The core waits for results that the next instruction uses. So all values are multiplied, then
    # all are shifted, and words of the record are loaded one value earlier.
    def rescaled_doubled(self, values, names):
        k, op = self.k, self.op
        multipliers = [self.record.offset(name + "multiplier") for name in names]
        shifts = [at + 4 for at in multipliers]
        word = op[multipliers[0]]
        for value, following in zip(values, [*multipliers[1:], shifts[0]], strict=True):
            multiplier, word = word, op[following]
            k.tile(_doubled_high, [], [multiplier], [value], size=4)
        for value, following in zip(values, [*shifts[1:], None], strict=True):
            shift = 32 - word
            outs = [k.reg()] if following else []
            size = 12 + 4 * len(outs)
            k.tile(_round, outs, [op, shift], [value], size, info=(following,))
            word = outs and outs[0]
        return values


class _WideDspLstm(WideLstm, _DspLstm):
    doubled, elements = 1, f"4 to {MAX_PRODUCTS} elements"

    def taps_of(self, _offsets, _doubled):
        k = self.k
        return lambda even, odd, at: k.tile(_pair_lanes, [even, odd], [at[0], at[4]], size=8)


def rows_kernel(machine):
    return _DspLstm.kernel(machine)


def wide_rows_kernel(machine):
    return _WideDspLstm.kernel(machine)
