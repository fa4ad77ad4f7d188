# Generator of the assembler kernel of ADD for Xtensa
# MIT license; Copyright (c) 2026 the tflm authors

from ..common.parameters import ADD, at
from .function import Function
from .requantize import requantize

_ABOUT = """
Outputs of ADD, int8, with a table for one input (prepare/add_table.py). The arguments are the
arena and the offset of a block of parameters in it (ADD in tools/asm/common/parameters.py).
"""
# a3 is the address of the parameters.
_OUTPUT, _X, _OTHER, _LOOKUP, _FACTOR = "a2", "a4", "a5", "a6", "a7"
_ZERO_POINT, _LOW, _HIGH, _SUM, _SPARE = "a8", "a9", "a10", "a11", ("a12", "a13", "a14", "a15")


def add():
    t = Function("add_run", _ABOUT, 2, ("end",))
    t.add("a3", "a3", "a2")
    for register, name in (
        (_X, "input1_end"),
        (_OTHER, "input2_end"),
        (_OUTPUT, "output_end"),
        (_SUM, "count"),
        (_LOOKUP, "lookup"),
        (_FACTOR, "factor"),
        (_ZERO_POINT, "output_zero_point"),
        (_LOW, "activation_min"),
        (_HIGH, "activation_max"),
    ):
        t.l32i(register, "a3", at(ADD, name))
    t.store(_OUTPUT, "end")
    for pointer in (_X, _OTHER, _OUTPUT):
        t.sub(pointer, pointer, _SUM)
    element = t.new_label("element")
    x, y = _SPARE[:2]
    t.label(element)
    t.l8ui(y, _OTHER)
    t.l8ui(x, _X)
    t.addx4(y, y, _LOOKUP)
    t.slli(x, x, 24)
    t.l32i(y, y)
    t.srai(x, x, 24)
    t.mull(_SUM, x, _FACTOR)
    t.addi(_X, _X, 1)
    t.addi(_OTHER, _OTHER, 1)
    t.add(_SUM, _SUM, y)
    multiplier = at(ADD, "multiplier")
    requantize(t, _SUM, "a3", multiplier, _SPARE, _ZERO_POINT, _LOW, _HIGH, _OUTPUT, 0)
    t.addi(_OUTPUT, _OUTPUT, 1)
    t.load(x, "end")
    t.bne(_OUTPUT, x, element)
    return t.text()
