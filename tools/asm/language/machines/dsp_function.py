# Kernel language: one function for ARMv7E-M, with instructions for any registers
# MIT license; Copyright (c) 2026 the tflm authors

from ...armv7em.thumb_dsp import ThumbDsp
from ...common.thumb import PC, SP

_THREE = {"and": 0xEA00, "or": 0xEA40, "xor": 0xEA80, "add": 0xEB00, "sub": 0xEBA0}
_NUMBER = {"and": 0xF000, "or": 0xF040, "xor": 0xF080, "add": 0xF100, "sub": 0xF1A0, "rsb": 0xF1C0}
_TWO = {"and": "and_", "or": "orr", "xor": "eor"}
_SHIFTS = {"lsl": 0xFA00, "lsr": 0xFA20, "asr": 0xFA40}
_MEMORY = {"ldu8": 0xF890, "lds8": 0xF990, "ldu16": 0xF8B0, "lds16": 0xF9B0, "ldw": 0xF8D0,
           "stu8": 0xF880, "stu16": 0xF8A0, "stw": 0xF8C0}  # fmt: skip
_NARROW = {"w": ("r", 4), "u8": ("rb", 1), "u16": ("rh", 2)}
_EXTEND = {"sxtb": 0xFA4F, "sxth": 0xFA0F, "uxtb": 0xFA5F, "uxth": 0xFA1F}
# {name: halves of the instruction without its registers}
PRODUCTS = {"mul": (0xFB00, 0xF000), "mulh": (0xFB50, 0xF000), "smmulr": (0xFB50, 0xF010),
            "mla": (0xFB00, 0), "mls": (0xFB00, 0x10), "smlad": (0xFB20, 0),
            "smmla": (0xFB50, 0), "smmlar": (0xFB50, 0x10),
            "divu": (0xFBB0, 0xF0F0), "smulbb": (0xFB10, 0xF000), "mulhu": None}  # fmt: skip


def modified(value):
    """Return the 12 bits of a number that ARM can repeat or rotate, or None for others."""
    value &= 0xFFFFFFFF
    byte, upper = value & 255, value >> 8 & 255
    for code, pattern in ((0, byte), (1, byte * 0x10001), (3, byte * 0x1010101)):
        if value == pattern:
            return code << 8 | byte
    if value == upper * 0x1000100:
        return 2 << 8 | upper
    for by in range(8, 32):
        turned = (value << by | value >> 32 - by) & 0xFFFFFFFF
        if 128 <= turned < 256:
            return by << 7 | turned & 127
    return None


