# Generator of the assembler kernel of SOFTMAX, float32, for the FPU
# MIT license; Copyright (c) 2026 the tflm authors

from ..common.thumb import R0, R1, R2, R3, R4, R5
from .thumb_vfp import ThumbVfp

_DIFFERENCES = """
Rows of numbers less the largest number of their row. `r0` is the address of the results, `r1` of
the rows, `r2` the length of a row, `r3` the number of rows.
"""
_QUOTIENTS = """
Divide rows of numbers by the sum of their row, which adds in order. `r0` is the address of the
rows, `r1` the length of a row, `r2` the number of rows.
"""
_LOWEST = 0x0080  # upper half of the complement of the lowest float32


# Begin a loop over the numbers of a row.
def _loop(t, name, length):
    label = t.new_label(name)
    t.move(R4, length)
    t.label(label)
    return label


def _repeat(t, label):
    t.sub(R4, 1)
    t.branch("ne", label)


# s0: number, s1: largest number, s2: lowest number.
def differences():
    t = ThumbVfp("differences", _DIFFERENCES)
    t.number(R4, _LOWEST)
    t.shift_left(R4, R4, 16)
    t.two("mvn", R4, R4)
    t.from_core(2, R4)
    row = t.new_label("row")
    t.label(row)
    t.move(R5, R1)
    t.vmov(1, 2)
    number = _loop(t, "compare", R2)
    t.vldm(R5, 0)
    t.vcmp(0, 1)
    t.vmov_if("gt", 1, 0)
    _repeat(t, number)
    number = _loop(t, "subtract", R2)
    t.vldm(R1, 0)
    t.vsub(0, 0, 1)
    t.vstm(R0, 0)
    _repeat(t, number)
    t.sub(R3, 1)
    t.branch("ne", row)
    return t.text()


# s0: number, s1: sum, s2: 0.0.
def quotients():
    t = ThumbVfp("quotients", _QUOTIENTS, arguments=3)
    t.number(R4, 0)
    t.from_core(2, R4)
    row = t.new_label("row")
    t.label(row)
    t.move(R5, R0)
    t.vmov(1, 2)
    number = _loop(t, "add", R1)
    t.vldm(R5, 0)
    t.vadd(1, 1, 0)
    _repeat(t, number)
    number = _loop(t, "divide", R1)
    t.vldr(0, R0)
    t.vdiv(0, 0, 1)
    t.vstm(R0, 0)
    _repeat(t, number)
    t.sub(R2, 1)
    t.branch("ne", row)
    return t.text()
