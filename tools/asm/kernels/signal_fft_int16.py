# Kernels of SignalRfft and SignalIrfft, int16, in the kernel language
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.signal_fft import SPLIT, STAGE

from ..language.calls import begin_eval
from ..language.macros import Record

_ABOUT_STAGE = """
A stage of SignalRfft or SignalIrfft, int16. Units are butterflies of two or four values. op: STAGE
of prepare/signal_fft.py.
"""
_ABOUT_SPLIT = """
The step of SignalRfft, int16, after its stages. Units are pairs of bins. op: SPLIT of
prepare/signal_fft.py.
"""
_ABOUT_JOIN = """
The step of SignalIrfft, int16, before its stages. Units are pairs of bins. op: SPLIT of
prepare/signal_fft.py.
"""
_BITS = 15  # of the fraction of a factor
_HALF = 1 << _BITS - 1  # rounds a shift by these bits
_HALVE = 32767 // 2  # divides by two


class _Complex:
    """Arithmetic of complex numbers: pairs of registers (real part, imaginary part).

    divisor: register with the factor that divides all values before a stage.
    """

    def __init__(self, k, divisor):
        self._k, self._divisor, self._half = k, divisor, k.var("half", _HALF)
        self._half.is_total = True  # only added, too

    # half + one * other, in the order that needs no copies.
    def _product(self, one, other):
        if not self._k.machine.high:
            return self._half + one * other
        total = one * other
        total += self._half
        return total

    def signed(self, value):
        """Return the lower half of a register with its sign."""
        to = self._k.reg()
        self._k.emit("s16", [to], [value])
        return to

    def divided(self, value, name):
        return self._k.var(name, self._product(value, self._divisor) >> _BITS)

    def load(self, address, at=0):
        return address.get("s16", at), address.get("s16", at + 2)

    def load_divided(self, address, real, imaginary):
        return (
            self.divided(address.get("s16"), real),
            self.divided(address.get("s16", 2), imaginary),
        )

    def times(self, value, factor, real, imaginary):
        """Return value * factor with new registers of these names."""
        (r, i), (wr, wi) = value, factor
        total = self._product(r, wr)
        total -= i * wi
        other = self._product(r, wi)
        other += i * wr
        return self._k.var(real, total >> _BITS), self._k.var(imaginary, other >> _BITS)


def _store(address, real, imaginary):
    address.put("u16", real)
    address.put("u16", imaginary, 2)


# Return a value of a butterfly, divided, times twiddle i.
def _twiddled(c, address, twiddles, i, *names):
    value = c.load_divided(address, "re", "im")
    return c.times(value, c.load(twiddles, 4 * i), *names)


def _two(k, c, x, step, twiddles):
    y = k.var("y", x + step)
    br, bi = _twiddled(c, y, twiddles, 0, "br", "bi")
    ar, ai = c.load_divided(x, "ar", "ai")
    _store(y, ar - br, ai - bi)
    _store(x, ar + br, ai + bi)


# The values a, b, c and d become a + c + (b + d), a + c - (b + d), and a - c plus and minus b - d
# turned by a quarter. second, last: distances of the targets of the latter two.
def _four(k, c, x, step, twiddles, second, last):
    y = k.var("y", x + step)
    br, bi = _twiddled(c, y, twiddles, 0, "br", "bi")
    y += step
    cr, ci = _twiddled(c, y, twiddles, 1, "cr", "ci")
    y += step
    dr, di = _twiddled(c, y, twiddles, 2, "dr", "di")
    turned = k.var("turned_r", br - dr), k.var("turned_i", bi - di)
    br += dr
    bi += di
    ar, ai = c.load_divided(x, "ar", "ai")
    y -= step
    for a, ac, bd, at in ((ar, cr, br, 0), (ai, ci, bi, 2)):
        total = k.var("total", a + ac)
        a -= ac
        x.put("u16", total + bd, at)
        y.put("u16", total - bd, at)
    _store(x + second, ar + turned[1], ai - turned[0])
    _store(x + last, ar - turned[1], ai + turned[0])


# Butterflies until `end`.
def _butterflies(k, x, end, twiddles, radix, butterfly):
    with k.loop("butterfly", times=64) as loop:
        butterfly()
        twiddles += 4 * (radix - 1)
        x += 4
        loop.repeat_if(x != end)


