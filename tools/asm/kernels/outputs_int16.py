# Kernel language: sums of products of int16 and int8 become outputs of int16
# MIT license; Copyright (c) 2026 the tflm authors

from ..language.macros import ABSENT, QuantizedScale

MAX_PRODUCTS = 511  # of int16 and int8 whose sum fits a word
MAX_SUMS = 64  # that fit the scratch buffer
_WORD = 0xFFFFFFFF


def _add_thumb(t, low, high, other_low, other_high):
    t.add(low, low, other_low)
    t.adc(high, other_high)


def _add_dsp(t, low, high, other_low, other_high):
    t.add_wide(low, low, other_low, flags=True)
    t.adc_wide(high, high, other_high)


def _of_words(low, high):
    return (high << 32) + (low & _WORD)


def _run_add(low, high, other_low, other_high):
    total = _of_words(low, high) + _of_words(other_low, other_high)
    return total, total >> 32


def add_wide(k, low, high, other_low, other_high):
    """Add a number of 64 bits to another one; other_high: None for 0, without a tile."""
    name = k.machine.name
    if name in ("armv6m", "armv7em"):
        tile, size = (_add_thumb, 4) if name == "armv6m" else (_add_dsp, 8)
        k.tile(tile, [], [other_low, other_high], [low, high], size, run=_run_add)
        return
    low += other_low
    if other_high is not None:
        high += other_high
    if name == "xtensawin":
        with k.If(low.below(other_low)):
            high += 1
    else:
        carry = k.reg()
        k.emit("ult", [carry], [low, other_low])
        high += carry


# Multiply a number of 48 bits by a factor of 15 bits.
def multiply_dsp(t, to_low, to_high, low, high, factor):
    t.umull(to_low, to_high, low, factor)
    t.mla(to_high, high, factor, to_high)


def run_multiply(low, high, factor):
    product = _of_words(low, high) * factor
    return product, product >> 32


# Return the words of the product of a number of 48 bits and a factor of 15 bits.
def _multiply(k, low, high, factor):
    if k.machine.name == "armv7em":
        to = [k.reg(), k.reg()]
        k.tile(multiply_dsp, to, [low, high, factor], size=8, run=run_multiply)
        return to
    if k.machine.has_mulh:
        return low * factor, high * factor + low.mulhu(factor)
    to_low, middle, to_high = low.field(0, 16) * factor, low.lsr(16) * factor, high * factor
    add_wide(k, to_low, to_high, middle << 16, middle.lsr(16))
    return to_low, to_high


# Shift right by 1 to 32 bits; the highest bit that is dropped goes to the carry, which rounds.
def _shift_thumb(t, low, high, shift, left):
    t.lsl(high, high, left)
    t.lsr(low, low, shift)
    t.adc(high, low)


def shift_dsp(t, low, high, shift, left):
    t.lsl_wide(high, high, left)
    t.lsrs(low, low, shift)
    t.adc_wide(high, high, low)


def _run_shift(low, high, shift, _left):
    return 0, _of_words(low, high) + (1 << shift - 1) >> shift


# `value` = the lower word of a number of 64 bits shifted right by 1 to 31.
def _shift_xtensa(t, value, low, high, shift):
    t.ssr(shift)
    t.src(value, high, low)


def _run_src(low, high, shift):
    return _of_words(low, high) >> shift


def rescale_wide(k, low, high, factor, shift):
    """Return what rescale_wide() of kernels/rescale_wide.py makes of a sum."""
    low, high = _multiply(k, low, high, factor)
    name, value = k.machine.name, k.reg("value")
    has_carry = name in ("armv6m", "armv7em")
    left = k.var("left", 32 - shift)
    far = left < 0 if has_carry else left <= 0
    shifted = k.new_label("shifted")
    with k.If(far, rare=True):
        value.set((((high << 1 | low.lsr(31)) >> shift - 32) + 1) >> 1)
        k.goto(shifted)
    if has_carry:
        tile, size = (_shift_thumb, 6) if name == "armv6m" else (shift_dsp, 12)
        k.tile(tile, [], [shift, left], [low, high], size, run=_run_shift)
        value.set(high)
    else:
        add_wide(k, low, high, k.const(1) << shift - 1, None)
        if name == "xtensawin":
            k.tile(_shift_xtensa, [value], [low, high, shift], size=6, run=_run_src)
        else:
            value.set(high << left | low.lsr(shift))
    k.label(shifted)
    return value


