# Generator of the assembler kernel of ADD for RV32
# MIT license; Copyright (c) 2026 the tflm authors

from ..common import parameters
from .requantize import requantize
from .rv32 import Rv32

_ABOUT = """
Outputs of ADD, int8, with a table for one input (prepare/add_table.py). `a0` is the arena, `a1`
the offset of a block of parameters in the arena (ADD in tools/asm/common/parameters.py).
"""
_X, _OTHER, _OUTPUT, _END, _LOOKUP, _FACTOR = "a2", "a3", "a4", "a5", "a6", "a7"
_HALF, _ONE, _ZERO_POINT, _LOW, _HIGH = "s0", "s1", "s2", "s3", "s4"


# Offset of a parameter in bytes.
def _at(name):
    return parameters.at(parameters.ADD, name)


def add():
    t = Rv32("add_run", _ABOUT, 2)
    t.add("a1", "a1", "a0")
    for register, name in (
        (_X, "input1_end"),
        (_OTHER, "input2_end"),
        (_END, "output_end"),
        ("t0", "count"),
        (_LOOKUP, "lookup"),
        (_FACTOR, "factor"),
        (_ZERO_POINT, "output_zero_point"),
        (_LOW, "activation_min"),
        (_HIGH, "activation_max"),
    ):
        t.lw(register, "a1", _at(name))
    t.sub(_X, _X, "t0")
    t.sub(_OTHER, _OTHER, "t0")
    t.sub(_OUTPUT, _END, "t0")
    t.li(_HALF, 1 << 30)
    t.li(_ONE, 1)
    element = t.new_label("element")
    t.label(element)
    t.lbu("t0", _OTHER)
    t.lb("t4", _X)
    t.slli("t0", "t0", 2)
    t.add("t0", "t0", _LOOKUP)
    t.lw("t0", "t0")
    t.mul("t4", "t4", _FACTOR)
    t.add("t4", "t4", "t0")
    requantize(
        t, "t4", "a1", _at("multiplier"), _HALF, _ONE, _ZERO_POINT, _LOW, _HIGH, _OUTPUT, 0
    )  # fmt: skip
    t.addi(_X, _X, 1)
    t.addi(_OTHER, _OTHER, 1)
    t.addi(_OUTPUT, _OUTPUT, 1)
    t.branch("bne", _OUTPUT, _END, element)
    return t.text()
