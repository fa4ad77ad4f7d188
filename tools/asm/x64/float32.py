# Machine code for the helpers of float32 kernels on x86-64: arithmetic, limits, copies
# MIT license; Copyright (c) 2026 the tflm authors

from tflm_tools.packages.machine_code.x86 import at

from .function import Function

# Each function overrides the function of its name in kernels/float32.py, float32_select.py,
# float32_copy.py or float32_divide.py. Results are equal, except for the sign of a NaN.
#
# Registers of all functions: rdi, rsi, rdx the addresses of dst, a and b; r8, r9, r10 the bytes
# from one element to the next; rcx the number of elements left.
_DST, _A, _B, _COUNT = "rdi", "rsi", "rdx", "rcx"
_OPERANDS = ("arena", "rom", "dst", "a", "b", "n", "steps", "kind")
_LANES = 4


# Load the address of an operand from its word.
def address(t, register, slot):
    t.load("rax", slot)
    t.mov("r11", "rax")
    t.and_("r11", 1)
    t.load("r11", "arena")
    t.cmovne("r11", t.slot("rom"))
    t.shr("rax", 2)
    t.add("rax", "r11")
    t.mov(register, "rax")


# Addresses, steps and count. Goes to "end" if there is no element.
def _begin(t):
    address(t, _DST, "dst")
    address(t, _A, "a")
    address(t, _B, "b")
    for register, shift in (("r8", 0), ("r9", 10), ("r10", 20)):
        t.load(register, "steps")
        if shift:
            t.shr(register, shift)
        t.and_(register, 1023)
        t.shl(register, 2)
    t.load(_COUNT, "n")
    t.test(_COUNT, _COUNT)
    t.jle("end")


# Go to `label` unless vectors of four elements give what single elements give, one after the
# other: dst moves on by an element, a and b do or are a single one, and no element is read after
# it was written.
def _check_vectors(t, label):
    t.cmp("r8", 4)
    t.jne(label)
    t.cmp(_COUNT, _LANES)
    t.jl(label)
    for address, step in ((_A, "r9"), (_B, "r10")):
        single, done = t.new_label("single"), t.new_label("checked")
        t.mov("rax", _DST)
        t.sub("rax", address)
        t.test(step, step)
        t.je(single)
        t.cmp(step, 4)
        t.jne(label)
        t.sub("rax", 1)  # dst itself is allowed
        t.cmp("rax", 4 * _LANES - 1)
        t.jb(label)
        t.jmp(done)
        t.label(single)
        t.neg("rax")
        t.mov("r11", _COUNT)
        t.shl("r11", 2)
        t.cmp("rax", "r11")
        t.jb(label)
        t.label(done)


# Load elements from `address`: four of them, or four times a single one.
def _load_vector(t, register, address, step):
    single, done = t.new_label("one"), t.new_label("loaded")
    t.test(step, step)
    t.je(single)
    t.movups(register, at(address))
    t.jmp(done)
    t.label(single)
    t.movss(register, at(address))
    t.shufps(register, register, 0)
    t.label(done)


def _move_on(t, count):
    for address, step in ((_DST, "r8"), (_A, "r9"), (_B, "r10")):
        if count == 1:
            t.add(address, step)
        else:
            t.lea(address, at(address, 0, step, count))


# dst = f(a, b) for all elements: `vector` and `scalar` are functions that make xmm0 of xmm0 = a
# and xmm1 = b. Goes to `end` when all are done.
def _each(t, vector, scalar, end):
    one, four = t.new_label("element"), t.new_label("vector")
    _check_vectors(t, one)
    t.label(four)
    _load_vector(t, "xmm0", _A, "r9")
    _load_vector(t, "xmm1", _B, "r10")
    vector()
    t.movups(at(_DST), "xmm0")
    _move_on(t, _LANES)
    t.sub(_COUNT, _LANES)
    t.cmp(_COUNT, _LANES)
    t.jge(four)
    t.test(_COUNT, _COUNT)
    t.je(end)
    t.label(one)
    t.movss("xmm0", at(_A))
    t.movss("xmm1", at(_B))
    scalar()
    t.movss(at(_DST), "xmm0")
    _move_on(t, 1)
    t.dec(_COUNT)
    t.jne(one)
    t.jmp(end)


_COMBINE = """
dst = dst + a * b, a * b, a + b or a - b, as `kind` says; see kernels/float32.py.
"""


def combine():
    t = Function("combine", _COMBINE, arguments=_OPERANDS)
    _begin(t)
    t.load("rax", "kind")
    for kind, instruction in ((1, "mul"), (2, "add"), (3, "sub")):
        t.cmp("rax", kind)
        t.je(instruction)
    _multiply_add(t)
    for instruction in ("mul", "add", "sub"):
        t.label(instruction)
        _each(t, *_instructions(t, instruction), "end")
    t.label("end")
    t.end()
    return t.text()


def mac():
    about = "dst = dst + a[0] * b[0] + a[1] * b[1] ...; see kernels/float32.py."
    t = Function("mac", about, arguments=_OPERANDS[:6], slots=("steps",))
    t.mov("rax", 1 << 10 | 1 << 20)
    return _multiply_add_alone(t)


def mac_each():
    about = "dst = dst + a * b; see kernels/float32.py."
    t = Function("mac_each", about, arguments=(*_OPERANDS[:6], "a_step"), slots=("steps",))
    t.load("rax", "a_step")
    t.shl("rax", 10)
    t.or_("rax", 1 | 1 << 20)
    return _multiply_add_alone(t)


