# Kernel language: steps that many kernels and machines share
# MIT license; Copyright (c) 2026 the tflm authors


PRODUCTS = 4  # inputs that add_products() multiplies in a turn of its loop
ABSENT = 1  # operand word of a tensor that an operator does not have


def operand(k, word, arena, model):
    """Return the address of an operand word of a record: offset << 2, + 1 if in the model."""
    base = k.var("base", arena)
    with k.If(word << 31 != 0):
        base.set(model)
    return (word >> 2) + base


def number(k, value):
    """Return a number, in a register on machines that have enough of them."""
    return value if k.machine.high else k.var("number", value)


class Record:
    """The record of a kernel call: `record.name` loads a field of LAYOUT into a new register.

    address: a register with the address of the record, or of a block that begins with word `first`
    of LAYOUT. The first word of a record, before LAYOUT, is the number of units.
    """

    def __init__(self, k, address, layout, first=1):
        self._k, self._address, self._layout, self._first = k, address, layout, first

    def offset(self, name):
        """Return the offset of a field in bytes."""
        return 4 * (self._first + self._layout.index(name))

    def __getattr__(self, name):
        if name[0] == "_" or name not in self._layout:
            fields = ", ".join(map(str, self._layout))
            raise AttributeError(f"a record has no field {name}; its fields are {fields}")
        return self._k.var(name, self._address[self.offset(name)])

    def operand(self, name, arena, model):
        """Return a register with the address of an operand."""
        return self._k.var(name, operand(self._k, getattr(self, name), arena, model))

    def optional_operand(self, name, arena, model):
        """Return a register with the address of an operand, or 0 if the operator has none."""
        address = self.operand(name, arena, model)
        with self._k.If(getattr(self, name) == ABSENT):
            address.set(0)
        return address


def in_image(k, record, side, position):
    """Find the cells of the filter in the image, for an output's row or column.

    record: has WINDOWS of prepare/convolution.py. side: "height" or "width". Return the first row
    or column of the image, the first one of the filter, and their number.
    """
    stride, padding, step, size, limit = (
        getattr(record, f"{name}_{side}")
        for name in ("stride", "padding", "dilation", "filter", "input")
    )
    at, first = k.var("at", position * stride - padding), k.var("first", 0)
    with k.loop("before", 1) as loop:
        loop.leave_if(at >= 0)
        loop.leave_if(first == size)
        at += step
        first += 1
        loop.repeat()
    size -= first
    count, last = k.var("count", 0), k.var("last", at)
    with k.loop("inside", 3) as loop:
        loop.leave_if(count == size)
        loop.leave_if(last >= limit)
        count += 1
        last += step
        loop.repeat()
    return at, first, count


class Cursor:
    """Words one after the other: LDM and STM where they exist, elsewhere offsets until advance().

    keep: the register `address` keeps its value.
    """

    def __init__(self, k, address, keep=False):
        self.k, self.offset = k, 0
        self.advances = k.machine.has_ascending_ldm
        self.address = k.var("at", address) if keep and self.advances else address

    def next(self, count=1, *names):
        """Return new registers with the next words; a single one is not in a list."""
        registers = [self.k.reg(name) for name in names or [None] * count]
        self.load(registers)
        return registers if len(registers) > 1 else registers[0]

    def load(self, registers):
        """Load words into existing registers."""
        if self.advances:
            self.address.next(*registers)
            return
        for r in registers:
            self.address.get("w", self.offset, r)
            self.offset += 4

    def put(self, *values):
        if self.advances:
            self.address.put_next(*values)
            return
        for value in values:
            self.address.put("w", value, self.offset)
            self.offset += 4

    def advance(self):
        """Set the address to the next word."""
        if self.offset:
            self.address += self.offset
            self.offset = 0


def add_byte_products(k, total, one, other):
    """Add four products of bytes; see Machine.add_byte_products."""
    for low in range(0, 32, 8):
        bytes_ = [
            (word << 24 - low if low < 24 else word) >> 24 if sign else word.field(low, 8)
            for word, sign in (one, other)
        ]
        total += bytes_[0] * bytes_[1]


def add_products(k, x, zero_point, rows, sums, ends):
    """Add to each sum the products of int8 inputs less `zero_point` and a row of int8 weights.

    x, rows: addresses, which advance. ends: (where blocks of PRODUCTS inputs end, end of inputs).
    """
    for end, count in zip(ends, (PRODUCTS, 1), strict=True):
        with k.While(lambda end=end: x != end, "inputs"):
            for i in range(count):
                value = x.get("s8", i) - zero_point
                for row, total in zip(rows, sums, strict=True):
                    total += row.get("s8", i) * value
            for address in (x, *rows):
                address += count


