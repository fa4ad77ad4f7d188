# Kernel language: Xtensa with register windows (ESP32, S2, S3)
# MIT license; Copyright (c) 2026 the tflm authors

from ...encoders.pie import Pie
from ..ir import SWAPPED, Reg
from ..machine import Machine
from ..macros import multiply_high, multiply_high_unsigned

_LOADS = {"u8": "l8ui", "u16": "l16ui", "s16": "l16si", "w": "l32i"}
_STORES = {"u8": "s8i", "u16": "s16i", "w": "s32i"}
_LIMITS = {"u8": 256, "s8": 256, "u16": 512, "s16": 512, "w": 1024}
_THREE = {"add": "add", "sub": "sub", "mul": "mull", "and": "and_", "or": "or_", "xor": "xor",
          "min": "min", "max": "max", "divu": "quou", "addx2": "addx2",
          "addx4": "addx4"}  # fmt: skip
_BRANCHES = {"eq": "beq", "ne": "bne", "lt": "blt", "ge": "bge", "ult": "bltu", "uge": "bgeu"}
_SHIFTS = {"shl": "slli", "asr": "srai", "lsr": "srli"}
_SIZES = {"label": 0, "args": 0, "note": 0, "clobber": 0, "repeat_end": 0, "repeat": 6, "ult": 9,
          "limit": 12, "larger": 6, "smaller": 6}  # fmt: skip
_REACH, _ZERO_REACH = 110, 2000  # bytes, of branches on two registers, and on one and zero