class Outputs:
    """Outputs of channels from their sums, which are in the scratch buffer.

    record: its layout ends with REQUANTIZE_INT16 of prepare/requantize_int16.py. products:
    register with the number of products of a sum. has_words: sums and biases may be int32, not
    only int64. If `is_long` is 1 a sum is two words, otherwise it is one.
    """

    def __init__(self, k, record, operands, products, has_words=False):
        op, arena, rom = operands
        self.k, self.record, self.has_words = k, record, has_words
        self.sums = record.operand("scratch", arena, rom)
        self.factors = k.var("first_factor", op + record.offset("pairs") + 4)
        self.step = k.var("factor_step", record.per_channel << 3)
        self.biases = record.operand("bias", arena, rom)
        with k.If(record.bias == ABSENT):
            self.biases.set(0)
        self.is_long = k.var("is_long", 0)
        with k.If(products > MAX_PRODUCTS):
            self.is_long.set(record.pairs)
        self.is_unusual = k.var("is_unusual", self.is_long)
        with k.If(self.biases == 0):
            self.is_unusual.set(1)
        if has_words:
            with k.If(record.pairs == 0):
                self.is_unusual.set(1)
        self.bias, self.factor = k.vars("bias factor")

    def skip(self, channel):
        """Make a channel (a register) the first one."""
        self.factors += self.step * channel
        with self.k.If(self.biases != 0):
            self.biases += channel << (self.record.pairs + 2)

    def begin(self):
        """Begin with the first channel."""
        self.bias.set(self.biases)
        self.factor.set(self.factors)

    def clear(self, to, count):
        """Set the words of `count` long sums to 0."""
        zero = self.k.const(0)
        for offset in range(0, 8 * count, 4):
            to[offset] = zero

    def flush(self, to, sums):
        """Add words to long sums, and set them to 0."""
        k = self.k
        for i, total in enumerate(sums):
            low, high = to[8 * i], to[8 * i + 4]
            add_wide(k, low, high, total, total >> 31)
            to[8 * i], to[8 * i + 4] = low, high
            total.set(0)

    def write(self, to, at, end):
        """Write outputs of the sums from `at` to `end`; `to` and `at` advance."""
        k, r = self.k, self.record
        names = "output_zero_point", "activation_min", "activation_max"
        zero_point, low_limit, high_limit = (getattr(r, name) for name in names)
        addresses = self.bias, self.factor, to
        copies = addresses
        if k.machine.name == "armv7em":  # has registers for all of them during the loop
            copies = [k.var(f"{address}_copy", address) for address in addresses]
        bias, factors, output = copies
        with k.loop("output", 32, around=True) as loop:
            total = at.next(k.reg("total"))
            factor, shift = k.words(factors, 0, "factor", "shift")
            factors += self.step
            low, high, value = k.vars("low high value")
            known, ready = k.new_label("known"), k.new_label("ready")
            with k.If(self.is_unusual != 0, rare=True):
                if self.has_words:
                    with k.If(r.pairs == 0):
                        value.set(total)
                        with k.If(self.biases != 0):
                            value += bias.next(k.reg())
                        QuantizedScale(k, factor, shift).apply(value)
                        k.goto(ready)
                self._unusual_sum(total, at, low, high, bias)
                k.goto(known)
            bias.next(low, high)
            add_wide(k, low, high, total, total >> 31)
            k.label(known)
            value.set(rescale_wide(k, low, high, factor, shift))
            k.label(ready)
            value += zero_point
            output.put("u16", value.max(low_limit).min(high_limit))
            output += 2
            loop.repeat_if(at != end)
        if copies is not addresses:
            for address, copy in zip(addresses, copies, strict=True):
                address.set(copy)

    # Set two words to a sum with its bias, if it is long or has none.
    def _unusual_sum(self, total, at, low, high, bias):
        k = self.k
        low.set(total)
        high.set(total >> 31)
        with k.If(self.is_long != 0):
            at.next(high)
        with k.If(self.biases != 0):
            other_low, other_high = k.reg(), k.reg()
            bias.next(other_low, other_high)
            add_wide(k, low, high, other_low, other_high)
