# Generator of the loops over float32 elements that all float kernels call, for the FPU
# MIT license; Copyright (c) 2026 the tflm authors

from ..common.thumb import R0, R1, R2, R3, R4, R5, R6, R7
from .thumb_vfp import ThumbVfp

_ELEMENTS = """
`r3` holds a number of elements << 6 | an operation << 3 | steps: bit 0 is set if the result at
`r0` advances, bit 1 for the operand at `r1`, bit 2 for the operand at `r2`. Operations are numbers
of OPERATIONS in tools/asm/armv7emsp/float32.py.
"""
_DOT = """
The number at `r0` += the products of `r3` numbers from `r1` and from `r2` on, in this order.
"""
_STRIDED = """
Add products of numbers from `r1` and from `r2` on to the number at `r0`. Bits 0 to 8 of `r3` are
their number, bits 10 to 19 the step from one number at `r1` to the next, bits 20 to 29 the step at
`r2`. If bit 9 is set, the number at `r0` advances by the step at `r2`.
"""
_CLAMP = """
Limit `r2` numbers from `r0` on to the two numbers at `r1`; a NaN stays.
"""

_SUMS = """
Store sums at `r0`. The first one begins at `r1`. `r2` holds the numbers of a sum << 14 | the
number of sums, `r3` the bytes from a sum to the next << 15 | the bytes from a number of a sum to
the next. A sum adds its numbers in order.
"""

OPERATIONS = "mac", "mul", "add", "sub", "maximum", "minimum", "div"


# s2 = the result of s0 and s1; `mac` adds to the result so far.
def _operation(t, name):
    if name == "mac":
        t.vldr(2, R0)
        t.vmul(0, 0, 1)
        t.vadd(2, 2, 0)
    elif name in ("maximum", "minimum"):
        t.vcmp(0, 1)
        t.vmov(2, 1)
        t.vmov_if("gt" if name == "maximum" else "mi", 2, 0)
    else:
        {"mul": t.vmul, "add": t.vadd, "sub": t.vsub, "div": t.vdiv}[name](2, 0, 1)


def elements():
    t = ThumbVfp("elements", _ELEMENTS)
    for bit, register in enumerate((R4, R5, R6)):
        t.and_number(register, R3, 1 << bit)
        t.it("ne")
        t.number(register, 4)
    t.and_number(R7, R3, 7 << 3)
    end = t.new_label("end")
    t.shift_right(R3, R3, 6)
    t.branch_far("eq", end)
    loops = [t.new_label(name) for name in OPERATIONS]
    for i, label in enumerate(loops):
        t.cmp(R7, i << 3)
        t.branch_far("eq", label)
    t.b(end)
    for name, label in zip(OPERATIONS, loops, strict=True):
        t.label(label)
        t.vldr(0, R1)
        t.vldr(1, R2)
        t.add(R1, R5)
        t.add(R2, R6)
        _operation(t, name)
        t.vstr(2, R0)
        t.add(R0, R4)
        t.sub(R3, 1)
        t.branch("ne", label)
        t.b(end)
    t.label(end)
    return t.text()


def dot():
    t = ThumbVfp("dot", _DOT)
    quads, singles, single, done = map(t.new_label, ("quads", "singles", "single", "done"))
    t.vldr(0, R0)
    t.shift_right(R4, R3, 2)
    t.branch("eq", singles)
    t.label(quads)
    t.vldm(R1, 4, 4)
    t.vldm(R2, 8, 4)
    for i in range(4):
        t.vmul(8 + i, 8 + i, 4 + i)
    for i in range(4):
        t.vadd(0, 0, 8 + i)
    t.sub(R4, 1)
    t.branch("ne", quads)
    t.label(singles)
    t.and_number(R4, R3, 3)
    t.branch("eq", done)
    t.label(single)
    t.vldm(R1, 4)
    t.vldm(R2, 8)
    t.vmul(8, 8, 4)
    t.vadd(0, 0, 8)
    t.sub(R4, 1)
    t.branch("ne", single)
    t.label(done)
    t.vstr(0, R0)
    return t.text()


# r4, r5, r6: bytes of the steps of the operands and of the result.
def strided():
    t = ThumbVfp("strided", _STRIDED)
    for register, unused in ((R4, 12), (R5, 2)):
        t.shift_left(register, R3, unused)
        t.shift_right(register, register, 22)
        t.shift_left(register, register, 2)
    t.shift_left(R6, R3, 22)
    t.shift_right(R6, R6, 31)
    t.mul_wide(R6, R6, R5)
    again, end = t.new_label("again"), t.new_label("end")
    t.shift_left(R3, R3, 23)
    t.shift_right(R3, R3, 23)
    t.branch("eq", end)
    t.label(again)
    t.vldr(0, R1)
    t.vldr(1, R2)
    t.vldr(2, R0)
    t.vmul(0, 0, 1)
    t.add(R1, R4)
    t.add(R2, R5)
    t.vadd(2, 2, 0)
    t.vstr(2, R0)
    t.add(R0, R6)
    t.sub(R3, 1)
    t.branch("ne", again)
    t.label(end)
    return t.text()


def limit():
    t = ThumbVfp("limit", _CLAMP, arguments=3)
    again, done = t.new_label("again"), t.new_label("done")
    t.vldr(4, R1)
    t.vldr(5, R1, 4)
    t.cmp(R2, 0)
    t.branch("eq", done)
    t.label(again)
    t.vldr(0, R0)
    t.vcmp(0, 4)
    t.vmov_if("mi", 0, 4)
    t.vcmp(0, 5)
    t.vmov_if("gt", 0, 5)
    t.vstm(R0, 0)
    t.sub(R2, 1)
    t.branch("ne", again)
    t.label(done)
    return t.text()


# r4: numbers of a sum, r5: sums left, r6: a number, r7: numbers left.
def sums():
    t = ThumbVfp("sums", _SUMS)
    each, again = t.new_label("each"), t.new_label("again")
    t.shift_right(R4, R2, 14)
    t.shift_left(R5, R2, 18)
    t.shift_right(R5, R5, 18)
    t.shift_right(R2, R3, 15)
    t.shift_left(R3, R3, 17)
    t.shift_right(R3, R3, 17)
    t.label(each)
    t.number(R6, 0)
    t.from_core(0, R6)
    t.move(R6, R1)
    t.add(R1, R2)
    t.move(R7, R4)
    t.label(again)
    t.vldr(1, R6)
    t.add(R6, R3)
    t.vadd(0, 0, 1)
    t.sub(R7, 1)
    t.branch("ne", again)
    t.vstm(R0, 0)
    t.sub(R5, 1)
    t.branch("ne", each)
    return t.text()
