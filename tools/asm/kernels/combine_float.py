# Products and sums of float32 that several kernels share, in the kernel language
# MIT license; Copyright (c) 2026 the tflm authors

from ..language.float_sums import Products
from ..language.floats import factor, mantissa, product
from ..language.kernel import Kernel

_ABOUT = """
What combine() in kernels/float32.py does. dst, a, b: addresses. flags: the number of elements in
20 bits; then the operation (2 bits), and for dst, a and b a bit that is set if it advances.
Returns the number of elements that are done; the next one has numbers that this function does not
multiply, such as infinite ones. A dot product is one element. If the upper bits are not 0, they
are the number of rows of a matrix b; their products and the vector a are elements of dst, which
advances.
"""
_MAC, _MUL, _ADD, _SUB = range(4)


class _Combine:
    def __init__(self, machine):
        self.k = k = Kernel("combine_words", _ABOUT, ("dst", "a", "b", "flags"), machine)
        self.dst, self.a, self.b, flags = k.arguments
        self.count = k.var("count", flags.field(0, 20))
        self.left = k.var("left", self.count)
        self.operation = k.var("operation", flags.field(20, 2))
        names = ("step_dst", "step_a", "step_b")
        self.steps = [k.var(name, flags.field(22 + i, 1) << 2) for i, name in enumerate(names)]
        self.rows, self.row_bytes = (
            k.var("rows", flags.lsr(25)),
            k.var("row_bytes", self.count << 2),
        )
        names = ("element", "row", "run_end", "store", "bail")
        self.element, self.row, self.run_end, self.store, self.bail = map(k.new_label, names)
        self.sum = Products(k, self.bail, (4, 4), self.run_end)
        self.bits = k.reg("result")

    def kernel(self):
        k, s, left = self.k, self.sum, self.left
        single = k.new_label("single")
        k.branch(self.rows == 0, single)
        self.count.set(self.rows)
        left.set(self.rows)
        k.label(self.row)
        self._begin_run()
        s.clear()
        k.goto(s.next)
        k.label(single)
        self._begin_dot()
        with k.weighted(16):
            k.label(self.element)
            self._element()
        s.loop()
        with k.weighted(16):
            k.label(self.run_end)
            self.bits.set(s.result())
            k.label(self.store)
            self.dst[0] = self.bits
            for address, step in zip((self.dst, self.a, self.b), self.steps, strict=True):
                address += step
            left -= 1
            k.branch(left == 0, self.bail)
            k.branch(self.rows == 0, self.element)
        self.b.set(s.weights)
        k.goto(self.row)
        k.label(self.bail)
        return k.finish(self.count - left)

    def _begin_run(self):
        s = self.sum
        s.inputs.set(self.a)
        s.weights.set(self.b)
        s.inputs_end.set(self.a + self.row_bytes)

    # All elements of a dot product are one run.
    def _begin_dot(self):
        k = self.k
        for register, value in zip((self.operation, *self.steps), (_MAC, 0, 4, 4), strict=True):
            k.branch(register != value, self.element)
        self._begin_run()
        self.left.set(1)
        self.count.set(1)
        self.sum.set(self.dst[0])
        k.goto(self.sum.next)

    # Compute one product or sum: a run of one input.
    def _element(self):
        k, s, operation = self.k, self.sum, self.operation
        factors, add = map(k.new_label, ("factors", "add"))
        self.b.get("w", 0, s.weight)
        self.a.get("w", 0, s.input)
        k.branch(operation == _MUL, factors)
        s.inputs.set(self.a + 4)
        s.inputs_end.set(s.inputs)
        k.branch(operation > _MUL, add)
        s.set(self.dst[0])
        s.weights.set(self.b)
        s.double_input()
        k.branch(s.product == 0, s.zero)
        s.weights += 4
        k.goto(s.multiply)
        k.label(add)
        s.set(s.input)
        with k.If(operation == _SUB):
            s.weight ^= k.const(-1 << 31)
        s.add(s.weight)
        k.label(factors)
        self._multiply(s.input, s.weight)

    # The product of normal numbers, if it is one, too; or of a zero, which has a sign.
    def _multiply(self, x, w):
        k = self.k
        sign = k.var("sign", x ^ w)
        sign.set(sign.lsr(31) << 31)
        exponent, other = k.var("exponent", x.field(23, 8)), w.field(23, 8)
        zeros = k.new_label("zeros")
        k.branch(x << 1 == 0, zeros)
        k.branch(w << 1 == 0, zeros)
        for each in (exponent, other):
            k.branch((each - 1).not_below(254), self.bail)
        exponent += other
        exponent -= 127
        m = product(k, mantissa(k, x), factor(k, mantissa(k, w)), exponent)
        # The mantissa has the implicit bit.
        k.branch(exponent.not_below(254), self.bail)
        self.bits.set(m + (exponent << 23) + sign)
        k.goto(self.store)
        k.label(zeros)
        for each in (exponent, other):
            k.branch(each == 255, self.bail)
        self.bits.set(sign)
        k.goto(self.store)


def combine_kernel(machine):
    """Return the Kernel of combine_words() for a Machine."""
    return _Combine(machine).kernel()