# The rest of a function that multiplies and adds, with its steps in rax.
def _multiply_add_alone(t):
    t.store("steps", "rax")
    _begin(t)
    _multiply_add(t)
    t.label("end")
    t.end()
    return t.text()


def _multiply_add(t):
    def vector():
        t.mulps("xmm0", "xmm1")
        t.movups("xmm2", at(_DST))
        t.addps("xmm2", "xmm0")
        t.movaps("xmm0", "xmm2")

    def scalar():
        t.mulss("xmm0", "xmm1")
        t.movss("xmm2", at(_DST))
        t.addss("xmm2", "xmm0")
        t.movaps("xmm0", "xmm2")

    t.test("r8", "r8")
    t.je("dot")
    t.label("each")
    _each(t, vector, scalar, "end")
    # The sum stays in a register, unless it is an operand as well.
    t.label("dot")
    for address in (_A, _B):
        t.cmp(_DST, address)
        t.je("each")
    t.movss("xmm2", at(_DST))
    t.label("tap")
    t.movss("xmm0", at(_A))
    t.mulss("xmm0", at(_B))
    t.addss("xmm2", "xmm0")
    t.add(_A, "r9")
    t.add(_B, "r10")
    t.dec(_COUNT)
    t.jne("tap")
    t.movss(at(_DST), "xmm2")
    t.jmp("end")


# Functions that write an instruction for vectors and for single elements.
def _instructions(t, name):
    return (
        lambda: getattr(t, f"{name}ps")("xmm0", "xmm1"),
        lambda: getattr(t, f"{name}ss")("xmm0", "xmm1"),
    )


# A function of two operands with one instruction.
def _two(name, about, instruction):
    t = Function(name, f"dst = {about}.", arguments=_OPERANDS[:7])
    _begin(t)
    _each(t, *_instructions(t, instruction), "end")
    t.label("end")
    t.end()
    return t.text()


def add():
    return _two("add", "a + b; see kernels/float32.py", "add")


def sub():
    return _two("sub", "a - b; see kernels/float32.py", "sub")


def mul():
    return _two("mul", "a * b; see kernels/float32.py", "mul")


def div():
    return _two("div", "a / b; see kernels/float32_divide.py", "div")


def maximum():
    return _two("maximum", "a > b ? a : b; see kernels/float32_select.py", "max")


def minimum():
    return _two("minimum", "a < b ? a : b; see kernels/float32_select.py", "min")


_CLAMP = """
dst = min(max(dst, limits[0]), limits[1]), in place; a NaN stays. See kernels/float32_select.py.
"""


def clamp():
    t = Function("clamp", _CLAMP, arguments=("arena", "rom", "dst", "n", "limits"))
    address(t, _DST, "dst")
    address(t, _A, "limits")
    t.load(_COUNT, "n")
    for i, register in enumerate(("xmm3", "xmm4")):
        t.movss(register, at(_A, 4 * i))
        t.shufps(register, register, 0)
    t.sub(_COUNT, _LANES)
    t.jl("rest")
    for load, step, suffix in (("movups", _LANES, "ps"), ("movss", 1, "ss")):
        if step == 1:
            t.label("rest")
            t.add(_COUNT, _LANES - 1)
            t.js("end")
        loop = t.new_label("clamp")
        t.label(loop)
        getattr(t, load)("xmm0", at(_DST))
        t.movaps("xmm1", "xmm3")
        getattr(t, f"max{suffix}")("xmm1", "xmm0")
        t.movaps("xmm2", "xmm4")
        getattr(t, f"min{suffix}")("xmm2", "xmm1")
        getattr(t, load)(at(_DST), "xmm2")
        t.add(_DST, 4 * step)
        t.sub(_COUNT, step)
        t.jns(loop)
    t.label("end")
    t.end()
    return t.text()


_COMPARE = """
The bytes at dst = a == b, a != b, a < b or a <= b, as `kind` says; see kernels/float32_select.py.
"""


def compare():
    t = Function("compare", _COMPARE, arguments=_OPERANDS)
    _begin(t)
    for kind, predicate in enumerate((0, 4, 1, 2)):
        following, element = t.new_label("kind"), t.new_label("element")
        if kind < 3:
            t.load("rax", "kind")
            t.cmp("rax", kind)
            t.jne(following)
        t.label(element)
        t.movss("xmm0", at(_A))
        t.cmpss("xmm0", at(_B), predicate)
        t.movmskps("eax", "xmm0")
        t.and_("eax", 1)
        t.mov(at(_DST), "al")
        t.add(_DST, 1)
        t.add(_A, "r9")
        t.add(_B, "r10")
        t.dec(_COUNT)
        t.jne(element)
        if kind < 3:
            t.jmp("end")
            t.label(following)
    t.label("end")
    t.end()
    return t.text()


_COPY = """
dst = a, or a single element in all of dst if a_step is 0; see kernels/float32_copy.py.
"""


def copy():
    t = Function("copy", _COPY, arguments=("arena", "rom", "dst", "a", "n", "a_step"))
    address(t, _DST, "dst")
    address(t, _A, "a")
    t.load("r9", "a_step")
    t.shl("r9", 2)
    t.load(_COUNT, "n")
    t.test(_COUNT, _COUNT)
    t.jle("end")
    t.label("element")
    t.mov("eax", at(_A))
    t.mov(at(_DST), "eax")
    t.add(_DST, 4)
    t.add(_A, "r9")
    t.dec(_COUNT)
    t.jne("element")
    t.label("end")
    t.end()
    return t.text()
