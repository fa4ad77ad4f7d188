# Kernel language: sums of products of contiguous inputs of int16 and weights of int8
# MIT license; Copyright (c) 2026 the tflm authors

from ..language.machines.thumb_dsp import ThumbDspMachine
from .outputs_dsp import multiply_add, unpack

_UNROLLED = 4


class Products:
    """The loop over inputs; a subclass has the one of a machine.

    rows: numbers of rows of weights that one vector of inputs is multiplied by at once. vectors:
    number of vectors that rows_of_vectors numbers of rows are multiplied by at once, or 0. Then
    rows_beside has the numbers for the vectors that are left. The last number is always 1.
    keeps_weights: whether all vectors should be multiplied by weights that a flash cache keeps
    before the next weights.
    """

    rows = rows_beside = (1,)
    rows_of_vectors, vectors = (), 0
    keeps_weights = False

    def __init__(self, k):
        self.k = k

    def begin(self, total):
        """Set a sum to 0."""
        total.set(0)

    def end(self, total):
        """Complete a sum."""

    def add(self, size, xs, ws, sums):
        """Add products of `size` bytes of inputs, at least two; the addresses advance.

        xs: addresses of inputs. ws: addresses of weights. sums: of the first vector with each
        row, of the second vector, and of the others.
        """
        end = self.k.var("end", xs[0] + size)
        with self.k.loop("tap", 64) as tap:
            self._add_tap(xs, ws, sums)
            self._advance(xs, ws, 1)
            tap.repeat_if(xs[0] != end)

    # Add the products of input i of each vector.
    def _add_tap(self, xs, ws, sums, i=0):
        values = [x.get("s16", 2 * i) for x in xs]
        for row, w in enumerate(ws):
            weight = w.get("s8", i)
            for vector, value in enumerate(values):
                total = sums[vector * len(ws) + row]
                total += value * weight

    def _advance(self, xs, ws, count):
        for x in xs:
            x += 2 * count
        for w in ws:
            w += count


class _Thumb(Products):
    """Addresses of ends, with a register as offset. A jump enters the unrolled loop."""

    rows, rows_beside = (4, 2, 1), (4, 1)
    rows_of_vectors, vectors = (1,), 4
    keeps_weights = True

    def add(self, size, xs, ws, sums):
        k = self.k
        for x in xs:
            x += size
        taps, is_single = size.lsr(1), len(xs) == 1
        for w in ws:
            w += taps
        index = k.var("index", -taps if is_single else -size)
        copies = k.new_copies(_UNROLLED)
        bytes_ = 6 + 6 * len(sums)
        omitted = index.field(0, 2) if is_single else index.field(1, 2)
        k.enter(copies, omitted * bytes_, bytes_)
        with k.loop("taps", 16) as loop:
            with k.repeated(copies):
                if is_single:
                    value = xs[0].get("s16", index, scale=1)
                    for w, total in zip(ws, sums, strict=True):
                        total += w.get("s8", index) * value
                    index += 1
                else:
                    weight = ws[0].get("s8", index >> 1)
                    for x, total in zip(xs, sums, strict=True):
                        total += x.get("s16", index) * weight
                    index += 2
            loop.repeat_if(index != 0)


# Inputs 0 and 2, and 1 and 3, of two words.
def _pair(t, odd, even, word):
    t.pkhtb(odd, word, even)
    t.pkhbt(even, even, word)


def _run_pair(even, word):
    return word & ~0xFFFF | even >> 16 & 0xFFFF, word << 16 | even & 0xFFFF


# A product for each row; the addresses advance.
def _products(t, value, weight, x, *rows):
    t.ldrsh_next(value, x)
    for w, total in zip(rows[::2], rows[1::2], strict=True):
        t.ldrsb_next(weight, w)
        t.mla(total, weight, value, total)


class _Dsp(Products):
    """Words of four weights, which may be unaligned, and of two inputs."""

    rows = 4, 2, 1

    def add(self, size, xs, ws, sums):
        k, (x,) = self.k, xs
        left, few, done = k.var("left", size - 8), k.new_label("few"), k.new_label("added")
        k.branch(left < 0, few)
        with k.loop("four", 16) as four:
            even, odd, second = k.reg(), k.reg(), k.reg()
            x.next(even)
            x.next(second)
            weights = ws[0].next(k.reg())
            k.tile(_pair, [odd], [second], [even], 8, run=_run_pair)
            # The next weights are loaded between two products: the core waits for loaded values.
            for total, following in zip(sums, [*ws[1:], None], strict=True):
                even_weights, odd_weights = unpack(k, weights)
                multiply_add(k, total, even_weights, even)
                if following is not None:
                    weights = following.next(k.reg())
                multiply_add(k, total, odd_weights, odd)
            left -= 8
            four.repeat_if(left >= 0)
        k.label(few)
        left += 8
        k.branch(left == 0, done)
        with k.loop("tap", 2) as tap:
            if isinstance(k.machine, ThumbDspMachine):
                rows = [r for pair in zip(ws, sums, strict=True) for r in pair]
                k.tile(_products, [k.reg(), k.reg()], [], [x, *rows], 4 + 8 * len(ws))
            else:
                self._add_tap(xs, ws, sums)
                self._advance(xs, ws, 1)
            left -= 2
            tap.repeat_if(left != 0)
        k.label(done)