class XtensaMachine(Machine):
    """The 14 registers of a window that are neither its return address nor its stack pointer."""

    name = "xtensawin"
    registers = tuple(f"a{i}" for i in range(2, 16))
    low = (1 << len(registers)) - 1
    order = range(len(registers))
    saved = 0
    has_mulh = False
    has_fpu = has_hardware_loops = True  # not on an ESP32-S2
    max_arguments = 6
    pure = Machine.pure | {"addi", "addx2", "addx4", "neg"}

    def __init__(self, mulsh=True):
        self.mulsh = mulsh  # see Function

    def writes_early(self, op, i):
        return op.name == "ult" or super().writes_early(op, i)

    def is_short(self, value):
        return -2048 <= value < 2048

    # Lowering.

    def li(self, to, value):
        if -2048 <= value < 2048:
            return self.put("li", [to], [value])
        zeros = (value & -value).bit_length() - 1
        if -2048 <= value >> zeros < 2048:
            self.put("li", [to], [value >> zeros])
            return self.put("shl", [to], [to, zeros])
        upper, lower = value >> 16, value & 0xFFFF
        if upper == lower and upper < 2048:  # lanes
            self.put("li", [to], [upper])
            spare = self.temp()
            self.put("shl", [spare], [to, 16])
            return self.put("add", [to], [to, spare])
        # The highest 11 bits, then eight bits at a time.
        low = (value & 0xFF ^ 0x80) - 0x80
        self.li(to, value - low >> 8)
        self.put("shl", [to], [to, 8])
        if low:
            self.put("addi", [to], [to, low])
        return None

    def _three(self, op):
        self.put(op.name, op.dst, [self.as_reg(x) for x in op.src])

    lower_mul = lower_or = lower_xor = lower_min = lower_max = lower_divu = _three

    def lower_sub(self, op):
        one, other = op.src
        if isinstance(one, int) and one == 0:
            return self.put("neg", op.dst, [other])
        return self._three(op)

    def lower_add(self, op):
        to, one, other = op.dst[0], self.as_reg(op.src[0]), op.src[1]
        if isinstance(other, Reg):
            return self.put("add", [to], [one, other])
        if other == 0:
            return self.mov(to, one)
        if -32768 <= other < 32640 and not -128 <= other < 128:
            high = other + 128 & -256
            self.put("addi", [to], [one, high])
            one, other = to, other - high
            if other == 0:
                return None
        if -128 <= other < 128:
            return self.put("addi", [to], [one, other])
        return self.put("add", [to], [one, self.temp(other)])

    def lower_and(self, op):
        value = op.src[1]
        if isinstance(value, int) and value & value + 1 == 0 and 0 < value < 1 << 16:
            return self.put("field", op.dst, op.src[:1], info=(0, value.bit_length()))
        return self._three(op)

    def lower_field(self, op):
        to, one, (low, bits) = op.dst[0], op.src[0], op.info
        if bits <= 16:
            return self.put("field", [to], [one], info=op.info)
        if low + bits < 32:
            self.put("shl", [to], [one, 32 - low - bits])
            one = to
        return self.put("lsr", [to], [one, 32 - bits])

    def _shift(self, op):
        to, one, by = op.dst[0], self.as_reg(op.src[0]), op.src[1]
        return (
            self.mov(to, one)
            if isinstance(by, int) and by == 0
            else self.put(op.name, [to], [one, by])
        )

    lower_shl = lower_asr = lower_lsr = _shift

    def _extend(self, to, value, bits):
        self.put("shl", [to], [value, bits])
        self.put("asr", [to], [to, bits])

    def lower_s8(self, op):
        self._extend(op.dst[0], self.as_reg(op.src[0]), 24)

    def lower_s16(self, op):
        self._extend(op.dst[0], self.as_reg(op.src[0]), 16)

    def lower_ult(self, op):
        below = self.temp()  # is written before the operands are read
        self.put("ult", [below], [self.as_reg(x) for x in op.src])
        self.mov(op.dst[0], below)

    def lower_remu(self, op):
        one, other = map(self.as_reg, op.src)
        quotient, product = self.temp(), self.temp()
        self.put("divu", [quotient], [one, other])
        self.put("mul", [product], [quotient, other])
        self.put("sub", op.dst, [one, product])

    def lower_mulh(self, op):
        self.expand(multiply_high, op)

    def lower_mulhu(self, op):
        self.expand(multiply_high_unsigned, op)

    def lower_frame(self, op):
        self.put("frame", op.dst, info=op.info)

    # An address as a register and a number.
    def _address(self, base, offset, kind, scale):
        if isinstance(offset, int):
            if 0 <= offset < _LIMITS[kind]:
                return base, offset
            if -128 <= offset < 128 or not offset & 0xFF and -32768 <= offset < 32768:
                at = self.temp()
                self.put("addi", [at], [base, offset])
                return at, 0
            offset, scale = self.temp(offset), 0
        at = self.temp()
        self.put(("add", "addx2", "addx4")[scale], [at], [offset, base])
        return at, 0

    def lower_ld(self, op):
        (base, offset), (kind, scale) = op.src, op.info
        base, offset = self._address(base, offset, kind, scale)
        if kind != "s8":
            return self.put("ld", op.dst, [base, offset], info=kind)
        loaded = self.temp()
        self.put("ld", [loaded], [base, offset], info="u8")
        return self._extend(op.dst[0], loaded, 24)

    def lower_st(self, op):
        (value, base, offset), (kind, scale) = op.src, op.info
        value = self.as_reg(value)
        self.put("st", [], [value, *self._address(base, offset, kind, scale)], info=kind)

    def lower_ldm(self, op):
        for i, to in enumerate(op.dst[:-1]):
            self.put("ld", [to], [op.src[0], 4 * i], info="w")
        self.put("addi", op.src, [op.src[0], 4 * len(op.dst) - 4])

    def lower_stm(self, op):
        for i, value in enumerate(op.src[1:]):
            self.put("st", [], [self.as_reg(value), op.src[0], 4 * i], info="w")
        self.put("addi", op.src[:1], [op.src[0], 4 * len(op.src) - 4])

    def branch(self, condition, one, other, label):
        if isinstance(other, int) and (other or condition not in ("eq", "ne", "lt", "ge")):
            other = self.temp(other)
        if condition in ("gt", "le", "ugt", "ule"):
            one, other, condition = other, one, SWAPPED[condition]
        self.put("br", [], [one, other], [label], condition)

    # The text of a function.

    def size(self, op, is_far):
        if op.name == "tile":
            return op.info[1]
        if op.name == "fpu":
            return 3 * len(op.info)
        if op.name in _SIZES:
            return _SIZES[op.name]
        if op.name == "frame":
            return 6
        if op.name in _SHIFTS and isinstance(op.src[1], Reg):
            return 6
        if op.name in ("add", "mov") or op.name == "li" and -32 <= op.src[0] < 96:
            return 2
        if op.name in ("ld", "st") and op.info == "w" and op.src[-1] < 64:
            return 2
        if op.name == "addi" and (op.src[1] == -1 or 1 <= op.src[1] < 16):
            return 2
        return 6 if is_far else 3

    def reach(self, op):
        return _ZERO_REACH if isinstance(op.src[1], int) else _REACH

    def function(self, kernel, used):
        names = [str(argument) for argument in kernel.arguments]
        slots, size = self._allocation.slots, kernel.frame_bytes
        return Pie(kernel.name, kernel.about, names, slots, self.mulsh, size)

    def write_branch(self, t, condition, one, other, label):
        if isinstance(other, int):
            getattr(t, _BRANCHES[condition] + "z")(one, label)
        else:
            getattr(t, _BRANCHES[condition])(one, other, label)

    def write_other(self, t, op, to, values):
        getattr(t, _THREE[op.name])(to[0], *values)

    def write_mov(self, t, op, to, values):
        t.mov(to[0], values[0])

    def write_li(self, t, op, to, values):
        t.movi(to[0], values[0])

    def write_ld(self, t, op, to, values):
        getattr(t, _LOADS[op.info])(to[0], *values)

    def write_st(self, t, op, to, values):
        getattr(t, _STORES[op.info])(*values)

    def write_addi(self, t, op, to, values):
        t.addi(to[0], *values)

    def write_neg(self, t, op, to, values):
        t.neg(to[0], values[0])

    def write_field(self, t, op, to, values):
        t.extui(to[0], values[0], *op.info)

    def write_shl(self, t, op, to, values):
        one, by = values
        if isinstance(by, int):
            getattr(t, _SHIFTS[op.name])(to[0], one, by)
        elif op.name == "shl":
            t.ssl(by)
            t.sll(to[0], one)
        else:
            t.ssr(by)
            getattr(t, {"asr": "sra", "lsr": "srl"}[op.name])(to[0], one)

    write_asr = write_lsr = write_shl

    def write_repeat(self, t, op, to, values):
        t.loopnez(values[0], op.to[0])

    def write_repeat_end(self, t, op, to, values):
        pass

    def write_fpu(self, t, op, to, values):
        name, *numbers = op.info
        if name in ("load", "store"):
            is_number = isinstance(values[1], int)
            load = t.lsi if is_number else t.lsx
            (load if name == "load" else t.ssi)(f"f{numbers[0]}", *values)
        elif name in ("load_next", "load_words", "store_next", "store_words"):
            for i, number in enumerate(numbers):
                (t.ssi if name[0] == "s" else t.lsi)(f"f{number}", values[0], 4 * i)
            if to:
                t.addi(to[0], to[0], 4 * len(numbers))
        elif name == "set_bits":
            t.wfr(f"f{numbers[0]}", values[0])
        elif name == "bits":
            t.rfr(to[0], f"f{numbers[0]}")
        elif name == "from_integer":
            t.float_s(f"f{numbers[0]}", values[0])
        elif name == "round":
            t.round_s(to[0], f"f{numbers[1]}")
            t.float_s(f"f{numbers[0]}", to[0])
        else:
            getattr(t, f"{name}_s")(*[f"f{number}" for number in numbers])

    def write_larger(self, t, op, to, values):
        value, other = (f"f{number}" for number in op.info)
        t.olt_s("b0", *((value, other) if op.name == "larger" else (other, value)))
        t.movt_s(value, other, "b0")

    write_smaller = write_larger

    def write_limit(self, t, op, to, values):
        value, low, high = (f"f{number}" for number in op.info)
        t.olt_s("b0", value, low)
        t.movt_s(value, low, "b0")
        t.olt_s("b0", high, value)
        t.movt_s(value, high, "b0")

    def write_ult(self, t, op, to, values):
        label = t.new_label("below")
        t.movi(to[0], 1)
        t.bltu(*values, label)
        t.movi(to[0], 0)
        t.label(label)
