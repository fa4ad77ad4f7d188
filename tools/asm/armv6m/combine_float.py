# Generator of the products and sums of float32 that several kernels share, for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

from ..common.thumb import R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, Thumb
from .products_float import BIAS, SUM_HIGH, SUM_LOW, Products

_ABOUT = """
What combine() in kernels/float32.py does. `r0`, `r1` and `r2` are the addresses of dst, a and b.
`r3` has the number of elements in 20 bits; then the operation (2 bits), and for dst, a and b a bit
that is set if it advances. Returns the number of elements that are done; the next one has numbers
that this function does not multiply, such as infinite ones. A dot product is one element.
"""

_SLOTS = (
    "dst",
    "a",
    "b",
    "count",  # of elements
    "left",
    "operation",
    "step_dst",  # bytes
    "step_a",
    "step_b",
)

_COUNT_BITS = 20
_MAC, _MUL, _ADD, _SUB = range(4)


# Make the float32 in R2 the sum; leave to `bail` if it is not between the bounds. Uses R4 and R5.
def _sum_of(t, products, bail):
    nonzero, good, positive, done = map(t.new_label, ("nonzero", "good", "positive", "done"))
    t.cmp(R2, 0)
    t.branch("ne", nonzero)
    products.begin_sum()
    t.b(done)
    t.label(nonzero)
    t.lsl(R4, R2, 1)
    t.lsr(R4, R4, 24)
    t.mov(R5, R4)
    t.sub(R5, SUM_LOW)
    t.cmp(R5, SUM_HIGH - SUM_LOW)
    t.branch("ls", good)
    t.b(bail)
    t.label(good)
    t.two("neg", R4, R4)
    t.sub(R4, BIAS)
    t.mov(R8, R4)
    t.mov(R5, 1)
    t.lsl(R5, R5, 30)
    t.lsl(R4, R2, 9)
    t.lsr(R4, R4, 2)
    t.add(R4, R5)
    t.cmp(R2, 0)
    t.branch("ge", positive)
    t.two("neg", R4, R4)
    t.label(positive)
    t.mov(R2, R4)
    t.label(done)


# Store the words of r3 in slots.
def _begin(t):
    t.store(R0, "dst")
    t.store(R1, "a")
    t.store(R2, "b")
    t.lsr(R4, R3, _COUNT_BITS)
    t.lsl(R3, R3, 32 - _COUNT_BITS)
    t.lsr(R3, R3, 32 - _COUNT_BITS)
    t.store(R3, "count")
    t.store(R3, "left")
    t.mov(R6, 3)
    t.two("and_", R6, R4)
    t.store(R6, "operation")
    t.mov(R7, 4)
    for i, name in enumerate(("step_dst", "step_a", "step_b")):
        t.mov(R5, R4)
        t.two("and_", R5, R7)
        t.store(R5, name)
        if i < 2:
            t.lsr(R4, R4, 1)


def combine():
    t = Thumb("combine_words", _ABOUT, arguments=4, slots=_SLOTS)
    names = ("element", "add", "factors", "multiply", "run_end", "store", "bail", "zeros")
    element, add, factors, multiply, run_end, store, bail, zeros = map(t.new_label, names)
    products = Products(
        t,
        lambda t: t.ldm(R0, R3),
        lambda t: t.ldm(R1, R5),
        _reload_weight,
        checked=False,
        run_end=run_end,
        bail=bail,
    )
    _begin(t)
    products.begin_function()
    # A dot product: all elements are one run.
    for name, step in (("step_dst", 0), ("step_a", 4), ("step_b", 4), ("operation", _MAC)):
        t.load(R6, name)
        t.cmp(R6, step)
        t.branch("ne", element)
    t.load(R7, "count")
    t.lsl(R7, R7, 2)
    t.add(R7, R1)
    t.mov(R9, R7)
    t.mov(R7, 1)
    t.store(R7, "left")
    t.store(R7, "count")
    t.load(R3, "dst")
    t.ldr(R2, R3)
    _sum_of(t, products, bail)
    t.load(R0, "a")
    t.load(R1, "b")
    t.b(products.next)
    t.label(element)
    t.load(R0, "a")
    t.mov(R9, R0)
    t.load(R1, "b")
    t.ldr(R3, R0)
    t.load(R7, "operation")
    t.cmp(R7, _MUL)
    t.branch("eq", factors)
    t.branch("gt", add)
    t.load(R2, "dst")
    t.ldr(R2, R2)
    t.b(multiply)
    t.label(add)
    t.mov(R2, R3)
    t.mov(R3, 127)
    t.lsl(R3, R3, 23)
    t.cmp(R7, _ADD)
    t.branch("eq", multiply)
    t.mov(R4, 1)
    t.lsl(R4, R4, 31)
    t.two("orr", R3, R4)
    t.b(multiply)
    # The product of a zero has a sign.
    t.label(factors)
    t.mov(R2, 0)
    t.ldr(R5, R1)
    t.lsl(R4, R3, 1)
    t.branch("eq", zeros)
    t.lsl(R4, R5, 1)
    t.branch("eq", zeros)
    t.label(multiply)
    _sum_of(t, products, bail)
    t.lsl(R4, R3, 1)
    zero = t.new_label("zero_input")
    t.branch("eq", zero)
    t.ldm(R1, R5)
    t.b(products.multiply)
    t.label(zero)
    t.b(products.zero)
    t.label(zeros)
    t.mov(R7, 0xFF)
    t.lsl(R7, R7, 24)
    big = t.new_label("big")
    for value in (R3, R5):
        t.lsl(R4, value, 1)
        t.cmp(R4, R7)
        t.branch("cs", big)
    t.mov(R2, R3)
    t.two("eor", R2, R5)
    t.lsr(R2, R2, 31)
    t.lsl(R2, R2, 31)
    t.b(store)
    t.label(big)
    t.b(bail)
    products.loop()
    t.label(run_end)
    products.result()
    t.label(store)
    t.load(R3, "dst")
    t.str(R2, R3)
    for name in ("dst", "a", "b"):
        t.load(R3, name)
        t.load(R4, "step_" + name)
        t.add(R3, R4)
        t.store(R3, name)
    t.load(R3, "left")
    t.sub(R3, 1)
    t.store(R3, "left")
    t.branch_far("ne", element)
    t.label(bail)
    t.load(R0, "count")
    t.load(R1, "left")
    t.sub(R0, R1)
    return t.text(returns=True)


def _reload_weight(t):
    t.sub(R5, R1, 4)
    t.ldr(R5, R5)