class _Rv32(Products):
    """The next weight is loaded before a product, for cores that wait for loaded values."""

    rows, rows_beside = (8, 2, 1), (4, 1)
    rows_of_vectors, vectors = (4, 1), 2

    def add(self, size, xs, ws, sums):
        k, x = self.k, xs[0]
        if len(sums) < 4:
            return super().add(size, xs, ws, sums)
        shift = 2 if len(xs) > 1 else 3
        end = k.var("end", x + (size.lsr(shift) << shift))
        with k.While(lambda: x != end, "four", 16):
            for i in range(1 << shift - 1):
                self._add_tap(xs, ws, sums, i)
            self._advance(xs, ws, 1 << shift - 1)
        rest = k.var("rest", size.field(0, shift))
        with k.If(rest != 0):
            end.set(x + rest)
            with k.loop("tap", 2) as tap:
                self._add_tap(xs, ws, sums)
                self._advance(xs, ws, 1)
                tap.repeat_if(x != end)
        return None

    def _add_tap(self, xs, ws, sums, i=0):
        values = [x.get("s16", 2 * i) for x in xs]
        next_weight = ws[0].get("s8", i)
        for row in range(len(ws)):
            weight = next_weight
            if row + 1 < len(ws):
                next_weight = ws[row + 1].get("s8", i)
            for vector, value in enumerate(values):
                total = sums[vector * len(ws) + row]
                total += value * weight


# The accumulator, which has 40 bits, adds 256 times each product: a weight is the upper byte of
# a halfword.
def _clear(t, zero):
    t.clear_acc(zero)


def _sum(t, total, upper):
    t.rsr_acclo(total)
    t.rsr_acchi(upper)
    t.srli(total, total, 8)
    t.slli(upper, upper, 24)
    t.or_(total, total, upper)


# Four products at a time, then the others. Where both addresses are multiples of 4, words are
# loaded: `even` has the weights 0 and 2 of a word, `odd` the weights 1 and 3.
def _add_products(t, word, even, odd, x, w, count, mask):
    single, words_end, fours_end, end = map(
        t.new_label, ("single", "words_end", "fours_end", "taps_end")
    )
    t.or_(word, x, w)
    t.extui(word, word, 0, 2)
    t.bnez(word, single)
    t.srli(even, count, 2)
    t.extui(count, count, 0, 2)
    t.addi(x, x, -4)  # LDINC advances before it loads
    t.loopnez(even, words_end)
    t.l32i(word, w)
    t.ldinc("m0", x)
    t.and_(odd, word, mask)
    t.ldinc("m1", x)
    t.slli(even, word, 8)
    t.addi(w, w, 4)
    t.and_(even, even, mask)
    t.mula("ll", "m0", even)
    t.mula("hl", "m0", odd)
    t.mula("lh", "m1", even)
    t.mula("hh", "m1", odd)
    t.label(words_end)
    t.addi(x, x, 4)
    t.label(single)
    t.srli(even, count, 2)
    t.extui(count, count, 0, 2)
    t.loopnez(even, fours_end)
    for i in range(4):
        t.l8ui(word, w, i)
        t.l16ui(odd, x, 2 * i)
        if i == 3:
            t.addi(w, w, 4)
        t.slli(word, word, 8)
        if i == 3:
            t.addi(x, x, 8)
        t.mula("ll", word, odd)
    t.label(fours_end)
    t.loopnez(count, end)
    t.l8ui(word, w)
    t.l16ui(even, x)
    t.addi(w, w, 1)
    t.slli(word, word, 8)
    t.addi(x, x, 2)
    t.mula("ll", word, even)
    t.label(end)


class _Mac16(Products):
    """The accumulator of MAC16 has one sum, and loops repeat without a jump."""

    def __init__(self, k):
        super().__init__(k)
        self.mask = k.var("mask", 0xFF00FF00 - (1 << 32))

    def begin(self, total):
        self.k.tile(_clear, [], [self.k.const(0)], size=6)

    def end(self, total):
        self.k.tile(_sum, [total, self.k.reg()], size=15)

    def add(self, size, xs, ws, sums):
        k = self.k
        spare, count = [k.reg() for _ in range(3)], size.lsr(1)
        k.tile(_add_products, spare, [self.mask], [*xs, *ws, count], 130)


_PRODUCTS = {"armv6m": _Thumb, "armv7em": _Dsp, "rv32imc": _Rv32, "xtensawin": _Mac16}


def products(k):
    """Return the Products of a kernel's machine."""
    return _PRODUCTS.get(k.machine.name, Products)(k)
