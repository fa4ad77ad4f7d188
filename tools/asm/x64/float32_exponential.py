# Machine code for the helpers of float32 kernels on x86-64: exp, logistic, tanh, ELU, rounding
# MIT license; Copyright (c) 2026 the tflm authors

from tflm_tools.packages.machine_code.x86 import at

from .float32 import address
from .function import Function, Prefixed

# Each function overrides the function of its name in kernels/float32_math.py or float32.py, and
# returns the same bits. The algorithm and its constants are explained there; registers are named
# after its variables.
EXP, LOGISTIC, TANH, ELU = range(4)
C = (536870912, 268435459, 89478486, 22369444, 4473905, 748533, 106842)
LOG2_E = 5909
LN2 = 0x58B90BFC
UPPER_MANTISSA, LOWER_MANTISSA = 0x84F3CF, 0x900000
ONE = 127 << 23
INFINITY = 255 << 23
NAMES = ("exp", "logistic", "tanh", "elu")
_ABOUTS = (
    "exp(a)",
    "1 / (1 + exp(-a))",
    "tanh(a)",
    "a, or exp(a) - 1 where a is negative",
)
_X, _SIGN, _E, _M, _K, _R, _H, _Q, _Y = "rax", "r8", "r9", "r10", "r11", "rbx", "rbp", "r12", "r13"
_DST, _A = "rdi", "rsi"
_SPARE, _SPARE_2 = "r14", "r15"


def exp():
    return _function(EXP)


def logistic():
    return _function(LOGISTIC)


def tanh():
    return _function(TANH)


def elu():
    return _function(ELU)


def _function(kind):
    t = begin(NAMES[kind], kind)
    t.label("element")
    t.mov("eax", at(_A))
    t.call(f"{NAMES[kind]}_of_one")
    t.mov(at(_DST), "eax")
    t.add(_DST, 4)
    t.add(_A, 4)
    t.count_down("n", "element")
    t.label("end")
    t.end()
    scalar(t, kind)
    rounded(t)
    return t.text()


def begin(name, kind, **options):
    """A function for a curve, addresses in rdi and rsi; goes to "end" if there is no element."""
    about = f"dst = {_ABOUTS[kind]}; see kernels/float32_math.py."
    t = Function(name, about, arguments=("arena", "rom", "dst", "a", "n"), **options)
    address(t, _DST, "dst")
    address(t, _A, "a")
    t.load("rax", "n")
    t.test("rax", "rax")
    t.jle("end")
    return t


def scalar(t, kind):
    """A function at the label NAME_of_one: eax = curve(eax). It keeps rdi and rsi only."""
    t = Prefixed(t, f"{NAMES[kind]}_")
    t.label("of_one")
    _unpack(t)
    _plain(t, kind)
    t.label("exponential")
    _reduce(t, kind)
    _polynomial(t)
    if kind in (EXP, LOGISTIC):
        if kind == LOGISTIC:
            _choose_alone(t)
        t.label("alone")
        t.lea(_E, at(_K, 127))
        _normalize(t, _Y)
        t.jmp("round")
    if kind != EXP:
        t.label("quotient")
        _numerator(t, kind)
        if kind == ELU:
            _normalize(t, _X)
            t.mov(_Y, _X)
        else:
            _divide(t)
    t.label("round")
    if kind in (EXP, LOGISTIC):
        t.xor("r8d", "r8d")
    t.outside.call("rounded")
    t.label("store")
    t.ret()


# Sign, exponent and mantissa of an element, which is in eax. A NaN is quiet.
def _unpack(t):
    number = t.new_label("number")
    t.mov("r8d", "eax")
    t.shr("r8d", 31)
    t.mov("r9d", "eax")
    t.shr("r9d", 23)
    t.and_("r9d", 255)
    t.mov("r10d", "eax")
    t.and_("r10d", 0x7FFFFF)
    t.je(number)
    t.cmp("r9d", 255)
    t.jne(number)
    t.or_("eax", 0x400000)
    t.jmp("store")
    t.label(number)
    t.or_("r10d", 0x800000)