class DspFunction(ThumbDsp):
    """A function that saves only the registers that it changes."""

    def _begin(self):
        self._keep(0xE92D, "push")
        self._frame("sub", 0xB080)

    def _end(self):
        self._frame("add", 0xB000)
        self._keep(0xE8BD, "pop")

    # PUSH.W and POP.W take two registers at least; R12 needs no saving.
    def _keep(self, code, mnemonic):
        if self._saved:
            bits = sum(1 << r.number for r in self._saved)
            if len(self._saved) == 1:
                bits |= 1 << 12
            names = ", ".join(f"r{n}" for n in range(13) if bits >> n & 1)
            self._wide(code, bits, f"{mnemonic} {{{names}}}")

    def load_number(self, to, value):
        """Load any number of 32 bits."""
        if to.low and 0 <= value < 256:
            return self.mov(to, value)
        if modified(value) is not None and not 0 <= value < 65536:
            return self._number(0xF040, "mov", to.number, PC, value)
        if modified(~value) is not None:
            return self._number(0xF060, "mvn", to.number, PC, ~value)
        self._half(0xF240, "movw", to, value & 0xFFFF)
        if value >> 16 & 0xFFFF:
            self._half(0xF2C0, "movt", to, value >> 16 & 0xFFFF)
        return None

    def _half(self, code, mnemonic, to, half):
        low = (half >> 8 & 7) << 12 | to.number << 8 | half & 255
        self._wide(code | (half >> 11 & 1) << 10 | half >> 12, low, f"{mnemonic} {to}, #{half}")

    # An operation with a number that modified() knows.
    def _number(self, code, mnemonic, to, one, value):
        bits = modified(value)
        low = (bits >> 8 & 7) << 12 | to << 8 | bits & 255
        text = (
            f"{mnemonic} r{to}, {one}, #{value}"
            if one is not PC
            else f"{mnemonic} r{to}, #{value}"
        )
        self._wide(code | bits >> 11 << 10 | one.number, low, text)

    def three(self, name, to, one, other, shift="lsl", by=0):
        """to = one <and, or, xor, add, sub, rsb> other; sets the flags."""
        if isinstance(other, int):
            is_short = to.low and one.low and (0 <= other < 8 or to is one and other < 256)
            if name in ("add", "sub") and is_short:
                return (
                    getattr(self, name)(to, one, other)
                    if other < 8
                    else getattr(self, name)(to, other)
                )
            return self._number(_NUMBER[name] | 0x10, f"{name}s", to.number, one, other)
        if to.low and one.low and other.low and not by:
            if name in ("add", "sub"):
                return getattr(self, name)(to, one, other)
            if to is one:
                return self.two(_TWO[name], to, other)
        return self._three(_THREE[name], name, to, one, other, shift, by, True)

    def address(self, to, offset=0):
        if to.low:
            return super().address(to, offset)
        return self.number_of_12_bits("add", to, SP, 4 * len(self._slots) + offset)

    def number_of_12_bits(self, name, to, one, value):
        """to = one + or - a number below 4096, without flags."""
        code = (0xF200 if name == "add" else 0xF2A0) | value >> 11 << 10 | one.number
        low = (value >> 8 & 7) << 12 | to.number << 8 | value & 255
        self._wide(code, low, f"{name}w {to}, {one}, #{value}")

    def cmp(self, one, other):
        if not isinstance(other, int) or one.low and 0 <= other < 256:
            super().cmp(one, other)
        elif modified(other) is not None:
            self._number(0xF1B0, "cmp", 15, one, other)
        else:
            self._number(0xF110, "cmn", 15, one, -other)

    def shift_wide(self, name, to, one, by):
        """lsl, lsr or asr by a number or a register; sets the flags."""
        if isinstance(by, int):
            if to.low and one.low:
                return self.shift(name, to, one, by)
            return self._three(0xEA40, f"mov {name}", to, PC, one, name, by, True)
        if to.low and by.low and to is one:
            return self.shift(name, to, one, by)
        low = 0xF000 | to.number << 8 | by.number
        return self._wide(_SHIFTS[name] | 0x10 | one.number, low, f"{name}s {to}, {one}, {by}")

    def product(self, name, to, one, other, plus=None):
        high, low = PRODUCTS[name]
        low |= other.number | to.number << 8 | (plus.number << 12 if plus else 0)
        text = f"{name} {to}, {one}, {other}" + (f", {plus}" if plus else "")
        self._wide(high | one.number, low, text)

    def ubfx(self, to, value, at, bits):
        low = (at >> 2) << 12 | to.number << 8 | (at & 3) << 6 | bits - 1
        self._wide(0xF3C0 | value.number, low, f"ubfx {to}, {value}, #{at}, #{bits}")

    def extend(self, name, to, value):
        """sxtb, sxth, uxtb, uxth."""
        if to.low and value.low:
            return getattr(self, name)(to, value)
        low = 0xF080 | to.number << 8 | value.number
        return self._wide(_EXTEND[name], low, f"{name}.w {to}, {value}")

    def unsigned_less(self, to, one, other):
        """to = 1 if one < other, both unsigned, else 0."""
        self.cmp(one, other)
        self._three(0xEB60, "sbc", to, to, to, "lsl", 0, False)
        self._number(0xF1C0, "rsb", to.number, to, 0)

    def it(self, condition):
        """Make the next instruction conditional: lt or gt."""
        self._data(0xBF08 | {"lt": 0xB0, "gt": 0xC0}[condition], f"it {condition}")

    # Memory.

    def memory(self, name, kind, register, base, offset, scale=0):
        """Load or store (ld, st) a kind at base + a number or a shifted register."""
        is_number = isinstance(offset, int)
        if is_number and register.low and base.low and kind in _NARROW:
            suffix, size = _NARROW[kind]
            if 0 <= offset < 32 * size and not offset % size:
                return getattr(self, f"{name}{suffix}")(register, base, offset)
        code, low = _MEMORY[name + kind] | base.number, register.number << 12
        if not is_number:
            shift = f", lsl #{scale}" if scale else ""
            text = f"{name}{kind} {register}, [{base}, {offset}{shift}]"
            return self._wide(code & ~0x80, low | scale << 4 | offset.number, text)
        text = f"{name}{kind} {register}, [{base}, #{offset}]"
        if offset < 0:
            return self._wide(code & ~0x80, low | 0xC00 | -offset, text)
        return self._wide(code, low | offset, text)

    def words_next(self, name, base, registers):
        """Load (ldm) or store (stm) words at `base`, which advances."""
        for one, other in zip(registers[::2], registers[1::2], strict=False):
            code, mnemonic = (0xE8F0, "ldrd") if name == "ldm" else (0xE8E0, "strd")
            low = one.number << 12 | other.number << 8 | 2
            self._wide(code | base.number, low, f"{mnemonic} {one}, {other}, [{base}], #8")
        if len(registers) & 1:
            (self.ldr_next if name == "ldm" else self.str_next)(registers[-1], base)
