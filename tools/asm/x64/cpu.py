# Machine code that asks an x86-64 what it has
# MIT license; Copyright (c) 2026 the tflm authors

from .function import Function

_ABOUT = """
2 where the processor and the system have AVX2, 1 where they have AVX, 0 where there is only SSE2.
"""
_AVX = 1 << 27 | 1 << 28  # OSXSAVE and AVX: leaf 1, ecx
_STATE = 6  # of XCR0: the system saves xmm and ymm registers
_AVX2 = 1 << 5  # leaf 7, ebx


def level():
    t = Function("level", _ABOUT, arguments=())
    t.xor("ebp", "ebp")
    t.mov("eax", 1)
    t.cpuid()
    t.and_("ecx", _AVX)
    t.cmp("ecx", _AVX)
    t.jne("known")
    t.xor("ecx", "ecx")
    t.xgetbv()
    t.and_("eax", _STATE)
    t.cmp("eax", _STATE)
    t.jne("known")
    t.mov("ebp", 1)
    t.xor("eax", "eax")
    t.cpuid()
    t.cmp("eax", 7)
    t.jb("known")
    t.mov("eax", 7)
    t.xor("ecx", "ecx")
    t.cpuid()
    t.and_("ebx", _AVX2)
    t.je("known")
    t.mov("ebp", 2)
    t.label("known")
    t.mov("eax", "ebp")
    t.end(is_zero=False)
    return t.text()