# Answers that need no exponential go to eax.
def _plain(t, kind):
    if kind in (TANH, ELU):
        if kind == ELU:
            t.test("r8d", "r8d")
            t.je("store")
        t.cmp("r9d", 114 if kind == TANH else 102)
        t.jb("store")
        t.cmp("r9d", 131)
        t.jbe("exponential")
        t.mov("eax", "r8d")
        t.shl("eax", 31)
        t.or_("eax", ONE)
        t.jmp("store")
        return
    large, positive = t.new_label("large"), t.new_label("positive")
    t.mov("eax", 127 - kind << 23)
    t.cmp("r9d", 102)
    t.jb("store")
    t.cmp("r9d", 133)
    t.ja(large)
    if kind == LOGISTIC:
        t.test("r8d", "r8d")
        t.jne("exponential")
        t.mov("eax", ONE)
        t.cmp("r9d", 131)
        t.ja("store")
        t.jb("exponential")
        t.cmp("r10d", UPPER_MANTISSA)
        t.ja("store")
    t.jmp("exponential")
    t.label(large)
    t.test("r8d", "r8d")
    t.je(positive)
    t.xor("eax", "eax")
    t.jmp("store")
    t.label(positive)
    t.mov("eax", INFINITY if kind == EXP else ONE)
    t.jmp("store")


# k and r of step 1.
def _reduce(t, kind):
    small, done = t.new_label("small"), t.new_label("reduced")
    if kind == TANH:
        t.add("r9d", 1)
    t.xor("r11d", "r11d")
    t.cmp("r9d", 118)
    t.jbe(small)
    t.mov("ecx", 140)
    t.sub("ecx", "r9d")
    t.mov("r11d", "r10d")
    t.shr("r11d", "cl")
    _multiply_by(t, _K, LOG2_E)
    t.add(_K, 0x200000)
    t.sar(_K, 22)
    t.lea("rcx", at(_E, -119))
    t.mov(_R, _M)
    t.shl(_R, "cl")
    t.mov("r14d", LN2)
    t.imul(_SPARE, _K)
    t.sub(_R, _SPARE)
    t.jmp(done)
    t.label(small)
    t.mov("ecx", 118)
    t.sub("ecx", "r9d")
    t.mov("ebx", "r10d")
    t.shr("ebx", "cl")
    t.add("ebx", 1)
    t.shr("ebx", 1)
    t.label(done)
    if kind == EXP:
        positive = t.new_label("not_negated")
        t.test("r8d", "r8d")
        t.je(positive)
    t.neg(_R)
    t.neg(_K)
    if kind == EXP:
        t.label(positive)
    t.movsxd(_R, "ebx")
    t.mov(_H, _R)
    t.sar(_H, 15)
    t.and_(_R, 0x7FFF)


def _multiply_by(t, register, value):
    t.mov("r14d", value)
    t.imul(register, _SPARE)


# q and y of step 2 by Horner's rule.
def _polynomial(t):
    t.mov("r12d", C[6])
    for i, constant in enumerate((*C[5::-1], C[0])):
        to = _Y if i == 6 else _Q
        t.mov(_SPARE, _Q)
        t.shr(_SPARE, 15)
        t.mov(_SPARE_2, _Q)
        t.and_(_SPARE_2, 0x7FFF)
        t.imul(_SPARE_2, _H)
        t.mov("rcx", _R)
        t.imul("rcx", _SPARE)
        t.add(_SPARE_2, "rcx")
        t.sar(_SPARE_2, 15)
        t.imul(_SPARE, _H)
        t.add(_SPARE, _SPARE_2)
        t.sar(_SPARE, 1)
        t.add(_SPARE, constant)
        t.mov(to, _SPARE)


# Logistic: go to "quotient" unless the exponential alone is the answer.
def _choose_alone(t):
    t.test("r8d", "r8d")
    t.je("quotient")
    t.cmp("r9d", 130)
    t.jb("quotient")
    t.ja("alone")
    t.cmp("r10d", LOWER_MANTISSA)
    t.jbe("quotient")


# Shift a number left until bit 29 is set, and subtract from the exponent as often.
def _normalize(t, register):
    loop, done = t.new_label("normalize"), t.new_label("normalized")
    t.label(loop)
    t.mov(_SPARE, register)
    t.shr(_SPARE, 29)
    t.jne(done)
    t.shl(register, 1)
    t.sub(_E, 1)
    t.jmp(loop)
    t.label(done)


