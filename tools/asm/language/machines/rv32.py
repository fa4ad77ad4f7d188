# Kernel language: RV32IMC (ESP32-C3, C6)
# MIT license; Copyright (c) 2026 the tflm authors

from ...encoders.rv32 import Rv32
from ..ir import SWAPPED
from ..machine import Machine

_LOADS = {"u8": "lbu", "s8": "lb", "u16": "lhu", "s16": "lh", "w": "lw"}
_STORES = {"u8": "sb", "u16": "sh", "w": "sw"}
_THREE = {"add": "add", "sub": "sub", "mul": "mul", "and": "and_", "or": "or_", "xor": "xor",
          "shl": "sll", "asr": "sra", "lsr": "srl", "mulh": "mulh", "mulhu": "mulhu",
          "divu": "divu", "remu": "remu", "ult": "sltu"}  # fmt: skip
_NUMBER = {
    "add": "addi",
    "and": "andi",
    "xor": "xori",
    "shl": "slli",
    "asr": "srai",
    "lsr": "srli",
}
_SHIFTS = ("shl", "asr", "lsr")
_BRANCHES = {"eq": "beq", "ne": "bne", "lt": "blt", "ge": "bge", "ult": "bltu", "uge": "bgeu"}


class Rv32Machine(Machine):
    """Registers of the arguments come first, because compressed instructions take most of them."""

    name = "rv32imc"
    registers = (
        *(f"a{i}" for i in range(8)),
        *(f"t{i}" for i in range(7)),
        *(f"s{i}" for i in range(12)),
        "ra",
    )
    low = (1 << len(registers)) - 1
    order = range(len(registers))
    saved = sum(1 << i for i, name in enumerate(registers) if name[0] in "sr")

    def is_short(self, value):
        return -2048 <= value < 2048 or not value & 0xFFF

    def li(self, to, value):
        self.put("li", [to], [value])

    def _arithmetic(self, op):
        name, to, (one, other) = op.name, op.dst[0], op.src
        if isinstance(one, int) and not (name in ("sub", "ult") and one == 0):
            one = self.temp(one)
        if isinstance(other, int):
            if name in ("add", "shl", "asr", "lsr", "or", "xor") and other == 0:
                return self.mov(to, one)
            fits = 0 <= other < 32 if name in _SHIFTS else -2048 <= other < 2048
            if name not in _NUMBER or not fits:
                other = self.temp(other)
        return self.put(name, [to], [one, other])

    lower_add = lower_sub = lower_mul = lower_and = lower_or = lower_xor = _arithmetic
    lower_shl = lower_asr = lower_lsr = lower_mulh = lower_mulhu = lower_divu = _arithmetic
    lower_remu = lower_ult = _arithmetic

    def lower_field(self, op):
        to, one, (low, bits) = op.dst[0], op.src[0], op.info
        if low == 0 and bits < 12:
            return self.put("and", [to], [one, (1 << bits) - 1])
        if low + bits < 32:
            self.put("shl", [to], [one, 32 - low - bits])
            one = to
        return self.put("lsr", [to], [one, 32 - bits])

    def _extend(self, op, bits):
        self.put("shl", op.dst, [self.as_reg(op.src[0]), bits])
        self.put("asr", op.dst, [op.dst[0], bits])

    def lower_s8(self, op):
        self._extend(op, 24)

    def lower_s16(self, op):
        self._extend(op, 16)

    # An address as a register and a number.
    def _address(self, base, offset, scale):
        if isinstance(offset, int):
            if -2048 <= offset < 2048:
                return base, offset
            offset, scale = self.temp(offset), 0
        at = self.temp()
        if scale:
            self.put("shl", [at], [offset, scale])
            offset = at
        self.put("add", [at], [base, offset])
        return at, 0

    def lower_ld(self, op):
        (base, offset), (kind, scale) = op.src, op.info
        self.put("ld", op.dst, self._address(base, offset, scale), info=kind)

    def lower_st(self, op):
        (value, base, offset), (kind, scale) = op.src, op.info
        if isinstance(value, int) and value:
            value = self.temp(value)
        self.put("st", [], [value, *self._address(base, offset, scale)], info=kind)

    def lower_ldm(self, op):
        for i, to in enumerate(op.dst[:-1]):
            self.put("ld", [to], [op.src[0], 4 * i], info="w")
        self.put("add", op.src, [op.src[0], 4 * len(op.dst) - 4])

    def lower_stm(self, op):
        for i, value in enumerate(op.src[1:]):
            self.put("st", [], [value, op.src[0], 4 * i], info="w")
        self.put("add", op.src[:1], [op.src[0], 4 * len(op.src) - 4])

    def branch(self, condition, one, other, label):
        if isinstance(other, int) and other:
            other = self.temp(other)
        if condition in ("gt", "le", "ugt", "ule"):
            one, other, condition = other, one, SWAPPED[condition]
        self.put("br", [], [one, other], [label], condition)

    # The text of a function.

    def size(self, op, is_far):
        if op.name in ("label", "args", "note"):
            return 0
        if op.name == "tile":
            return op.info[1]
        return 8 if is_far or op.name in ("min", "max", "li") else 4

    def reach(self, op):
        return 4000

    def function(self, kernel, used):
        saved = [r for i, r in enumerate(self.registers) if used & self.saved & 1 << i]
        arguments, slots = len(kernel.arguments), self._allocation.slots
        return Rv32(kernel.name, kernel.about, arguments, slots, saved, kernel.frame_bytes)

    def write_branch(self, t, condition, one, other, label):
        t.branch(_BRANCHES[condition], *_with_zero((one, other)), label)

    def write_other(self, t, op, to, values):
        one, other = values
        if isinstance(other, int):
            t.number(_NUMBER[op.name], to[0], one, other)
        else:
            t.three(_THREE[op.name], to[0], *_with_zero(values))

    def write_mov(self, t, op, to, values):
        t.mv(to[0], values[0])

    def write_li(self, t, op, to, values):
        t.li(to[0], values[0])

    def write_ld(self, t, op, to, values):
        t.memory(_LOADS[op.info], to[0], *values)

    def write_st(self, t, op, to, values):
        t.memory(_STORES[op.info], *_with_zero(values[:1]), *values[1:])

    def write_min(self, t, op, to, values):
        label, other = t.new_label(op.name), values[1]
        t.branch("bge", *((to[0], other) if op.name == "max" else (other, to[0])), label)
        t.mv(to[0], other)
        t.label(label)

    write_max = write_min


# Operands with the register zero for the number 0.
def _with_zero(values):
    return ["zero" if isinstance(x, int) and x == 0 else x for x in values]
