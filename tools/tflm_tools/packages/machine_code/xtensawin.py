# tflm_tools: packages: wraps machine code in a viper function on Xtensa (ESP32, S2, S3)
# MIT license; Copyright (c) 2026 the tflm authors

from .viper_abi import CHECK_ARGUMENTS, FROM_OBJECT, POINTER, signature
from .xtensa import Xtensa

_FRAME = 64  # bytes: six arguments, and the save area of register windows at its upper end
_MAX_ARGUMENTS = 6  # in a10 to a15


def wrap(code, arguments, table):
    """Return machine code that converts arguments, calls `code` and converts its result to int.

    code: a function of the windowed ABI with its arguments in a2, a3 ... arguments: their number.
    table: number of the constant for the runtime's function table.
    """
    assert arguments <= _MAX_ARGUMENTS
    t = Xtensa()
    wrong, right = t.new_label("wrong"), t.new_label("right")
    # Registers at entry: a2 function object, a3 number of arguments, a4 number of keyword
    # arguments, a5 pointer to the arguments.
    t.entry(_FRAME)
    t.l32i("a6", "a2", 4)  # the module's context
    t.l32i("a6", "a6", 12)  # its constants
    t.l32i("a6", "a6", 4 * table)
    t.movi("a7", arguments)
    t.bnez("a4", wrong)
    t.beq("a3", "a7", right)
    t.label(wrong)
    t.mov("a10", "a3")
    t.mov("a11", "a4")
    t.movi("a12", signature(arguments) >> 17)
    t.slli("a12", "a12", 16)
    t.add("a12", "a12", "a7")
    t.slli("a12", "a12", 1)
    t.l32i("a8", "a6", 4 * CHECK_ARGUMENTS)
    t.callx8("a8")  # raises TypeError
    t.label(right)
    t.l32i("a7", "a6", 4 * FROM_OBJECT)
    for i in range(arguments):
        t.l32i("a10", "a5", 4 * i)
        t.movi("a11", POINTER)
        t.callx8("a7")
        t.s32i("a10", "a1", 4 * i)
    for i in range(arguments):
        t.l32i(f"a{10 + i}", "a1", 4 * i)
    t.call8("function")
    t.slli("a2", "a10", 1)
    t.addi("a2", "a2", 1)
    t.retw()
    t.align()
    t.label("function")
    return t.code() + code
