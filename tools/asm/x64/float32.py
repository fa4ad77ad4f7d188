# Machine code for the helpers of float32 kernels on x86-64: arithmetic, limits, copies, products
# MIT license; Copyright (c) 2026 the tflm authors

from tflm_tools.packages.machine_code.x86 import at

from .function import Helper

# Each function overrides the function of its name in kernels/float32.py, float32_select.py,
# float32_copy.py, float32_divide.py or float32_dots.py. Results are equal, except for the sign of
# a NaN.
#
# Registers: rdi, rsi, rdx the addresses of dst, a and b; r8, r9, r10 the bytes from one element to
# the next; rcx the number of elements left.
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
    for register, slot in ((_DST, "dst"), (_A, "a"), (_B, "b")):
        address(t, register, slot)
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
    for operand, step in ((_A, "r9"), (_B, "r10")):
        single, done = t.new_label("single"), t.new_label("checked")
        t.mov("rax", _DST)
        t.sub("rax", operand)
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


# Load elements from `operand`: four of them, or four times a single one.
def _load_vector(t, register, operand, step):
    single, done = t.new_label("one"), t.new_label("loaded")
    t.test(step, step)
    t.je(single)
    t.movups(register, at(operand))
    t.jmp(done)
    t.label(single)
    t.movss(register, at(operand))
    t.shufps(register, register, 0)
    t.label(done)


# dst = f(a, b) for all elements: `compute(suffix)` writes the code that makes xmm0 of xmm0 = a and
# xmm1 = b, for vectors ("ps") and single elements ("ss"). Goes to "end" when all are done.
def _each(t, compute):
    one, four = t.new_label("element"), t.new_label("vector")
    _check_vectors(t, one)
    t.label(four)
    _load_vector(t, "xmm0", _A, "r9")
    _load_vector(t, "xmm1", _B, "r10")
    compute("ps")
    t.movups(at(_DST), "xmm0")
    for operand, step in ((_DST, "r8"), (_A, "r9"), (_B, "r10")):
        t.lea(operand, at(operand, 0, step, _LANES))
    t.sub(_COUNT, _LANES)
    t.cmp(_COUNT, _LANES)
    t.jge(four)
    t.test(_COUNT, _COUNT)
    t.je("end")
    t.label(one)
    t.movss("xmm0", at(_A))
    t.movss("xmm1", at(_B))
    compute("ss")
    t.movss(at(_DST), "xmm0")
    for operand, step in ((_DST, "r8"), (_A, "r9"), (_B, "r10")):
        t.add(operand, step)
    t.dec(_COUNT)
    t.jne(one)
    t.jmp("end")


# _each() with one instruction.
def _each_by(t, instruction):
    _each(t, lambda suffix: getattr(t, instruction + suffix)("xmm0", "xmm1"))


@Helper(_OPERANDS)
def combine(t):
    """dst = dst + a * b, a * b, a + b or a - b, as `kind` says."""
    _begin(t)
    t.load("rax", "kind")
    for kind, instruction in ((1, "mul"), (2, "add"), (3, "sub")):
        t.cmp("rax", kind)
        t.je(instruction)
    _multiply_add(t)
    for instruction in ("mul", "add", "sub"):
        t.label(instruction)
        _each_by(t, instruction)
    t.label("end")


def _multiply_add(t):
    def multiply_add(suffix):
        getattr(t, f"mul{suffix}")("xmm0", "xmm1")
        (t.movups if suffix == "ps" else t.movss)("xmm2", at(_DST))
        getattr(t, f"add{suffix}")("xmm2", "xmm0")
        t.movaps("xmm0", "xmm2")

    t.test("r8", "r8")
    t.je("dot")
    t.label("each")
    _each(t, multiply_add)
    # The sum stays in a register, unless it is an operand as well.
    t.label("dot")
    for operand in (_A, _B):
        t.cmp(_DST, operand)
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


# A function of two operands with one instruction.
def _two(name, about, instruction):
    def write(t):
        _begin(t)
        _each_by(t, instruction)
        t.label("end")

    return Helper(_OPERANDS[:7], name, f"dst = {about}.")(write)


div = _two("div", "a / b", "div")
maximum = _two("maximum", "a > b ? a : b", "max")
minimum = _two("minimum", "a < b ? a : b", "min")


@Helper(("arena", "rom", "dst", "n", "limits"))
def clamp(t):
    """dst = min(max(dst, limits[0]), limits[1]), in place; a NaN stays."""
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


