# Machine code for the helpers of float32 kernels on x86-64 with AVX2: exp, logistic, tanh, ELU
# MIT license; Copyright (c) 2026 the tflm authors

from tflm_tools.packages.machine_code.x86 import at

from .curve_lanes import LANES, RARE, Lanes, Y
from .float32_exponential import ELU, EXP, LOGISTIC, NAMES, TANH, begin, rounded, scalar
from .function import Prefixed


def exp():
    return _function(EXP)


def logistic():
    return _function(LOGISTIC)


def tanh():
    return _function(TANH)


def elu():
    return _function(ELU)


def _function(kind):
    t = begin(NAMES[kind], kind, uses_avx=True)
    t.load("rcx", "n")
    t.call(f"{NAMES[kind]}_of_all")
    t.label("end")
    t.end()
    of_all(t, kind, True)
    rounded(t)
    return t.text()


def of_all(t, kind, is_avx2):
    """A function at the label NAME_of_all: rcx elements from rsi on to rdi, which may be rsi.

    Uses rax, rcx, rdx, rsi, rdi, r8 to r11 and vectors. It needs rounded().
    """
    scalar(t, kind)
    t = Prefixed(t, f"{NAMES[kind]}_")
    t.label("of_all")
    if is_avx2:
        _eights(t, kind)
    else:
        t.mov("rdx", "rcx")
        t.xor("ecx", "ecx")
    _singles(t, is_avx2)


# Eight elements at a time; goes to "singles" for rdx of them.
def _eights(t, kind):
    t.label("eight")
    t.sub("rcx", LANES)
    t.jl("rest")
    Lanes(t, kind).curve()
    t.vmovmskps("eax", f"ymm{RARE}")
    t.test("eax", "eax")
    t.jne("rare")
    t.vmovdqu(at("rdi"), f"ymm{Y}")
    t.add("rdi", 4 * LANES)
    t.add("rsi", 4 * LANES)
    t.jmp("eight")
    t.label("rare")
    t.mov("edx", LANES)
    t.jmp("singles")
    t.label("rest")
    t.lea("rdx", at("rcx", LANES))
    t.xor("ecx", "ecx")


# Elements one by one, rdx of them; then goes to "eight" if rcx are left.
def _singles(t, is_avx2):
    saved = ("rbx", "rbp", "r12", "r13", "r14", "r15")
    t.label("singles")
    t.test("rdx", "rdx")
    t.je("none")
    for register in ("rcx", *saved):
        t.push(register)
    t.label("single")
    t.push("rdx")
    t.mov("eax", at("rsi"))
    t.call("of_one")
    t.pop("rdx")
    t.mov(at("rdi"), "eax")
    t.add("rdi", 4)
    t.add("rsi", 4)
    t.dec("rdx")
    t.jne("single")
    for register in reversed(("rcx", *saved)):
        t.pop(register)
    t.label("none")
    t.test("rcx", "rcx")
    if is_avx2:
        t.jg("eight")
    t.ret()
