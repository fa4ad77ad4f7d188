# Generators of the assembler kernels of ADD, SUB and MUL, int16, for RV32
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.add import INT16 as ADD
from tflm.prepare.mul import INT16 as MUL

from .fixed_point import Scale, clamp, load_scale, rescale
from .float_record import RECORD, address, at, first_and_count
from .rv32 import Rv32

_ABOUT = """
Elements of {operators}, int16. `a0` is the address of the record (INT16 in prepare/{file}.py),
`a1` of the arena, `a2` of the model. `a3` is the first element * 1024 + the number of elements; if
negative, the complement of the only element. An input that has a geometry is in its row in scratch
memory.
"""

_X, _Y, _OUTPUT, _END, _STEP_X, _STEP_Y = "s4", "s5", "s6", "s7", "s8", "s9"
_ONE, _HALF, _ZERO_POINT, _LOW, _HIGH = "s10", "s11", "a4", "a5", "a6"
# Multipliers of the output and of input 2 of ADD.
_SCALE, _SCALE_2 = Scale("a7", "t3", "t4", "t5"), Scale("s0", "s1", "s2", "t6")
_OFFSET_1, _OFFSET_2, _FACTOR_1, _FACTOR_2 = "a0", "a1", "a2", "ra"
_VALUE, _HIGH_WORD, _OTHER = "t0", "t1", "t2"


# Load the address of an input from element a0 on.
def _input(t, layout, number, to, step):
    plain, found = t.new_label("plain"), t.new_label("found")
    t.lw(step, RECORD, at(layout, f"step{number}"))
    t.lw("t2", RECORD, at(layout, f"expand{number}"))
    t.branch("beq", "t2", "zero", plain)
    address(t, to, at(layout, f"row{number}"), "a1", "a2")
    t.jump(found)
    t.label(plain)
    address(t, to, at(layout, f"input{number}"), "a1", "a2")
    t.mul("t0", "a0", step)
    t.add(to, to, "t0")
    t.label(found)


def _begin(t, layout):
    t.mv(RECORD, "a0")
    t.li(_ONE, 1)
    t.slli(_HALF, _ONE, 30)
    first_and_count(t)
    _input(t, layout, 1, _X, _STEP_X)
    _input(t, layout, 2, _Y, _STEP_Y)
    address(t, _OUTPUT, at(layout, "output"), "a1", "a2")
    t.slli("a0", "a0", 1)
    t.add(_OUTPUT, _OUTPUT, "a0")
    t.slli("a3", "a3", 1)
    t.add(_END, _OUTPUT, "a3")
    for register, name in (
        (_ZERO_POINT, "output_zero_point"),
        (_LOW, "activation_min"),
        (_HIGH, "activation_max"),
    ):
        t.lw(register, RECORD, at(layout, name))


# Add the zero point, limit and store _VALUE, and go to the next `element`.
def _store(t, element):
    t.add(_VALUE, _VALUE, _ZERO_POINT)
    clamp(t, _VALUE, _LOW, _HIGH)
    t.sh(_VALUE, _OUTPUT)
    t.add(_X, _X, _STEP_X)
    t.add(_Y, _Y, _STEP_Y)
    t.addi(_OUTPUT, _OUTPUT, 2)
    t.branch("bne", _OUTPUT, _END, element)


# Offsets are 32768 more than the zero points.
def _load_offset(t, to, name):
    t.lw(to, RECORD, at(ADD, name))
    t.slli("t0", _ONE, 15)
    t.sub(to, to, "t0")


def add():
    t = Rv32("add_run", _ABOUT.format(operators="ADD and SUB", file="add"), 4)
    element = t.new_label("element")
    _begin(t, ADD)
    load_scale(t, at(ADD, "output_multiplier"), _SCALE)
    load_scale(t, at(ADD, "multiplier"), _SCALE_2)
    _load_offset(t, _OFFSET_1, "offset1")
    _load_offset(t, _OFFSET_2, "offset2")
    t.lw(_FACTOR_1, RECORD, at(ADD, "factor1"))
    t.lw(_FACTOR_2, RECORD, at(ADD, "factor2"))
    t.label(element)
    t.lh(_VALUE, _Y)
    t.sub(_VALUE, _VALUE, _OFFSET_2)
    t.slli(_VALUE, _VALUE, 15)
    rescale(t, _VALUE, _SCALE_2, _HALF, _HIGH_WORD, _OTHER)
    t.lh(_OTHER, _X)
    t.mul(_VALUE, _VALUE, _FACTOR_2)
    t.sub(_OTHER, _OTHER, _OFFSET_1)
    t.mul(_OTHER, _OTHER, _FACTOR_1)
    t.add(_VALUE, _VALUE, _OTHER)
    rescale(t, _VALUE, _SCALE, _HALF, _HIGH_WORD, _OTHER)
    _store(t, element)
    return t.text()


def mul():
    t = Rv32("mul_run", _ABOUT.format(operators="MUL", file="mul"), 4)
    element = t.new_label("element")
    _begin(t, MUL)
    load_scale(t, at(MUL, "multiplier"), _SCALE)
    t.label(element)
    t.lh(_VALUE, _X)
    t.lh(_OTHER, _Y)
    t.mul(_VALUE, _VALUE, _OTHER)
    rescale(t, _VALUE, _SCALE, _HALF, _HIGH_WORD, _OTHER)
    _store(t, element)
    return t.text()
