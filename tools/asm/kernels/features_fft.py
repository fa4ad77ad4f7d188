# Stages of the FFT of tflm.features in the kernel language, for machines with SMLAL
# MIT license; Copyright (c) 2026 the tflm authors

from ..language.calls import begin_function
from ..language.machine import to_signed

_ABOUT = "_run_stages() of features/fft.py: products have 64 bits."
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


def _run_stages(machine):
    names = ("work", "data", "pairs", "table")
    k, (work, data, pairs, table) = begin_function("_run_stages", _ABOUT, names, machine)
    begin = k.var("begin", work + (data << 2))
    size = k.var("size", pairs << 3)
    end = k.var("end", begin + size)
    twiddles = k.var("twiddles", table + (pairs << 1))
    gap, step = k.var("gap", 16), k.var("step", pairs << 2)
    with k.While(lambda: gap.below(size), "stage"):
        w, first, last = k.var("w", twiddles), k.var("first", begin), k.var("last", begin + gap)
        with k.While(lambda: first.below(last), "twiddle"):
            cos = k.var("cos", w.get("u16") - _HALF)
            cos_low = k.var("cos_low", w.get("u16", 2))
            sin = k.var("sin", w.get("u16", 4) - _HALF)
            sin_low = k.var("sin_low", w.get("u16", 6))
            x = k.var("x", first)
            with k.While(lambda x=x: x.below(end), "butterfly", times=16):
                y = k.var("y", x + gap)
                a, b = k.words(y, 0, "a", "b")
                a_high, b_high = k.var("a_high", a >> _BITS), k.var("b_high", b >> _BITS)
                outs = k.vars("e e_high f f_high")
                factors = b, b_high, cos, cos_low, sin, sin_low
                k.tile(_rotate, outs, factors, (a, a_high), 40, (), _run_rotate)
                e, f = (outs[i].lsr(_BITS) | outs[i + 1] << 32 - _BITS for i in (0, 2))
                one, other = k.words(x, 0, "one", "other")
                x[0] = (one + e) >> 1
                x[4] = (other + f) >> 1
                y[0] = (one - e) >> 1
                y[4] = (other - f) >> 1
                x.set(y + gap)
            first += 8
            w += step
        gap.set(gap << 1)
        step.set(step.lsr(1))
    return k.finish()


WRITTEN = {("_run_stages", "armv7em"): _run_stages}
