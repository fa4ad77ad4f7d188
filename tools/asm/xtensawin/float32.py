# Generator of the loops over float32 elements that all float kernels call, for Xtensa with an FPU
# MIT license; Copyright (c) 2026 the tflm authors

from .fpu import Fpu

_ARGUMENTS = "arena", "rom", "dst", "a", "b", "n"
_ELEMENTS = """
Store `n` >> 6 results of an operation on the elements of `a` and `b` at `dst`; all are operand
words. Bits 3 to 5 of `n` are a number of OPERATIONS in tools/asm/xtensawin/float32.py. Bit 0 is
set if the result advances, bit 1 for `a`, bit 2 for `b`.
"""
_DOT = """
The number at `dst` += the products of `n` numbers of `a` and `b`, in this order.
"""
_STRIDED = """
Add products of numbers of `a` and `b` to the number at `dst`. Bits 0 to 8 of `n` are their number,
bits 10 to 19 the step from one number of `a` to the next, bits 20 to 29 the step of `b`. If bit 9
is set, the number at `dst` advances by the step of `b`.
"""
_LIMIT = """
Limit `n` numbers of `dst` to the two numbers at `limits`; a NaN stays. `rom` is where they are.
"""

OPERATIONS = "mac", "mul", "add", "sub", "maximum", "minimum"


# Replace an operand word by its address. arena, rom: registers with the two bases.
def _address(t, operand, spare, arena="a2", rom="a3"):
    in_arena, known = t.new_label("in_arena"), t.new_label("known")
    t.extui(spare, operand, 0, 1)
    t.srli(operand, operand, 2)
    t.beqz(spare, in_arena)
    t.add(operand, operand, rom)
    t.j(known)
    t.label(in_arena)
    t.add(operand, operand, arena)
    t.label(known)


def _begin(name, about, arguments=_ARGUMENTS):
    t = Fpu(name, about, arguments)
    t.srli("a4", "a4", 2)
    t.add("a4", "a4", "a2")
    _address(t, "a5", "a8")
    return t


# f2 = the result of f0 and f1; `mac` adds to the result so far.
def _operation(t, name):
    if name == "mac":
        t.lsi("f2", "a4")
        t.mul_s("f0", "f0", "f1")
        t.add_s("f2", "f2", "f0")
    elif name in ("maximum", "minimum"):
        t.olt_s("b0", *(("f1", "f0") if name == "maximum" else ("f0", "f1")))
        t.movt_s("f1", "f0", "b0")
    else:
        {"mul": t.mul_s, "add": t.add_s, "sub": t.sub_s}[name]("f2", "f0", "f1")


def elements():
    t = _begin("elements", _ELEMENTS)
    _address(t, "a6", "a8")
    for bit, step in enumerate(("a9", "a10", "a11")):
        t.extui(step, "a7", bit, 1)
        t.slli(step, step, 2)
    t.extui("a12", "a7", 3, 3)
    t.srli("a7", "a7", 6)
    end = t.new_label("end")
    loops = [t.new_label(name) for name in OPERATIONS]
    for i, label in enumerate(loops):
        t.movi("a8", i)
        t.far("beq", "a12", "a8", label)
    for name, label in zip(OPERATIONS, loops, strict=True):
        t.label(label)
        done = t.new_label("elements_end")
        t.loopnez("a7", done)
        t.lsi("f0", "a5")
        t.lsi("f1", "a6")
        t.add("a5", "a5", "a10")
        t.add("a6", "a6", "a11")
        _operation(t, name)
        t.ssi("f1" if name in ("maximum", "minimum") else "f2", "a4")
        t.add("a4", "a4", "a9")
        t.label(done)
        t.j(end)
    t.label(end)
    return t.text()


def dot():
    t = _begin("dot", _DOT)
    _address(t, "a6", "a8")
    t.lsi("f0", "a4")
    t.movi("a8", 0)
    end = t.new_label("taps_end")
    t.loopnez("a7", end)
    t.lsx("f1", "a5", "a8")
    t.lsx("f2", "a6", "a8")
    t.addi("a8", "a8", 4)
    t.mul_s("f1", "f1", "f2")
    t.add_s("f0", "f0", "f1")
    t.label(end)
    t.ssi("f0", "a4")
    return t.text()


def strided():
    t = _begin("strided", _STRIDED)
    _address(t, "a6", "a8")
    for register, low in (("a10", 10), ("a11", 20)):
        t.extui(register, "a7", low, 10)
        t.slli(register, register, 2)
    stays = t.new_label("stays")
    t.extui("a9", "a7", 9, 1)
    t.beqz("a9", stays)
    t.mov("a9", "a11")
    t.label(stays)
    t.extui("a7", "a7", 0, 9)
    end = t.new_label("products_end")
    t.loopnez("a7", end)
    t.lsi("f0", "a5")
    t.lsi("f1", "a6")
    t.lsi("f2", "a4")
    t.mul_s("f0", "f0", "f1")
    t.add("a5", "a5", "a10")
    t.add("a6", "a6", "a11")
    t.add_s("f2", "f2", "f0")
    t.ssi("f2", "a4")
    t.add("a4", "a4", "a9")
    t.label(end)
    return t.text()


def limit():
    t = _begin("limit", _LIMIT, ("arena", "rom", "dst", "limits", "n"))
    t.lsi("f1", "a5")
    t.lsi("f2", "a5", 4)
    end = t.new_label("elements_end")
    t.loopnez("a6", end)
    t.lsi("f0", "a4")
    t.olt_s("b0", "f0", "f1")
    t.movt_s("f0", "f1", "b0")
    t.olt_s("b0", "f2", "f0")
    t.movt_s("f0", "f2", "b0")
    t.ssi("f0", "a4")
    t.addi("a4", "a4", 4)
    t.label(end)
    return t.text()