def divide_by_shifts(k, one, other):
    """Return (quotient, remainder) of numbers below 2 ** 31, for machines without a division."""
    rest, step = k.var("rest", one), k.var("step", other)
    quotient, bit = k.var("quotient", 0), k.var("bit", 1)
    with k.While(lambda: step.not_above(rest), "double"):
        step <<= 1
        bit <<= 1
    with k.loop("halve") as halve:
        bit.set(bit.lsr(1))
        halve.leave_if(bit == 0)
        step.set(step.lsr(1))
        with k.If(step.not_above(rest)):
            rest -= step
            quotient |= bit
        halve.repeat()
    return quotient, rest


def floor_divide(k, one, other):
    """Return one // other as Python rounds it, for other > 0."""
    sign = one >> k.machine.word_bits - 1
    quotient = k.reg()
    k.emit("divu", [quotient], [one ^ sign, other])
    return quotient ^ sign


def multiply_rounded(k, one, other):
    """Return (one * other + 2 ** 30) >> 31, for machines with `has_mulh`."""
    low, rounded = (one * other).lsr(30), k.reg()
    k.emit("round_shift", [rounded], [low, one.mulh(other) << 1], info=1)
    return rounded


def multiply_rounded_by_halves(k, one, other):
    """Return (one * other + 2 ** 30) >> 31, for machines without the upper word of a product."""
    one_low, other_low = one.field(0, 16), other.field(0, 16)
    one_high, other_high = one >> 16, other >> 16
    a = one_low * other_high
    b = one_high * other_low + (one_low * other_low).lsr(16)
    middle = (a & b & 1) + (a >> 1) + (b >> 1) + 0x2000
    return (middle >> 14) + (one_high * other_high << 1)


def rounded_product(k, one, other):
    """Return (one * other + 2 ** 30) >> 31 in the way that is fast on the machine."""
    multiply = multiply_rounded if k.machine.has_mulh else multiply_rounded_by_halves
    return multiply(k, one, other)


def multiplier_of(k, multiplier):
    """Return a multiplier of 31 bits as rescale() takes it."""
    return k.var("doubled", multiplier << 1) if k.machine.rescale else multiplier


def rescale(k, value, multiplier, right):
    """Change a value to its product with a multiplier >> 31, then shift it to the right.

    Both steps round; the shift rounds halves away from 0.
    """
    if k.machine.rescale:
        k.machine.rescale(k, value, multiplier, right)
        return
    value.set(rounded_product(k, value, multiplier))
    with k.If(right != 0):
        value.set(((value >> 31) + value >> right - 1) + 1 >> 1)


class QuantizedScale:
    """A FIXED_POINT block of a record: a multiplier of 31 bits and a power of two.

    shift: register with the shift to the left, + 32.
    """

    def __init__(self, k, multiplier, shift):
        self._k, self.multiplier = k, multiplier_of(k, multiplier)
        self.left = k.var("left_shift", (shift - 32).max(0))
        self.right = k.var("right_shift", (32 - shift).max(0))

    def apply(self, value):
        """Change a value as TFLM's MultiplyByQuantizedMultiplier; its left shift wraps around."""
        value <<= self.left
        rescale(self._k, value, self.multiplier, self.right)


class Int8Output:
    """The REQUANTIZE block of a record with one multiplier: outputs of int8 from sums.

    record: its layout ends with REQUANTIZE, "table" and "shifts".
    """

    def __init__(self, k, record):
        self._k, self.multiplier = k, multiplier_of(k, record.table)
        shift = record.shifts.field(0, 8)
        self.left = k.var("left_shift", (shift - 32).max(0))
        self.right = k.var("right_shift", (32 - shift).max(0))
        self.zero_point = record.output_zero_point
        self.low = k.var("low", record.activation_min - self.zero_point)
        self.high = k.var("high", record.activation_max - self.zero_point)

    def apply(self, value):
        """Change a sum to the output, as kernels/requantize.py does."""
        k = self._k
        with k.If(self.left != 0, rare=True):
            limit = k.const(0x3FFFFFFF) >> self.left | 1
            value.set(value.min(limit).max(-limit) << self.left)
        rescale(k, value, self.multiplier, self.right)
        # Clamped before the zero point is added: the sum might not fit a word.
        value.set(value.max(self.low).min(self.high) + self.zero_point)


# One operand of a product as its halves, the upper one shifted with `shift` (asr or lsr).
def _multiply_high(k, to, one, other, shift):
    one, other = (x if not isinstance(x, int) else k.const(x) for x in (one, other))
    one_low, other_low = one.field(0, 16), other.field(0, 16)
    one_high, other_high = (x._binary(shift, 16) for x in (one, other))
    middle = one_high * other_low + (one_low * other_low).lsr(16)
    rest = one_low * other_high + middle.field(0, 16)
    to.set(one_high * other_high + middle._binary(shift, 16) + rest._binary(shift, 16))


def multiply_high(k, to, one, other):
    """to = the upper word of a signed product, for machines that cannot compute it."""
    _multiply_high(k, to, one, other, "asr")


def multiply_high_unsigned(k, to, one, other):
    """to = the upper word of an unsigned product."""
    _multiply_high(k, to, one, other, "lsr")
