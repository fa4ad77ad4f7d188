# Generator of the products and sums of float32 that several kernels share, for RV32
# MIT license; Copyright (c) 2026 the tflm authors

from .products_float import END, INPUT, INPUTS, LEADING_BIT, SUM, WEIGHT, WEIGHTS, Products
from .rv32 import Rv32

_ABOUT = """
What combine() in kernels/float32.py does. `a0`, `a1` and `a2` are the addresses of dst, a and b.
`a3` has the number of elements in 20 bits; then the operation (2 bits), and for dst, a and b a bit
that is set if it advances. Returns the number of elements that are done; the next one has numbers
that this function does not multiply, such as infinite ones. A dot product is one element. If the
upper bits are not 0, they are the number of rows of a matrix b; their products and the vector a
are elements of dst, which advances.
"""

_SLOTS = ("done",)
_COUNT_BITS = 20
_MAC, _MUL, _ADD, _SUB = range(4)

_DST, _A, _B = "s3", "s4", "s5"
_STEPS = ("s6", "s7", "s8")  # bytes by which these advance
_COUNT, _LEFT, _OPERATION = "s9", "s10", "s11"
_ROWS, _ROW_END = "t6", "ra"  # rows of a matrix, and bytes of a row
_ROWS_BIT = 25


# Put the arguments into registers.
def _begin(t):
    t.mv(_DST, "a0")
    t.mv(_A, "a1")
    t.mv(_B, "a2")
    t.slli(_COUNT, "a3", 32 - _COUNT_BITS)
    t.srli(_COUNT, _COUNT, 32 - _COUNT_BITS)
    t.mv(_LEFT, _COUNT)
    t.srli(_ROWS, "a3", _ROWS_BIT)
    t.srli("a3", "a3", _COUNT_BITS)
    t.andi(_OPERATION, "a3", 3)
    for step in _STEPS:
        t.andi(step, "a3", 4)
        t.srli("a3", "a3", 1)


# Compute one product or sum, and go to the entry `multiply` or `zero` of the loop.
def _element(t, products, store, bail):
    names = ("add", "factors", "multiply", "zeros", "invalid", "minus")
    add, factors, multiply, zeros, invalid, minus = map(t.new_label, names)
    t.mv(INPUTS, _A)
    t.mv(END, _A)
    t.mv(WEIGHTS, _B)
    t.lw(INPUT, _A)
    t.lw(WEIGHT, _B)
    t.li("t0", _MUL)
    t.branch("beq", _OPERATION, "t0", factors)
    t.branch("blt", "t0", _OPERATION, add)
    t.lw(SUM, _DST)
    t.jump(multiply)
    t.label(add)
    t.mv(SUM, INPUT)
    products.sum_of(bail)
    t.li("t0", _ADD)
    t.branch("bne", _OPERATION, "t0", minus)
    products.add_weight()
    t.label(minus)
    t.mv(INPUT, LEADING_BIT)  # -0.0
    t.jump(products.plus)
    t.label(factors)
    t.li(SUM, 0)
    t.slli("t0", INPUT, 1)
    t.branch("beq", "t0", "zero", zeros)
    t.slli("t0", WEIGHT, 1)
    t.branch("beq", "t0", "zero", zeros)
    t.label(multiply)
    products.sum_of(bail)
    products.double_input()
    t.slli("t0", INPUT, 1)
    t.branch("bne", "t0", "zero", products.multiply)
    t.jump(products.zero)
    # The product of a zero has a sign.
    t.label(zeros)
    t.li("t1", 255)
    t.slli("t1", "t1", 24)
    for value in (INPUT, WEIGHT):
        t.slli("t0", value, 1)
        t.branch("bgeu", "t0", "t1", invalid)
    t.xor(SUM, INPUT, WEIGHT)
    t.srli(SUM, SUM, 31)
    t.slli(SUM, SUM, 31)
    t.jump(store)
    t.label(invalid)
    t.jump(bail)


def combine():
    t = Rv32("combine_words", _ABOUT, 4, _SLOTS)
    names = ("element", "row", "run_end", "store", "bail", "next_element")
    element, row, run_end, store, bail, next_element = map(t.new_label, names)
    products = Products(t, (None, None), checked=False, run_end=run_end, bail=bail)
    _begin(t)
    products.begin_function()
    single = t.new_label("single")
    t.branch("beq", _ROWS, "zero", single)
    t.slli(_ROW_END, _COUNT, 2)
    t.mv(_COUNT, _ROWS)
    t.mv(_LEFT, _ROWS)
    t.label(row)
    t.mv(INPUTS, _A)
    t.mv(WEIGHTS, _B)
    t.add(END, INPUTS, _ROW_END)
    products.begin_sum()
    t.jump(products.next)
    # A dot product: all elements are one run.
    t.label(single)
    t.branch("bne", _OPERATION, "zero", element)
    t.branch("bne", _STEPS[0], "zero", element)
    t.branch("beq", _STEPS[1], "zero", element)
    t.branch("beq", _STEPS[2], "zero", element)
    t.mv(INPUTS, _A)
    t.mv(WEIGHTS, _B)
    t.slli(END, _COUNT, 2)
    t.add(END, END, INPUTS)
    t.li(_LEFT, 1)
    t.li(_COUNT, 1)
    t.lw(SUM, _DST)
    products.sum_of(bail)
    t.jump(products.next)
    t.label(element)
    _element(t, products, store, bail)
    products.loop()
    t.label(run_end)
    products.result()
    t.label(store)
    t.sw(SUM, _DST)
    for pointer, step in zip((_DST, _A, _B), _STEPS, strict=True):
        t.add(pointer, pointer, step)
    t.addi(_LEFT, _LEFT, -1)
    t.branch("beq", _LEFT, "zero", bail)
    t.branch("beq", _ROWS, "zero", next_element)
    t.mv(_B, WEIGHTS)
    t.jump(row)
    t.label(next_element)
    t.jump(element)
    t.label(bail)
    t.sub(_COUNT, _COUNT, _LEFT)
    t.store(_COUNT, "done")
    return t.text("done")