# Numerator in rax, exp(r) * 2**k in rbx, exponent in r9.
def _numerator(t, kind):
    done, zero = t.new_label("numerator"), t.new_label("k_is_zero")
    t.mov("rcx", _K)
    t.neg("rcx")
    t.mov("r14d", 30)
    t.cmp("rcx", 30)
    t.cmovge("rcx", _SPARE)
    t.mov(_R, _Y)
    t.shr(_R, "cl")
    t.mov("eax", C[0])
    if kind == LOGISTIC:
        t.mov("r9d", 127)
        t.test("r8d", "r8d")
        t.je(done)
        t.mov(_X, _Y)
        t.add(_E, _K)
        t.label(done)
        return
    t.test(_K, _K)
    t.je(zero)
    t.sub(_X, _R)
    t.mov("r9d", 127)
    t.jmp(done)
    t.label(zero)
    t.mov(_H, _M)
    t.shr(_H, 9)
    t.and_(_M, 0x1FF)
    t.mov(_SPARE, _Q)
    t.shr(_SPARE, 15)
    t.and_(_Q, 0x7FFF)
    t.imul(_Q, _H)
    t.imul(_M, _SPARE)
    t.shl(_M, 6)
    t.add(_Q, _M)
    t.sar(_Q, 15)
    t.imul(_SPARE, _H)
    t.lea(_X, at(_SPARE, 0, _Q))
    t.add(_E, 1)
    t.label(done)


# The quotient of rax by 1 + rbx.
def _divide(t):
    loop, done = t.new_label("scale"), t.new_label("scaled")
    t.add(_R, C[0])
    t.label(loop)
    t.cmp(_X, _R)
    t.jge(done)
    t.shl(_X, 1)
    t.sub(_E, 1)
    t.jmp(loop)
    t.label(done)
    t.mov(_M, _R)
    t.shr(_M, 14)
    t.add(_M, 1)
    for i in range(3):
        t.mov(_SPARE, _X)
        t.sar(_X, 2)
        t.xor("edx", "edx")
        t.div(_M)
        if i == 2:
            break
        t.mov(_Q, "rax")
        t.imul("rax", _R)
        t.shl(_SPARE, 12)
        t.sub(_SPARE, "rax")
        t.mov(_X, _SPARE)
        if i == 0:
            t.mov(_Y, _Q)
            t.shl(_Y, 12)
    t.add(_Y, _Q)
    t.shl(_Y, 5)
    t.shr("rax", 7)
    t.add(_Y, "rax")
    t.or_(_Y, 1)


def rounded(t):
    """A function: eax = the float32 of r8d (sign), r9 (exponent) and r13, see store_rounded()."""
    normal, store, finite = (t.new_label(name) for name in ("normal", "store", "finite"))
    t.label("rounded")
    _normalize(t, _Y)
    t.cmp(_E, 1)
    t.jge(normal)
    t.mov("ecx", 1)
    t.sub("rcx", _E)
    t.mov("r14d", 30)
    t.cmp("rcx", 30)
    t.cmovge("rcx", _SPARE)
    t.mov(_SPARE, _Y)
    t.shr(_Y, "cl")
    t.mov("rax", _Y)
    t.shl("rax", "cl")
    t.mov("r9d", 1)
    t.cmp("rax", _SPARE)
    t.je(normal)
    t.or_(_Y, 1)
    t.label(normal)
    t.mov("rax", _Y)
    t.shr("rax", 6)
    t.and_("eax", 1)
    t.lea("rax", at("rax", 31, _Y))
    t.shr("rax", 6)
    t.cmp(_E, 254)
    t.jle(finite)
    t.mov("eax", INFINITY)
    t.jmp(store)
    t.label(finite)
    t.sub(_E, 1)
    t.shl(_E, 23)
    t.add("rax", _E)
    t.label(store)
    t.shl("r8d", 31)
    t.or_("eax", "r8d")
    t.ret()


_STORE_ROUNDED = """
Store a number rounded to nearest even at dst; see kernels/float32.py.
"""


def store_rounded():
    t = Function("store_rounded", _STORE_ROUNDED, arguments=("arena", "dst", "sign", "e", "x"))
    t.load(_SIGN, "sign")
    t.load(_E, "e")
    t.load(_Y, "x")
    t.call("rounded")
    t.load("rdx", "dst")
    t.shr("rdx", 2)
    t.add("rdx", t.slot("arena"))
    t.mov(at("rdx"), "eax")
    t.end()
    rounded(t)
    return t.text()
