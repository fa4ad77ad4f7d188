# Generator of the assembler kernel of LOGISTIC and TANH, int16, for RV32
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.sigmoid_int16 import SIGMOID

from .float_record import RECORD, address, at, first_and_count
from .rv32 import Rv32

_ABOUT = """
Elements of LOGISTIC or TANH, int16: TFLM's table of the sigmoid with interpolation. `a0` is the
address of the record (SIGMOID in prepare/sigmoid_int16.py), `a1` of the arena, `a2` of the model.
`a3` is the first element * 1024 + the number of elements; if negative, the complement of the only
element.
"""
_LAST = 255  # interval of the table

_INPUT, _TABLE, _OUTPUT, _END = "s4", "s5", "s6", "s7"
_HALF = "s8"  # of the last bit that is dropped
_MULTIPLIER, _SHIFT, _FRACTION_BITS = "s9", "s10", "s11"
_SATURATED, _POSITIVE, _NEGATIVE, _OUTPUT_SHIFT, _LIMIT = "a4", "a5", "a6", "a7", "t6"
_VALUE, _SIGN, _INDEX, _RESULT, _NEXT = "t0", "t1", "t2", "t3", "t4"


def _begin(t):
    no_shift = t.new_label("no_shift")
    t.mv(RECORD, "a0")
    address(t, _INPUT, at(SIGMOID, "input"), "a1", "a2")
    address(t, _TABLE, at(SIGMOID, "entries"), "a1", "a2")
    address(t, _OUTPUT, at(SIGMOID, "output"), "a1", "a2")
    first_and_count(t)
    t.slli("a0", "a0", 1)
    t.add(_INPUT, _INPUT, "a0")
    t.add(_OUTPUT, _OUTPUT, "a0")
    t.slli("a3", "a3", 1)
    t.add(_END, _INPUT, "a3")
    for register, name in (
        (_MULTIPLIER, "multiplier"),
        (_SHIFT, "shift"),
        (_FRACTION_BITS, "fraction_bits"),
        (_SATURATED, "saturated"),
        (_POSITIVE, "positive_offset"),
        (_NEGATIVE, "negative_offset"),
        (_OUTPUT_SHIFT, "output_shift"),
    ):
        t.lw(register, RECORD, at(SIGMOID, name))
    t.li(_LIMIT, _LAST)
    t.li(_HALF, 0)
    t.branch("beq", _SHIFT, "zero", no_shift)
    t.addi("t0", _SHIFT, -1)
    t.li(_HALF, 1)
    t.sll(_HALF, _HALF, "t0")
    t.label(no_shift)


def elements():
    t = Rv32("elements", _ABOUT, 4)
    names = "element", "known", "negative", "signed", "saturated", "done"
    element, known, negative, signed, saturated, done = map(t.new_label, names)
    _begin(t)
    t.label(element)
    t.lh(_VALUE, _INPUT)
    t.addi(_INPUT, _INPUT, 2)
    t.mul(_VALUE, _VALUE, _MULTIPLIER)
    t.add(_VALUE, _VALUE, _HALF)
    t.sra(_VALUE, _VALUE, _SHIFT)
    t.srai(_SIGN, _VALUE, 31)
    t.xor(_VALUE, _VALUE, _SIGN)
    t.sub(_VALUE, _VALUE, _SIGN)
    t.srl(_INDEX, _VALUE, _FRACTION_BITS)
    t.branch("bgeu", _INDEX, _LIMIT, saturated)
    t.sll(_NEXT, _INDEX, _FRACTION_BITS)
    t.sub(_VALUE, _VALUE, _NEXT)
    t.slli(_INDEX, _INDEX, 1)
    t.add(_INDEX, _INDEX, _TABLE)
    t.lhu(_RESULT, _INDEX)
    t.lhu(_NEXT, _INDEX, 2)
    t.sub(_NEXT, _NEXT, _RESULT)
    t.mul(_VALUE, _VALUE, _NEXT)
    t.sll(_RESULT, _RESULT, _FRACTION_BITS)
    t.add(_RESULT, _RESULT, _VALUE)
    t.label(known)
    t.branch("bne", _SIGN, "zero", negative)
    t.add(_RESULT, _RESULT, _POSITIVE)
    t.label(signed)
    t.sra(_RESULT, _RESULT, _OUTPUT_SHIFT)
    t.sh(_RESULT, _OUTPUT)
    t.addi(_OUTPUT, _OUTPUT, 2)
    t.branch("bne", _INPUT, _END, element)
    t.jump(done)
    t.label(negative)
    t.sub(_RESULT, _NEGATIVE, _RESULT)
    t.jump(signed)
    t.label(saturated)
    t.mv(_RESULT, _SATURATED)
    t.jump(known)
    t.label(done)
    return t.text()
