# The FFT and powers of tflm.features in the kernel language, for machines with SMLAL and CLZ
# MIT license; Copyright (c) 2026 the tflm authors

from ..language.calls import begin_function
from ..language.machine import to_signed

_ABOUT = "_run_stages() of features/fft.py: products have 64 bits."
_ABOUT_POWER = "power() of features/fft.py: products have 64 bits."
_BITS = 14  # of the lower part of a factor
_HALF = 1 << 14  # that the table adds to the upper bits of a twiddle


# Products of (a, b) and (cos, sin), without the last shift. An instruction between two sums of one
# register avoids a wait.
def _rotate(t, e, e_high, f, f_high, a, a_high, b, b_high, cos, cos_low, sin, sin_low):
    t.smull(e, e_high, a, cos)
    t.smull(f, f_high, b, cos)
    t.smlal(e, e_high, b, sin)
    t.negate(a, a)
    t.smlal(f, f_high, a, sin)
    t.smlal(e, e_high, a_high, cos_low)
    t.negate(a_high, a_high)
    t.smlal(f, f_high, b_high, cos_low)
    t.smlal(e, e_high, b_high, sin_low)
    t.smlal(f, f_high, a_high, sin_low)


def _run_rotate(*words):
    a, a_high, b, b_high, cos, cos_low, sin, sin_low = map(to_signed, words)
    e = a * cos + a_high * cos_low + b * sin + b_high * sin_low
    f = b * cos + b_high * cos_low - a * sin - a_high * sin_low
    words = e, e >> 32, f, f >> 32, -a, -a_high
    return [to_signed(word & 0xFFFFFFFF) for word in words]


# Count the zeros before the first bit.
def _count_zeros(k, value):
    zeros = k.reg("zeros")
    run = lambda word: (32 - (word & 0xFFFFFFFF).bit_length(),)  # noqa: E731
    k.tile(lambda t, to, x: t.clz(to, x), [zeros], [value], (), 4, (), run)
    return zeros


# Return cosine and sine of a twiddle: the upper bits and the lower bits of both.
def _twiddle(k, w):
    cos, sin = k.var("cos", w.get("u16") - _HALF), k.var("sin", w.get("u16", 4) - _HALF)
    return cos, k.var("cos_low", w.get("u16", 2)), sin, k.var("sin_low", w.get("u16", 6))


# Return (a, b) times a twiddle.
def _rotated(k, a, b, twiddle):
    a_high, b_high = k.var("a_high", a >> _BITS), k.var("b_high", b >> _BITS)
    outs = k.vars("e e_high f f_high")
    factors = b, b_high, *twiddle
    k.tile(_rotate, outs, factors, (a, a_high), 40, (), _run_rotate)
    return [outs[i].lsr(_BITS) | outs[i + 1] << 32 - _BITS for i in (0, 2)]


# Combine each number at `gap` bytes from another one with it. rotated: a function that returns the
# former times its twiddle.
def _butterflies(k, first, gap, end, rotated):
    x = k.var("x", first)
    with k.While(lambda: x.below(end), "butterfly", times=16):
        y = k.var("y", x + gap)
        e, f = rotated(*k.words(y, 0, "a", "b"))
        one, other = k.words(x, 0, "one", "other")
        x[0] = (one + e) >> 1
        x[4] = (other + f) >> 1
        y[0] = (one - e) >> 1
        y[4] = (other - f) >> 1
        x.set(y + gap)


def _run_stages(machine):
    names = ("work", "data", "pairs", "table")
    k, (work, data, pairs, table) = begin_function("_run_stages", _ABOUT, names, machine)
    begin = k.var("begin", work + (data << 2))
    size = k.var("size", pairs << 3)
    end = k.var("end", begin + size)
    twiddles = k.var("twiddles", table + (pairs << 1))
    gap, step = k.var("gap", 16), k.var("step", pairs << 2)
    with k.While(lambda: gap.below(size), "stage"):
        # The first twiddle is 1.
        _butterflies(k, begin, gap, end, lambda a, b: (a, b))
        w, first, last = k.var("w", twiddles), k.var("first", begin), k.var("last", begin + gap)
        with k.loop("twiddle", times=16) as loop:
            first += 8
            w += step
            loop.leave_if(first.not_below(last))
            twiddle = _twiddle(k, w)
            _butterflies(k, first, gap, end, lambda a, b, t=twiddle: _rotated(k, a, b, t))
            loop.repeat()
        gap.set(gap << 1)
        step.set(step.lsr(1))
    return k.finish()


# Store the power of a bin, as a float32.
def _store_power(k, bin_, exponent, hold, to):
    a, b = bin_
    for value in bin_:
        sign = k.var("sign", value >> 31)
        value ^= sign
        value -= sign
    shift = k.var("shift", (_count_zeros(k, a | b) - 4).max(0))
    a <<= shift
    b <<= shift
    a_high, b_high = k.var("a_high", a >> _BITS), k.var("b_high", b >> _BITS)
    low = a.field(0, _BITS) * a_high + b.field(0, _BITS) * b_high
    m = k.var("m", (low >> 13) + a_high * a_high + b_high * b_high)
    zeros = k.var("zeros", _count_zeros(k, m) - 2)
    e = k.var("e", exponent - (shift << 1) - zeros)
    with k.If(zeros < 0, rare=True):
        m >>= 1
        zeros.set(0)
    m <<= zeros
    bits = k.var("bits", (e - 1 << 23) + ((m + m.field(6, 1) + 31) >> 6))
    with k.If(m == 0, rare=True):
        bits.set(0)
    with k.If(e <= 0, rare=True):
        bits.set(0)
    kept = k.new_label("kept")
    with k.If(hold != 0, rare=True):
        k.branch(bits <= to[0], kept)
    to.put("w", bits)
    k.label(kept)


# Bins k and pairs - k from the transforms of the even and the odd numbers.
def _power(machine):
    names = ("work", "data", "pairs", "table", "target", "exponent", "hold")
    k, arguments = begin_function("power", _ABOUT_POWER, names, machine)
    work, data, pairs, table, target, exponent, hold = arguments
    front, w = k.var("front", work + (data << 2)), k.var("w", table + (pairs << 1))
    back, next_ = k.var("back", front), k.var("next", front + (pairs << 3))
    first = k.var("first", work + (target << 2))
    last = k.var("last", first + (pairs << 2))
    with k.While(lambda: first.not_above(last), "bin", times=128):
        a, b = k.words(front, 0, "a", "b")
        c, d = k.words(back, 0, "c", "d")
        even, even_i = k.var("even", (a + c) >> 1), k.var("even_i", (b - d) >> 1)
        odd, odd_i = k.var("odd", (b + d) >> 1), k.var("odd_i", (c - a) >> 1)
        e, f = (k.var("e", x) for x in _rotated(k, odd, odd_i, _twiddle(k, w)))
        # The second bin is the conjugate of even - odd.
        bins = (even + e, even_i + f), (even - e, even_i - f)
        for bin_, to in zip(bins, (first, last), strict=True):
            _store_power(k, [k.var("part", x) for x in bin_], exponent, hold, to)
        front += 8
        next_ -= 8
        back.set(next_)
        w += 8
        first += 4
        last -= 4
    return k.finish()


WRITTEN = {("_run_stages", "armv7em"): _run_stages, ("power", "armv7em"): _power}
