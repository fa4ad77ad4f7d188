# Kernel language: x86-64 with words of 64 bits, for the front end; without the language's macros
# MIT license; Copyright (c) 2026 the tflm authors

from tflm_tools.packages.machine_code.x86 import REGISTERS_OF_64_BITS, at, sub_register

from ...x64.function import Function, Prefixed
from ..machine import Machine

_LOADS = {"u8": "movzx_byte", "s8": "movsx_byte", "u16": "movzx_word", "s16": "movsx_word",
          "w": "mov"}  # fmt: skip
_BYTES = {"u8": 1, "u16": 2, "w": 4}
_TWO = {"add": "add", "sub": "sub", "and": "and_", "or": "or_", "xor": "xor", "mul": "imul"}
_SHIFTS = {"shl": "shl", "asr": "sar", "lsr": "shr"}
_BRANCHES = {"eq": "je", "ne": "jne", "lt": "jl", "le": "jle", "gt": "jg", "ge": "jge",
             "ult": "jb", "ule": "jbe", "ugt": "ja", "uge": "jae"}  # fmt: skip
_ARGUMENTS = ("rdi", "rsi", "rdx", "rcx", "r8", "r9")
_RCX, _RAX, _RDX = 3, 6, 2  # indices of registers


# Return whether an instruction can hold a number.
def _is_short(value):
    return isinstance(value, int) and -(1 << 31) <= value < 1 << 31