# Steps, for each block of a row of values, or the part of it that is in the range:
# 1. Its butterflies, of `radix` values that are `span` pairs apart.
# 2. After the last block of a row, go on with the next row.
def eval_stage(machine):
    k, start, stop = begin_eval("eval_stage", _ABOUT_STAGE, machine)
    op, arena, rom = k.arguments[:3]
    record = Record(k, op, STAGE)
    butterflies, span, radix = record.butterflies, record.span, record.radix
    row, block = k.reg("row"), k.reg("block")
    k.emit("divu", [row], [start, butterflies])
    i = k.var("i", start - row * butterflies)
    k.emit("divu", [block], [i, span])
    before = k.var("before", i - block * span)
    left = k.var("left", stop - start)
    rows = k.var("rows", record.output_row << 1)
    x = record.operand("output", arena, rom)
    x += row * rows + ((i - before) * radix + before << 2)
    first = record.operand("twiddles", arena, rom)
    twiddles = k.var("w", first + (before * (radix - 1) << 2))
    step = k.var("step", span << 2)
    to_block = k.var("to_block", step * (radix - 1))
    to_row = k.var("to_row", rows - (butterflies * radix << 2))
    second, last = k.var("second", step), k.var("last", step * 3)
    with k.If(record.inverse != 0, rare=True):
        second, last = second.set(last), last.set(step)
    c = _Complex(k, record.divisor)
    k.branch(left == 0, "end")
    with k.loop("block", times=8) as blocks:
        count = k.var("count", (span - before).min(left))
        left -= count
        i += count
        end = k.var("block_end", x + (count << 2))
        with k.If(radix == 2):
            _butterflies(k, x, end, twiddles, 2, lambda: _two(k, c, x, step, twiddles))
        with k.Else():
            four = lambda: _four(k, c, x, step, twiddles, second, last)  # noqa: E731
            _butterflies(k, x, end, twiddles, 4, four)
        blocks.leave_if(left == 0)
        before.set(0)
        twiddles.set(first)
        x += to_block
        with k.If(i == butterflies, rare=True):
            i.set(0)
            x += to_row
        blocks.repeat()
    k.label("end")
    return k.finish()


# Call first(x, y) for bins 0 and `pairs` of each row in the range, and pair(x, y, w) for the
# others. x, y: addresses of the bins; w: address of the twiddle. begin(row, bin) is called before.
def _pairs(k, record, start, stop, source, row_values, arena, rom, begin, first, pair):
    pairs = record.pairs
    units = k.var("units", pairs.lsr(1) + 1)
    row = k.reg("row")
    k.emit("divu", [row], [start, units])
    i = k.var("bin", start - row * units)
    left = k.var("left", stop - start)
    twiddles = record.operand("twiddles", arena, rom)
    row_bytes = k.var("row_bytes", row_values << 1)
    base = k.var("base", source + row * row_bytes)
    k.branch(left == 0, "end")
    with k.loop("row", times=1) as rows:
        count = k.var("count", (units - i).min(left))
        left -= count
        x, y = k.var("x", base + (i << 2)), k.var("y", base + (pairs - i << 2))
        w = k.var("w", twiddles + (i << 2) - 4)
        end = k.var("row_end", x + (count << 2))
        begin(row, i)
        with k.If(i == 0):
            first(x, y)
            w.set(twiddles)
            x += 4
            y -= 4
        with k.While(lambda: x != end, "pair", times=128):
            pair(x, y, w)
            w += 4
            x += 4
            y -= 4
        i.set(0)
        row += 1
        base += row_bytes
        rows.repeat_if(left != 0)
    k.label("end")


# Return the sum of bin x and the conjugate of bin y, both halved, and their difference times the
# twiddle. -32768 stays -32768 as a conjugate.
def _halved(k, c, x, y, w):
    ar, ai = c.load_divided(x, "ar", "ai")
    br = c.divided(y.get("s16"), "br")
    bi = c.divided(c.signed(-y.get("u16", 2)), "bi")
    r, i = k.var("r", ar - br), k.var("i", ai - bi)
    ar += br
    ai += bi
    return (ar, ai), c.times((r, i), c.load(w), "re", "im")


def eval_split(machine):
    k, start, stop = begin_eval("eval_split", _ABOUT_SPLIT, machine)
    op, arena, rom = k.arguments[:3]
    record = Record(k, op, SPLIT)
    c = _Complex(k, k.var("halve", _HALVE))

    def first(x, y):
        ar, ai = c.load_divided(x, "ar", "ai")
        _store(x, ar + ai, 0)
        _store(y, ar - ai, 0)

    def pair(x, y, w):
        (ar, ai), (br, bi) = _halved(k, c, x, y, w)
        br, bi = k.var("br", c.signed(br)), k.var("bi", c.signed(bi))
        _store(x, ar + br >> 1, ai + bi >> 1)
        _store(y, ar - br >> 1, bi - ai >> 1)

    target = record.operand("output", arena, rom)
    begin = lambda row, i: None  # noqa: E731
    _pairs(k, record, start, stop, target, record.output_row, arena, rom, begin, first, pair)
    return k.finish()


def eval_join(machine):
    k, start, stop = begin_eval("eval_join", _ABOUT_JOIN, machine)
    op, arena, rom = k.arguments[:3]
    record = Record(k, op, SPLIT)
    c = _Complex(k, k.var("halve", _HALVE))
    indices = record.operand("indices", arena, rom)
    output = record.operand("output", arena, rom)
    target, front, back = k.vars("target front back")

    def begin(row, i):
        target.set(output + row * record.output_row * 2)
        front.set(indices + (i << 1))
        back.set(indices + (record.pairs - i << 1))

    def next_target(index, by):
        address = k.var("to", target + (index.get("u16") << 2))
        index += by
        return address

    def first(x, y):
        one, other = x.get("u16"), y.get("u16")
        values = c.signed(one + other), c.signed(one - other)
        _store(next_target(front, 2), *(c.divided(value, "value") for value in values))
        back.set(back - 2)

    def pair(x, y, w):
        (ar, ai), (br, bi) = _halved(k, c, x, y, w)
        _store(next_target(front, 2), ar + br, ai + bi)
        _store(next_target(back, -2), ar - br, bi - ai)

    source = record.operand("input", arena, rom)
    _pairs(k, record, start, stop, source, record.input_row, arena, rom, begin, first, pair)
    return k.finish()
