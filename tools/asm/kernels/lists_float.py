# Loops over lists of float32 that all float kernels call, for an FPU, in the kernel language
# MIT license; Copyright (c) 2026 the tflm authors

from ..language.fpu import Fpu
from ..language.kernel import Kernel
from ..language.macros import operand

_ELEMENTS = """
Store results of an operation on the elements of `a` and `b` at `to`. `size` holds their number
<< 6 | a number of OPERATIONS of tools/asm/kernels/lists_float.py << 3 | steps: bit 0 is set if the
result advances, bit 1 for `a`, bit 2 for `b`.
"""
_DOT = """
The number at `to` += the products of `size` numbers of `a` and `b`, in this order.
"""
_STRIDED = """
Add products of numbers of `a` and `b` to the number at `to`. Bits 0 to 8 of `size` are their
number, bits 10 to 19 the step from one number of `a` to the next, bits 20 to 29 the step of `b`.
If bit 9 is set, the number at `to` advances by the step of `b`.
"""
_LIMIT = """
Limit `size` numbers from `to` on to the two numbers at `limits`; a NaN stays.
"""
_SUMS = """
Store sums at `to`. The first one begins at `source`. `size` holds the numbers of a sum << 14 | the
number of sums, `steps` the bytes from a sum to the next << 15 | the bytes from a number of a sum
to the next. A sum adds its numbers in order.
"""
OPERATIONS = "mac", "mul", "add", "sub", "maximum", "minimum", "prelu", "div"


# Return a Kernel, registers with the addresses of its operands, and the last argument. The
# operands are words of a record where a function may have six arguments, otherwise addresses.
def _begin(name, about, operands, machine):
    bases = ("arena", "rom") if machine.max_arguments > 4 else ()
    k = Kernel(name, about, (*bases, *operands, "size"), machine)
    *arguments, size = k.arguments
    to, *others = (k.var(str(each), each) for each in arguments[len(bases) :])
    if bases:
        arena, rom = arguments[:2]
        to.set((to >> 2) + arena)  # never in the model
        for address in others:
            address.set(operand(k, address, arena, rom))
    return k, (to, *others), size


# Return the register of the FPU with the result of registers 0 and 1; `mac` adds to the result at
# the address `to`.
def _operation(fpu, name, to):
    if name == "mac":
        fpu.load(2, to)
        fpu.mul(0, 0, 1)
        fpu.add(2, 2, 0)
    elif name in ("maximum", "minimum"):
        (fpu.set_larger if name == "maximum" else fpu.set_smaller)(1, 0)
        return 1
    else:
        getattr(fpu, name)(2, 0, 1)
    return 2


def elements_kernel(machine):
    k, (to, a, b), size = _begin("elements", _ELEMENTS, ("to", "a", "b"), machine)
    fpu = Fpu(k)
    steps = [k.var(f"{x}_step", size.field(bit, 1) << 2) for bit, x in enumerate((to, a, b))]
    operation, count = k.var("operation", size.field(3, 3)), k.var("count", size.lsr(6))
    loops = {name: k.new_label(name) for name in OPERATIONS if name != "div"}
    if machine.has_float_divide:
        loops["div"] = k.new_label("div")
    for i, label in enumerate(loops.values()):
        k.branch(operation == i, label)
    k.goto("end")
    for name, label in loops.items():
        k.label(label)
        if name == "prelu":
            minus_zero = k.var("minus_zero", -1 << 31)
        with k.repeat(count, "element", times=16):
            fpu.load(0, a)
            fpu.load(1, b)
            bits = a[0] if name == "prelu" else None
            a += steps[1]
            b += steps[2]
            if bits:
                fpu.mul(2, 0, 1)
                with k.If(bits.above(minus_zero)):  # negative
                    bits.set(fpu.bits(2))
                to[0] = bits
            else:
                fpu.store(_operation(fpu, name, to), to)
            to += steps[0]
        k.goto("end")
    k.label("end")
    return k.finish()


def dot_kernel(machine):
    k, (to, a, b), size = _begin("dot", _DOT, ("to", "a", "b"), machine)
    fpu = Fpu(k)
    fpu.load(0, to)
    for count, at_once in ((size.lsr(2), 4), (size.field(0, 2), 1)):
        with k.repeat(k.var("count", count), "products", times=16 * at_once):
            fpu.load_next(range(4, 4 + at_once), a)
            fpu.load_next(range(8, 8 + at_once), b)
            for i in range(at_once):
                fpu.mul(8 + i, 8 + i, 4 + i)
            for i in range(at_once):
                fpu.add(0, 0, 8 + i)
    fpu.store(0, to)
    return k.finish()


def strided_kernel(machine):
    k, (to, a, b), size = _begin("strided", _STRIDED, ("to", "a", "b"), machine)
    fpu = Fpu(k)
    a_step, b_step = (
        k.var(f"{x}_step", size.field(low, 10) << 2) for x, low in ((a, 10), (b, 20))
    )
    to_step = k.var("to_step", size.field(9, 1) * b_step)
    with k.repeat(k.var("count", size.field(0, 9)), "product", times=16):
        fpu.load(0, a)
        fpu.load(1, b)
        fpu.load(2, to)
        fpu.mul(0, 0, 1)
        a += a_step
        b += b_step
        fpu.add(2, 2, 0)
        fpu.store(2, to)
        to += to_step
    return k.finish()


def limit_kernel(machine):
    k, (to, limits), count = _begin("limit", _LIMIT, ("to", "limits"), machine)
    fpu = Fpu(k)
    fpu.load(1, limits)
    fpu.load(2, limits, 4)
    with k.repeat(count, "element", times=16):
        fpu.load(0, to)
        fpu.limit(0, 1, 2)
        fpu.store_next([0], to)
    return k.finish()


def sums_kernel(machine):
    k = Kernel("sums", _SUMS, ("to", "source", "size", "steps"), machine)
    to, source, size, steps = k.arguments
    fpu = Fpu(k)
    length, left = k.var("length", size.lsr(14)), k.var("left", size.field(0, 14))
    gap, step = k.var("gap", steps.lsr(15)), k.var("step", steps.field(0, 15))
    with k.loop("sum") as sums:
        fpu.clear([0])
        x, count = k.var("x", source), k.var("count", length)
        source += gap
        with k.loop("number", times=16) as numbers:
            fpu.load(1, x)
            x += step
            fpu.add(0, 0, 1)
            count -= 1
            numbers.repeat_if(count != 0)
        fpu.store_next([0], to)
        left -= 1
        sums.repeat_if(left != 0)
    return k.finish()