class X64Machine(Machine):
    """Values mean what they mean in viper on x64: a load of 32 bits has zeros above them.

    outer: a finished Function to which compile() adds a function at the label of its name, for
    calls from that code. It follows the System V ABI. helpers: {name of a function of a file
    float32...: a Helper}, which is called and not inlined.
    """

    name = "x64"
    word_bits = 64
    registers = (*_ARGUMENTS, "rax", "r10", "r11", *Function.SAVED)
    low = (1 << len(registers)) - 1
    order = (_RAX, 0, 1, _RDX, _RCX, *range(4, 6), *range(7, len(registers)))
    saved = sum(1 << i for i, name in enumerate(registers) if name in Function.SAVED)
    has_mulh = False
    has_unaligned_loads = True
    max_arguments = 6
    pure = Machine.pure | {"lea"}
    assert set(registers) | {"rsp"} == set(REGISTERS_OF_64_BITS)

    def __init__(self, outer=None, helpers=None):
        self._outer, self.helpers = outer, helpers or {}

    def clobbers(self, op):
        return self.low & ~self.saved if op.name == "call" else 0

    def is_short(self, value):
        return True

    def li(self, to, value):
        self.put("li", [to], [value])

    # A register, or a number that an instruction can hold.
    def _short(self, value):
        return value if _is_short(value) else self.as_reg(value)

    # to = one `name` other, in two operands.
    def _two(self, op, commutes=True):
        to, one, other = op.dst[0], *op.src
        if commutes and (isinstance(one, int) or to is other):
            one, other = other, one
        other = self._short(other)
        if to is other and to is not one:
            other = self.temp(other)
        self.mov(to, one)
        self.put(op.name, [to], [to, other])

    lower_or = lower_xor = _two

    def lower_sub(self, op):
        self._two(op, commutes=False)

    def lower_add(self, op):
        to, (one, other) = op.dst[0], op.src
        if isinstance(one, int) or to is other:
            one, other = other, one
        if to is one:
            return self._two(op)
        return self.put("lea", [to], [self.as_reg(one), self._short(other)])

    def lower_mul(self, op):
        op.src = [self.as_reg(x) for x in op.src]
        self._two(op)

    def lower_and(self, op):
        kinds = {0xFF: "u8", 0xFFFF: "u16", 0xFFFFFFFF: "w"}
        if isinstance(op.src[1], int) and op.src[1] in kinds:
            return self.put("extend", op.dst, [self.as_reg(op.src[0])], info=kinds[op.src[1]])
        return self._two(op)

    def lower_s8(self, op):
        self.put("extend", op.dst, [self.as_reg(op.src[0])], info=op.name)

    lower_s16 = lower_s8

    def lower_shl(self, op):
        to, (one, by) = op.dst[0], op.src
        if isinstance(by, int):
            self.mov(to, one)
            return self.put(op.name, [to], [to, by])
        count, shifted = self._kernel.reg("shift", _RCX), self.temp(one)
        self.mov(count, by)
        self.put(op.name, [shifted], [shifted, count])
        return self.mov(to, shifted)

    lower_asr = lower_lsr = lower_shl

    def lower_divu(self, op):
        one, other = op.src
        low, high = self._kernel.reg("low", _RAX), self._kernel.reg("high", _RDX)
        other = self.as_reg(other)
        self.mov(low, one)
        self.mov(high, 0)
        self.put("div", [low, high], [low, high, other])
        self.mov(op.dst[0], low if op.name == "divu" else high)

    lower_remu = lower_divu

    def lower_ld(self, op):
        (base, offset), (kind, scale) = op.src, op.info
        self.put("ld", op.dst, [base, self._short(offset)], info=(kind, scale))

    def lower_st(self, op):
        (value, base, offset), info = op.src, op.info
        self.put("st", [], [self.as_reg(value), base, self._short(offset)], info=info)

    def branch(self, condition, one, other, label):
        self.put("br", [], [one, self._short(other)], [label], condition)

    def lower_call(self, op):
        first = len(_ARGUMENTS)
        fixed = [self._kernel.reg(None, i) for i in range(min(first, len(op.src)))]
        others = [self.as_reg(value) for value in op.src[first:]]
        for register, value in zip(fixed, op.src, strict=False):
            self.mov(register, value)
        self.put("call", [], [*fixed, *others], info=op.info)

    # The text of a function.

    def size(self, op, is_far):
        return 0  # all jumps reach everything

    def reach(self, op):
        return 0

    def write(self, kernel, code, used):
        saved = [r for i, r in enumerate(self.registers) if used & self.saved & 1 << i]
        slots = self._allocation.slots
        if self._outer:
            t = Prefixed(self._outer, kernel.name + "_")
            t.outside.label(kernel.name)
            t.enter(saved, slots)
        else:
            names = [argument.name for argument in kernel.arguments]
            t = Function(kernel.name, kernel.about, names, slots, saved=saved)
        code, _ = self.layout(code)
        for op in code:
            to, values = self.operands(op)
            getattr(self, "write_" + op.name)(t, op, to, values)
        for name in dict.fromkeys(op.info for op in code if op.name == "call"):
            self.helpers[name].add(t)
        return "" if self._outer else t.text()

    def write_ret(self, t, op, to, values):
        if values:
            t.mov("rax", values[0])
        t.end(is_zero=not values)

    def write_spill(self, t, op, to, values):
        t.store(op.info, values[0])

    def write_call(self, t, op, to, values):
        on_stack = values[len(_ARGUMENTS) :]
        for register in reversed(on_stack):
            t.push(register)
        t.call(op.info)
        if on_stack:
            t.add("rsp", 8 * len(on_stack))

    def write_jump(self, t, op, to, values):
        t.jmp(op.to[0])

    def write_br(self, t, op, to, values):
        if values[1] == 0:
            t.test(values[0], values[0])
        else:
            t.cmp(*values)
        getattr(t, _BRANCHES[op.info])(op.to[0])

    def write_mov(self, t, op, to, values):
        t.mov(to[0], values[0])

    def write_li(self, t, op, to, values):
        value = values[0]
        t.mov(sub_register(to[0], 4) if 0 <= value < 1 << 32 else to[0], value)

    def write_add(self, t, op, to, values):
        getattr(t, _TWO[op.name])(to[0], values[1])

    write_sub = write_and = write_or = write_xor = write_mul = write_add

    def write_lea(self, t, op, to, values):
        base, other = values
        if to[0] == base:
            return t.add(base, other)
        t.lea(to[0], _memory(base, other, 0))

    def write_shl(self, t, op, to, values):
        by = values[1]
        if by:
            getattr(t, _SHIFTS[op.name])(to[0], by if isinstance(by, int) else "cl")

    write_asr = write_lsr = write_shl

    def write_div(self, t, op, to, values):
        t.div(values[2])

    def write_min(self, t, op, to, values):
        t.cmp(to[0], values[1])
        getattr(t, "cmovg" if op.name == "min" else "cmovl")(to[0], values[1])

    write_max = write_min

    def write_extend(self, t, op, to, values):
        kind = op.info
        size = 4 if kind == "w" else int(kind[1:]) // 8
        target = sub_register(to[0], 4) if kind[0] != "s" else to[0]
        getattr(t, _LOADS[kind])(target, sub_register(values[0], size))

    def write_ld(self, t, op, to, values):
        kind, scale = op.info
        target = to[0] if kind[0] == "s" else sub_register(to[0], 4)
        getattr(t, _LOADS[kind])(target, _memory(*values, scale))

    def write_st(self, t, op, to, values):
        kind, scale = op.info
        t.mov(_memory(*values[1:], scale), sub_register(values[0], _BYTES[kind]))


# The operand at base + (offset << scale), where a number is no index.
def _memory(base, offset, scale):
    if isinstance(offset, int):
        return at(base, offset)
    return at(base, 0, offset, 1 << scale)
