# Machine code for x86-64 that converts float32 to int8, uint8 and int16, and back
# MIT license; Copyright (c) 2026 the tflm authors

from tflm_tools.packages.machine_code.x86 import at

from .float32 import address
from .function import Function

_LANES = 4
_INT16 = 2  # a type; int8 and uint8 have lower codes
_PRODUCT = 3  # int8; the scale is a factor of the inputs
_INFINITY = 0x7F800000
# The scale in place of infinity, and what inputs are multiplied by then: 2**64, 2**-64.
_HUGE, _TINY = 0x5F800000, 0x1F800000
_MOST = 0x49800000  # 2**20: larger quotients saturate
_HALF = 0x3F000000
# Vectors that stay.
_SCALE, _FACTOR, _MAGNITUDE, _INFINITE, _MOST_QUOTIENT, _TIE, _ZERO_POINT, _FLIP = (
    f"xmm{i}" for i in range(8, 16)
)


# Write the code of a loop twice: for vectors of _LANES elements, then for single elements. rcx is
# the number of elements. Yields the number of elements of a turn.
def _turns(t):
    for lanes in (_LANES, 1):
        rest, loop = t.new_label("rest"), t.new_label("each")
        t.sub("rcx", lanes)
        t.jl(rest)
        t.label(loop)
        yield lanes
        t.sub("rcx", lanes)
        t.jns(loop)
        t.label(rest)
        t.add("rcx", lanes)


# All elements of a vector become eax.
def _spread(t, vector):
    t.movd(vector, "eax")
    t.pshufd(vector, vector, 0)


def _constant(t, vector, bits):
    t.mov("eax", bits)
    _spread(t, vector)


_QUANTIZE = """
dst = clamp(round(a / scale) + zero_point); see kernels/quantize.py. An infinite scale is 2**128.
A kind of 3 is int8 with products in place of quotients; see quantize_products() in
kernels/hybrid_scale.py.
"""


def quantize():
    """Round each quotient to float32, then to an integer, halves away from zero."""
    t = Function(
        "quantize",
        _QUANTIZE,
        arguments=("arena", "rom", "dst", "a", "n", "scale", "zero_point", "kind"),
        slots=("element",),
    )
    t.xor("eax", "eax")
    _spread(t, _FLIP)
    t.load("rax", "kind")
    t.cmp("rax", 1)
    t.jne("signed")
    _constant(t, _FLIP, 0x80808080)
    t.label("signed")
    address(t, "rdi", "scale")
    t.mov("eax", at("rdi"))
    t.mov("ecx", 0x3F800000)
    t.cmp("eax", _INFINITY)
    t.jne("finite")
    t.mov("eax", _HUGE)
    t.mov("ecx", _TINY)
    t.label("finite")
    t.load("rdx", "kind")
    t.cmp("rdx", _PRODUCT)
    t.jne("quotient")
    t.mov("ecx", at("rdi"))
    t.mov("eax", 0x3F800000)
    t.label("quotient")
    _spread(t, _SCALE)
    t.mov("eax", "ecx")
    _spread(t, _FACTOR)
    t.movsx_word("eax", t.slot("zero_point"))
    _spread(t, _ZERO_POINT)
    for vector, bits in (
        (_MAGNITUDE, 0x7FFFFFFF),
        (_INFINITE, _INFINITY),
        (_MOST_QUOTIENT, _MOST),
        (_TIE, _HALF),
    ):
        _constant(t, vector, bits)
    address(t, "rdi", "dst")
    address(t, "rsi", "a")
    t.load("rcx", "n")
    t.load("rdx", "kind")
    for lanes in _turns(t):
        byte, stored = t.new_label("byte"), t.new_label("next")
        getattr(t, "movups" if lanes > 1 else "movss")("xmm0", at("rsi"))
        _round(t)
        t.packssdw("xmm1", "xmm1")
        t.cmp("rdx", _INT16)
        t.jne(byte)
        if lanes > 1:
            t.movq(at("rdi"), "xmm1")
        else:
            t.movss(t.slot("element"), "xmm1")
            t.mov("eax", t.slot("element"))
            t.mov(at("rdi"), "ax")
        t.add("rdi", 2 * lanes)
        t.jmp(stored)
        t.label(byte)
        t.packsswb("xmm1", "xmm1")
        t.pxor("xmm1", _FLIP)
        if lanes > 1:
            t.movss(at("rdi"), "xmm1")
        else:
            t.movss(t.slot("element"), "xmm1")
            t.mov("eax", t.slot("element"))
            t.mov(at("rdi"), "al")
        t.add("rdi", lanes)
        t.label(stored)
        t.add("rsi", 4 * lanes)
    t.end()
    return t.text()


