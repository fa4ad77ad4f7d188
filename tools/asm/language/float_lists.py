# Kernel language: sums of products of lists of float32, for machines without an FPU
# MIT license; Copyright (c) 2026 the tflm authors

# Inputs that several sums share are unpacked once, to a list without the inputs that are 0. An
# entry has three words: the mantissa as a factor of the product, sign and exponent as in the
# float32, and the offset of the weight in bytes. The last entry has three words 0.

from .float_sums import DIFFERENCE, LOW, FloatSum
from .macros import number

ENTRY = 12  # bytes
_UPPER = -1 << 23  # sign and exponent


class ListSum(FloatSum):
    """A sum of products of a list and of weights.

    list: address of the next entry. weights: address of the weight with the offset 0. The loop
    begins at the label `next`; `first` is a faster entry, which also sets the sum to 0. It
    continues at the label `end` after the last entry.
    """

    def __init__(self, k, bail):
        super().__init__(k, bail, has_lists=True)
        self.list, self.weights = k.vars("list weights")
        self._range, self._upper = number(k, DIFFERENCE), number(k, _UPPER)
        self.first = k.new_label("first")

    def loop(self):
        """Write the loop."""
        self.write(self._load, (self._load_input, self._load_weight), True)
        self._write_first()

    def _load(self):
        offset = self.k.reg("offset")
        self.list.next(self.mantissa, self.shift, offset)
        self.weights.get("w", offset, self.weight)

    def _load_input(self, to):
        (self.list - ENTRY).get("w", 4, to)

    def _load_weight(self, to):
        self.weights.get("w", (self.list - ENTRY)[8], to)

    # The first product becomes the sum, without a shift. The loop computes rare products: ties,
    # products by 0, and exponents that are not between the bounds.
    def _write_first(self):
        k, product = self.k, self.product
        rare, short, shifted = map(k.new_label, ("rare", "short", "shifted"))
        with k.weighted(16):
            k.label(self.first)
            self._load()
            sign = self.total  # bit 31
            sign.set(self.shift ^ self.weight)
            exponent = self.shift
            k.emit("field", [exponent], [exponent], info=(23, 8))
            exponent += self.weight.field(23, 8)
            exponent -= 127 + LOW
            k.branch(exponent.not_below(DIFFERENCE), rare)
            self.multiply_mantissas()
            k.branch(product >= 0, short)
            product += 128
            k.branch(product << 24 == 0, rare)
            k.emit("lsr", [product], [product, 8])
            exponent += 1
            k.goto(shifted)
            k.label(short)
            product += 64
            k.branch(product << 1 >= 0, rare)
            k.branch(product << 25 == 0, rare)
            k.emit("lsr", [product], [product, 7])
            k.label(shifted)
            product <<= self.spare
            with k.If(sign < 0):
                product.set(-product)
            self.total.set(product)
            self.set_exponent(exponent)
            k.goto(self.next)
        k.label(rare)
        self.list -= ENTRY
        self.clear()
        k.goto(self.next)

    def add_entry(self, to, inputs, offset, zero, bad):
        """Add the next input to the list at `to`; all three registers advance.

        inputs: its address; offset: of its weight. Goes to `zero` instead, with `inputs` advanced,
        if the input is 0, and to `bad` if its exponent is not between the bounds.
        """
        k, value, mantissa = self.k, self.k.reg("value"), self.k.reg("mantissa")
        inputs.next(value)
        double = value << 1
        k.branch(double == 0, zero)
        k.branch((double.lsr(24) - LOW).above(self._range), bad)
        self.factor(value, mantissa)
        upper = value.lsr(23) << 23 if isinstance(self._upper, int) else value & self._upper
        to.put_next(mantissa, upper, offset)
        offset += 4

    def add_one(self, to):
        """Add the input 1.0 to a list; return the address of the offset of its weight."""
        one = self.leading_bit if self.k.machine.has_mulh else self.implicit_bit
        address = self.k.var("offset_of_one", to + 8)
        to.put_next(self.k.const(0) + one, self.k.const(127 << 23), one)
        return address


def end_list(k, to):
    """Add the last entry to the list at `to`."""
    zero = k.const(0)
    for offset in (0, 4, 8):
        to[offset] = zero


def find_infinite(k, first, end, found):
    """Go to `found` if a float32 between two addresses is not finite; `first` advances."""
    infinity, bad, finite = k.var("infinity", -1 << 24), k.new_label("bad"), k.new_label("finite")
    with k.If((end - first).not_below(16)):
        last = k.var("last", end - 16)
        with k.loop("four", 16) as loop:
            values = [k.reg() for _ in range(4)]
            first.next(*values)
            for value in values:
                value <<= 1
                k.branch(value.not_below(infinity), bad)
            loop.repeat_if(first.not_above(last))
    with k.While(lambda: first != end, "one", 1):
        value = k.reg()
        first.next(value)
        k.branch((value << 1).not_below(infinity), bad)
    k.goto(finite)
    k.label(bad)
    k.goto(found)
    k.label(finite)
