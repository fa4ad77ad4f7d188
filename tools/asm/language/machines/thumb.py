# Kernel language: ARMv6-M (Cortex-M0+)
# MIT license; Copyright (c) 2026 the tflm authors

from ...encoders import thumb as asm
from ..ir import Reg
from ..machine import Machine
from ..macros import (
    add_byte_products,
    divide_by_shifts,
    multiply_high,
    multiply_high_unsigned,
)
from .thumb_text import ThumbText

_LIMITS = {"u8": 32, "u16": 64, "w": 128}  # offsets of loads and stores end below these
# Instructions that set N and Z by their result.
_SET_FLAGS = {"addi", "subi", "add3i", "sub3i", "add3", "sub3", "neg", "mul", "and", "or", "xor",
              "shli", "asri", "lsri", "shl", "asr", "lsr"}  # fmt: skip


class ThumbMachine(ThumbText, Machine):
    """Most instructions take registers 0 to 7 and have two operands; moves, ADD and CMP take all.

    Names of instructions with two operands end with nothing, with three with 3, with a number with
    i.
    """

    name = "armv6m"
    registers = (asm.R0, asm.R1, asm.R2, asm.R3, asm.R4, asm.R5, asm.R6, asm.R7, asm.R8, asm.R9,
                 asm.R10, asm.R11, asm.R12, asm.SP, asm.LR)  # fmt: skip
    low, high = 0x00FF, 0x5F00
    order = (0, 1, 2, 3, 4, 5, 6, 7, 12, 14, 8, 9, 10, 11)
    saved = 0x0F00
    has_ascending_ldm = True
    has_mulh = has_divide = False
    slot_cycles = 2
    add_byte_products = staticmethod(add_byte_products)
    pure = Machine.pure | _SET_FLAGS | {"add2", "uxtb", "uxth", "sxtb", "sxth", "ldx", "shift_adc"}

    assembler = asm.Thumb
    set_flags = _SET_FLAGS

    def is_short(self, value):
        return 0 <= value < 256

    # Lowering.

    def li(self, to, value):
        if 0 <= value < 256:
            return self.put("li", [to], [value])
        if -256 < value < 0:
            self.put("li", [to], [-value])
            return self.put("neg", [to], [to])
        word = value & 0xFFFFFFFF
        zeros = (word & -word).bit_length() - 1
        if word >> zeros < 256:
            self.put("li", [to], [word >> zeros])
            return self.put("shli", [to], [to, zeros])
        if word < 511:
            self.put("li", [to], [255])
            return self.put("addi", [to], [to, word - 255])
        self.li(to, word >> 8)
        self.put("shli", [to], [to, 8])
        if word & 255:
            self.put("addi", [to], [to, word & 255])
        return None

    def lower_add(self, op):
        to, one, other = op.dst[0], *op.src
        if isinstance(one, int):
            one, other = other, one
        if isinstance(other, int):
            name, n = ("add", other) if other >= 0 else ("sub", -other)
            if n == 0:
                return self.mov(to, one)
            if n < 8 and to is not one:
                return self.put(name + "3i", [to], [one, n])
            if n < 256:
                self.mov(to, one)
                return self.put(name + "i", [to], [to, n])
            other = self.temp(other)
        if to is other:
            one, other = other, one
        if to is one:
            return self.put("add2", [to], [to, other], low=False)
        return self.put("add3", [to], [one, other])

    def lower_sub(self, op):
        one, other = op.src
        if isinstance(one, int) and one == 0:
            return self.put("neg", op.dst, [other])
        return self.put("sub3", op.dst, [self.as_reg(one), self.as_reg(other)])

    # An instruction with two operands.
    def _two(self, op, commutes=True):
        to, one, other = op.dst[0], self.as_reg(op.src[0]), self.as_reg(op.src[1])
        if commutes and (to is other or to is not one and one.name and not other.name):
            one, other = other, one
        if to is other and to is not one:
            other, copied = self.temp(), other
            self.mov(other, copied)
        self.mov(to, one)
        self.put(op.name, [to], [to, other])

    lower_mul = lower_or = lower_xor = _two

    def lower_and(self, op):
        value = op.src[1]
        if isinstance(value, int) and value > 0 and value & value + 1 == 0:
            op.info = (0, value.bit_length())
            return self.lower_field(op)
        return self._two(op)

    def lower_shl(self, op):
        to, one, by = op.dst[0], *op.src
        if not isinstance(by, int):
            return self._two(op, commutes=False)
        return self.put(op.name + "i", [to], [self.as_reg(one), by]) if by else self.mov(to, one)

    lower_asr = lower_lsr = lower_shl

    def lower_field(self, op):
        to, one, (low, bits) = op.dst[0], op.src[0], op.info
        if low == 0 and bits in (8, 16):
            return self.put("uxtb" if bits == 8 else "uxth", [to], [one])
        if low + bits < 32:
            self.put("shli", [to], [one, 32 - low - bits])
            one = to
        return self.put("lsri", [to], [one, 32 - bits])

    def lower_s8(self, op):
        self.put("sxtb", op.dst, [self.as_reg(op.src[0])])

    def lower_s16(self, op):
        self.put("sxth", op.dst, [self.as_reg(op.src[0])])

    def lower_ult(self, op):
        self.put("ult", op.dst, [self.as_reg(x) for x in op.src])

    def lower_mulh(self, op):
        self.expand(multiply_high, op)

    def lower_mulhu(self, op):
        self.expand(multiply_high_unsigned, op)

    def lower_divu(self, op):
        self.expand(lambda k, to, *operands: to.set(divide_by_shifts(k, *operands)[0]), op)

    def lower_remu(self, op):
        self.expand(lambda k, to, *operands: to.set(divide_by_shifts(k, *operands)[1]), op)

    # The carry of a shift right rounds.
    def lower_round_shift(self, op):
        to, (value, other) = self.temp(), op.src
        self.mov(to, value)
        self.put("shift_adc", [to], [to, self.as_reg(other)], info=op.info)
        self.mov(op.dst[0], to)

    # A register as offset, shifted.
    def _index(self, offset, scale):
        if not scale or isinstance(offset, int):
            return self.as_reg(offset)
        index = self.temp()
        self.put("shli", [index], [offset, scale])
        return index

    def lower_ld(self, op):
        (base, offset), (kind, scale) = op.src, op.info
        limit = _LIMITS.get(kind, 0)
        if isinstance(offset, int) and limit and offset >= 0:
            if offset < limit:
                return self.put("ld", op.dst, [base, offset], info=kind)
            near = 252 if offset > 252 else offset - offset % limit
            if offset - near < limit:
                begin = self.temp(base)
                self.put("addi", [begin], [begin, near])
                return self.put("ld", op.dst, [begin, offset - near], info=kind)
        return self.put("ldx", op.dst, [base, self._index(offset, scale)], info=kind)

    def lower_st(self, op):
        (value, base, offset), (kind, scale) = op.src, op.info
        value = self.as_reg(value)
        if isinstance(offset, int) and 0 <= offset < _LIMITS[kind]:
            return self.put("st", [], [value, base, offset], info=kind)
        return self.put("stx", [], [value, base, self._index(offset, scale)], info=kind)

    def lower_ldm(self, op):
        self.put("ldm", op.dst, op.src)

    def lower_stm(self, op):
        values = []
        for value in op.src[1:]:
            is_new = isinstance(value, Reg) and all(value is not other for other in values)
            values.append(value if is_new else self.temp(value))
        self.put("stm", op.dst, [op.src[0], *values])

    def lower_tile(self, op):
        *info, code = op.info if op.to else (*op.info, None)
        self.put("tile", op.dst, [self.as_reg(x) for x in op.src], info=info)
        if op.to:
            self.put("br", [], [], op.to, code)

    def lower_frame(self, op):
        self.put("frame", op.dst, info=op.info)

    def branch(self, condition, one, other, label):
        if isinstance(other, int) and not 0 <= other < 256:
            other = self.temp(other)
        self.put("br", [], [one, other], [label], condition, low=isinstance(other, int))