# xmm1 = round(xmm0 / scale) + zero point, as integers. The quotient of a NaN is 0. Uses xmm0, xmm2
# and xmm3.
def _round(t):
    t.mulps("xmm0", _FACTOR)
    t.divps("xmm0", _SCALE)
    t.movaps("xmm2", "xmm0")
    t.psrad("xmm2", 31)
    t.pand("xmm0", _MAGNITUDE)
    t.movaps("xmm3", "xmm0")
    t.pcmpgtd("xmm3", _INFINITE)
    t.pandn("xmm3", "xmm0")
    t.minps("xmm3", _MOST_QUOTIENT)
    # To nearest even. Only if a half was rounded down, the rest is 1/2.
    t.cvtps2dq("xmm1", "xmm3")
    t.cvtdq2ps("xmm0", "xmm1")
    t.subps("xmm3", "xmm0")
    t.pcmpeqd("xmm3", _TIE)
    t.psubd("xmm1", "xmm3")
    t.pxor("xmm1", "xmm2")
    t.psubd("xmm1", "xmm2")
    t.paddd("xmm1", _ZERO_POINT)


_DEQUANTIZE = """
DEQUANTIZE of int8, uint8 and int16; see kernels/dequantize.py. Units are elements.
"""
# Words of the record.
_INPUT, _OPERAND_SCALE, _OUTPUT, _TYPE, _RECORD_ZERO_POINT = range(1, 6)


# The address of an operand of the record, which is in rbx. Uses rax.
def _operand(t, register, number):
    t.mov("eax", at("rbx", 4 * number))
    t.mov("r11d", "eax")
    t.and_("r11d", 1)
    t.load(register, "arena")
    t.cmovne(register, t.slot("rom"))
    t.shr("rax", 2)
    t.add(register, "rax")


def dequantize():
    """Subtract the zero point, convert to float32 and multiply by the scale."""
    t = Function("eval_integers", _DEQUANTIZE)
    t.mov("rbx", "rdi")
    t.mov("eax", at("rbx", 4 * _RECORD_ZERO_POINT))
    t.shl("eax", 16)
    t.sar("eax", 16)
    _spread(t, _ZERO_POINT)
    _operand(t, "rsi", _OPERAND_SCALE)
    t.mov("eax", at("rsi"))
    _spread(t, _SCALE)
    _operand(t, "rsi", _INPUT)
    _operand(t, "rdi", _OUTPUT)
    t.movsxd("rdx", at("rbx", 4 * _TYPE))
    t.load("rcx", "stop")
    t.load("rax", "start")
    t.sub("rcx", "rax")
    t.lea("rdi", at("rdi", 0, "rax", 4))
    t.add("rsi", "rax")
    t.cmp("rdx", _INT16)
    t.jne("addresses")
    t.add("rsi", "rax")
    t.label("addresses")
    for lanes in _turns(t):
        _load_integers(t, lanes)
        t.psubd("xmm0", _ZERO_POINT)
        t.cvtdq2ps("xmm0", "xmm0")
        t.mulps("xmm0", _SCALE)
        getattr(t, "movups" if lanes > 1 else "movss")(at("rdi"), "xmm0")
        t.add("rdi", 4 * lanes)
    t.end()
    return t.text()


# Load elements from rsi to xmm0, as integers of 32 bits, and move on.
def _load_integers(t, lanes):
    byte, unsigned, loaded = (t.new_label(each) for each in ("byte", "unsigned", "loaded"))
    t.cmp("rdx", _INT16)
    t.jne(byte)
    if lanes > 1:
        t.movq("xmm0", at("rsi"))
    else:
        t.movsx_word("eax", at("rsi"))
        t.movd("xmm0", "eax")
    t.add("rsi", 2 * lanes)
    t.punpcklwd("xmm0", "xmm0")
    t.psrad("xmm0", 16)
    t.jmp(loaded)
    t.label(byte)
    if lanes > 1:
        t.movd("xmm0", at("rsi"))
    else:
        t.movzx_byte("eax", at("rsi"))
        t.movd("xmm0", "eax")
    t.add("rsi", lanes)
    t.punpcklbw("xmm0", "xmm0")
    t.punpcklwd("xmm0", "xmm0")
    t.test("rdx", "rdx")
    t.jne(unsigned)
    t.psrad("xmm0", 24)
    t.jmp(loaded)
    t.label(unsigned)
    t.psrld("xmm0", 24)
    t.label(loaded)


_EXTREMES = """
The largest and the smallest of `n` values of float32 and 0, at dst; a NaN is neither.
"""


def extremes():
    """Compute what maximum() and minimum() of kernels/float32_select.py do from 0 on."""
    t = Function("extremes", _EXTREMES, arguments=("arena", "rom", "dst", "a", "n"))
    address(t, "rdi", "dst")
    address(t, "rsi", "a")
    t.load("rcx", "n")
    high, low = "xmm0", "xmm1"
    for vector in (high, low):
        t.xorps(vector, vector)
    for lanes in _turns(t):
        getattr(t, "movups" if lanes > 1 else "movss")("xmm2", at("rsi"))
        t.movaps("xmm3", "xmm2")
        t.maxps("xmm2", high)
        t.movaps(high, "xmm2")
        t.minps("xmm3", low)
        t.movaps(low, "xmm3")
        t.add("rsi", 4 * lanes)
    for i, (vector, instruction) in enumerate(((high, "maxps"), (low, "minps"))):
        for order in (0x4E, 0xB1):  # the other half, the neighbour
            t.pshufd("xmm2", vector, order)
            getattr(t, instruction)(vector, "xmm2")
        t.movss(at("rdi", 4 * i), vector)
    t.end()
    return t.text()
