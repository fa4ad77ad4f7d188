# Machine code for the helpers of float32 kernels on x86-64: exp, logistic, tanh, ELU, rounding
# MIT license; Copyright (c) 2026 the tflm authors

from functools import partial

from tflm_tools.packages.machine_code.x86 import at

from ..language.machines.x64 import X64Machine
from .compiled import kernel, text
from .curve_lanes import ELU, EXP, FILE, LANES, LOGISTIC, RARE, TANH, Lanes, Y
from .float32 import address
from .function import Helper

NAMES = {EXP: "exp", LOGISTIC: "logistic", TANH: "tanh", ELU: "elu"}
# With SSE2 these are compiled, and the machine code of AVX2 contains them.
COMPILED = [partial(text, FILE, name) for name in NAMES.values()]


def _helper(kind):
    name = NAMES[kind]

    def write(t):
        address(t, "rdi", "dst")
        address(t, "rsi", "a")
        t.load("rcx", "n")
        t.call(f"{name}_of_all")

    about = f"{name}() of kernels/{FILE}, eight elements at a time."
    arguments = ("arena", "rom", "dst", "a", "n")
    return Helper(arguments, name, about, True, lambda t: of_all(t, kind, True))(write)


exp, logistic, tanh, elu = HELPERS = [_helper(kind) for kind in NAMES]


def of_all(t, kind, is_avx2):
    """A function at the label NAME_of_all: rcx elements from rsi on to rdi, which may be rsi.

    Uses rax, rcx, rdx, rsi, rdi, r8 to r11 and vectors. `t` has ended.
    """
    name = NAMES[kind]
    eight, rare, rest = (f"{name}_{label}" for label in ("eight", "rare", "rest"))
    t.label(f"{name}_of_all")
    if is_avx2:
        t.label(eight)
        t.sub("rcx", LANES)
        t.jl(rest)
        Lanes(t, kind).curve()
        t.vmovmskps("eax", f"ymm{RARE}")
        t.test("eax", "eax")
        t.jne(rare)
        t.vmovdqu(at("rdi"), f"ymm{Y}")
        t.add("rdi", 4 * LANES)
        t.add("rsi", 4 * LANES)
        t.jmp(eight)
        t.label(rare)
        t.mov("r8d", LANES)
        _call_compiled(t, name)
        t.jmp(eight)
        t.label(rest)
        t.add("rcx", LANES)
    t.mov("r8", "rcx")
    _call_compiled(t, name)
    t.ret()
    machine = X64Machine(t)
    machine.compile(kernel(FILE, name, machine))


# Compute r8 elements from rsi on to rdi, and move on. The addresses become operand words of an
# arena at address 0.
def _call_compiled(t, name):
    saved = ("rcx", "rsi", "rdi", "r8")
    for register in saved:
        t.push(register)
    for word, register in (("rdx", "rdi"), ("rcx", "rsi")):
        t.mov(word, register)
        t.shl(word, 2)
        t.xor(register, register)
    t.call(name)
    for register in reversed(saved):
        t.pop(register)
    for register in ("rsi", "rdi"):
        t.lea(register, at(register, 0, "r8", 4))