@Helper(_OPERANDS)
def compare(t):
    """The bytes at dst = a == b, a != b, a < b or a <= b, as `kind` says."""
    _begin(t)
    for kind, predicate in enumerate((0, 4, 1, 2)):
        following, element = t.new_label("kind"), t.new_label("element")
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
        t.jmp("end")
        t.label(following)
    t.label("end")


@Helper(("arena", "rom", "dst", "a", "n", "a_step"))
def copy(t):
    """dst = a, or a single element in all of dst if a_step is 0."""
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


@Helper(("arena", "rom", "target", "weights", "vector", "depth", "first", "count"))
def dots(t):
    """target = rows of a matrix from `first` on, times a vector; four rows at a time."""
    address(t, "rdi", "target")
    address(t, "rsi", "vector")
    address(t, "rdx", "weights")
    t.load("rcx", "depth")
    t.shl("rcx", 2)
    t.load("rax", "first")
    t.imul("rax", "rcx")
    t.add("rdx", "rax")
    t.load("r9", "count")
    t.label("rows")
    t.sub("r9", 4)
    t.jl("rest")
    _four_rows(t)
    t.jmp("rows")
    t.label("rest")
    t.add("r9", 4)
    t.label("row")
    t.sub("r9", 1)
    t.jl("end")
    t.xorps("xmm0", "xmm0")
    t.load("r11", "depth")
    t.mov("rax", "rsi")
    t.test("r11", "r11")
    t.jle("row_done")
    t.label("single")
    t.movss("xmm1", at("rdx"))
    t.mulss("xmm1", at("rax"))
    t.addss("xmm0", "xmm1")
    t.add("rax", 4)
    t.add("rdx", 4)
    t.dec("r11")
    t.jne("single")
    t.label("row_done")
    t.movss(at("rdi"), "xmm0")
    t.add("rdi", 4)
    t.jmp("row")
    t.label("end")


# The sums of four rows from rdx on, which have rcx bytes each, in xmm0.
def _four_rows(t):
    t.xorps("xmm0", "xmm0")
    t.mov("r8", "rdx")
    t.lea("r10", at("rdx", 0, "rcx"))
    t.lea("rdx", at("rdx", 0, "rcx", 4))
    t.mov("rax", "rsi")
    t.load("r11", "depth")
    rows = (at("r8"), at("r10"), at("r8", 0, "rcx", 2), at("r10", 0, "rcx", 2))

    # Add the products of element `i` of the vector and of the rows.
    def add_products(i, column):
        t.movss("xmm7", at("rax", 4 * i))
        t.shufps("xmm7", "xmm7", 0)
        t.mulps(column, "xmm7")
        t.addps("xmm0", column)

    def advance(count):
        for register in ("rax", "r8", "r10"):
            t.add(register, 4 * count)

    t.label("taps")
    t.sub("r11", 4)
    t.jl("last_taps")
    for i, row in enumerate(rows):
        t.movups(f"xmm{1 + i}", row)
    # The columns of these four rows: xmm2, xmm3, xmm4, xmm6.
    for low, high, other in (("xmm1", "xmm5", "xmm2"), ("xmm3", "xmm6", "xmm4")):
        t.movaps(high, low)
        t.unpcklps(low, other)
        t.unpckhps(high, other)
    for column, one, other in (("xmm2", "xmm1", "xmm3"), ("xmm4", "xmm5", "xmm6")):
        t.movaps(column, one)
        t.movlhps(column, other)
        t.movhlps(other, one)
    for i, column in enumerate(("xmm2", "xmm3", "xmm4", "xmm6")):
        add_products(i, column)
    advance(4)
    t.jmp("taps")
    t.label("last_taps")
    t.add("r11", 4)
    t.je("summed")
    t.label("last_tap")
    for i, row in enumerate(rows):
        t.movss(f"xmm{1 + i}", row)
    t.unpcklps("xmm1", "xmm2")
    t.unpcklps("xmm3", "xmm4")
    t.movlhps("xmm1", "xmm3")
    add_products(0, "xmm1")
    advance(1)
    t.dec("r11")
    t.jne("last_tap")
    t.label("summed")
    t.movups(at("rdi"), "xmm0")
    t.add("rdi", 16)


HELPERS = (combine, div, maximum, minimum, clamp, compare, copy, dots)
