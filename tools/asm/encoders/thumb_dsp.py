# Assembler macros: the 32-bit instructions of ARMv7E-M with its DSP extension
# MIT license; Copyright (c) 2026 the tflm authors

from .thumb import NARROW, PC, SP, Thumb, has_offset

CONDITIONS = ("eq", "ne", "cs", "cc", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le")
_SHIFTS = ("lsl", "lsr", "asr", "ror")
_THREE = {"and": 0xEA00, "or": 0xEA40, "xor": 0xEA80, "add": 0xEB00, "sub": 0xEBA0}
_NUMBER = {"and": 0xF000, "or": 0xF040, "xor": 0xF080, "add": 0xF100, "sub": 0xF1A0, "rsb": 0xF1C0}
_TWO = {"and": "and_", "or": "orr", "xor": "eor"}
_MEMORY = {"ldu8": 0xF890, "lds8": 0xF990, "ldu16": 0xF8B0, "lds16": 0xF9B0, "ldw": 0xF8D0,
           "stu8": 0xF880, "stu16": 0xF8A0, "stw": 0xF8C0}  # fmt: skip
# {method: (code, mnemonic, bytes)} of loads and stores that advance the base register.
_NEXT = {"ldr_next": (0xF850, "ldr", 4), "str_next": (0xF840, "str", 4),
         "ldrsb_next": (0xF910, "ldrsb", 1), "ldrsh_next": (0xF930, "ldrsh", 2)}  # fmt: skip
_EXTEND = {"sxtb": 0xFA4F, "sxth": 0xFA0F, "uxtb": 0xFA5F, "uxth": 0xFA1F}
# {mnemonic: halves of an instruction} of two registers and, in some, a register that is added.
_PRODUCTS = {"mul": (0xFB00, 0xF000), "mulh": (0xFB50, 0xF000), "smmulr": (0xFB50, 0xF010),
            "mla": (0xFB00, 0), "mls": (0xFB00, 0x10), "smlad": (0xFB20, 0),
            "smmla": (0xFB50, 0), "smmlar": (0xFB50, 0x10), "divu": (0xFBB0, 0xF0F0)}  # fmt: skip
_OTHERS = {"sadd16": (0xFA90, 0xF000), "qadd": (0xFA80, 0xF080), "lsl": (0xFA00, 0xF000),
           "lsls": (0xFA10, 0xF000), "lsrs": (0xFA30, 0xF000),
           "asrs": (0xFA50, 0xF000)}  # fmt: skip
_LONG = {"umull": 0xFBA0, "smull": 0xFB80, "smlal": 0xFBC0}


# Fail when an operand cannot be encoded.
def _check(condition, text):
    if not condition:
        raise ValueError(f"not an instruction of ARMv7E-M: {text}")


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


class ThumbDsp(Thumb):
    """The text of one function for Cortex-M4, M7 and M33; any register but SP and PC is allowed.

    Halfwords of a register are named b (bottom) and t (top), as in the mnemonics.
    """

    def _begin(self):
        self._push()
        self._frame("sub", 0xB080)

    def _end(self):
        self._frame("add", 0xB000)
        self._pop()

    def _push(self):
        self._keep(0xE92D, "push")

    def _pop(self):
        self._keep(0xE8BD, "pop")

    # PUSH.W and POP.W take two registers at least; R12 needs no saving.
    def _keep(self, code, mnemonic):
        if self._saved:
            bits = sum(1 << r.number for r in self._saved)
            if len(self._saved) == 1:
                bits |= 1 << 12
            names = ", ".join(f"r{n}" for n in range(13) if bits >> n & 1)
            self._wide(code, bits, f"{mnemonic} {{{names}}}")

    # One instruction of two halfwords.
    def _wide(self, high, low, mnemonic):
        self._line(f"data(2, 0x{high:04X}, 0x{low:04X})  # {mnemonic}", 2)

    def branch_far(self, condition, label):
        """B<condition>.W, for any distance."""
        self._line(f"b{condition}_w({label})", 2)

    def it(self, condition):
        """Run the next instruction only if `condition` is true."""
        self._data(0xBF08 | CONDITIONS.index(condition) << 4, f"it {condition}")

    def __getattr__(self, name):
        """Methods of the tables above."""
        if name in _PRODUCTS or name in _OTHERS:
            return lambda to, one, other, *plus: self.product(name, to, one, other, *plus)
        if name in _LONG:
            return lambda low, high, one, other: self._long(name, low, high, one, other)
        if name in _NEXT:
            return lambda register, base: self._next(name, register, base)
        raise AttributeError(name)

    # Memory.

    def memory(self, name, kind, register, base, offset=0, scale=0):
        """Load or store (ld, st) a kind at `base` + a number or a shifted register."""
        is_number = isinstance(offset, int)
        if is_number and register.low and base.low and kind in NARROW and has_offset(kind, offset):
            return super().memory(name, kind, register, base, offset)
        code, low = _MEMORY[name + kind] | base.number, register.number << 12
        if not is_number:
            shift = f", lsl #{scale}" if scale else ""
            text = f"{name}{kind} {register}, [{base}, {offset}{shift}]"
            return self._wide(code & ~0x80, low | scale << 4 | offset.number, text)
        text = f"{name}{kind} {register}, [{base}, #{offset}]"
        _check(-256 < offset < 4096, text)
        if offset < 0:
            return self._wide(code & ~0x80, low | 0xC00 | -offset, text)
        return self._wide(code, low | offset, text)

    # A load or store that advances the base register.
    def _next(self, name, register, base):
        code, mnemonic, step = _NEXT[name]
        text = f"{mnemonic} {register}, [{base}], #{step}"
        _check(register.number != base.number, text)
        self._wide(code | base.number, register.number << 12 | 0xB00 | step, text)

    # A slot of the frame.
    def _slot(self, code, mnemonic, register, slot):
        text = f"{mnemonic} {register}, [{SP}, #{self._slots[slot]}]"
        self._wide(code | SP.number, register.number << 12 | self._slots[slot], text)

    def load(self, to, slot):
        if to.low:
            super().load(to, slot)
        else:
            self._slot(0xF8D0, "ldr", to, slot)

    def store(self, value, slot):
        if value.low:
            super().store(value, slot)
        else:
            self._slot(0xF8C0, "str", value, slot)

    def ldrd(self, one, other, base, offset=0):
        _check(0 <= offset < 1024 and not offset & 3, f"ldrd +{offset}")
        text = f"ldrd {one}, {other}, [{base}, #{offset}]"
        self._wide(0xE9D0 | base.number, one.number << 12 | other.number << 8 | offset >> 2, text)

    def words_next(self, name, base, registers):
        """Load (ldm) or store (stm) words at `base`, which advances."""
        for one, other in zip(registers[::2], registers[1::2], strict=False):
            code, mnemonic = (0xE8F0, "ldrd") if name == "ldm" else (0xE8E0, "strd")
            low = one.number << 12 | other.number << 8 | 2
            self._wide(code | base.number, low, f"{mnemonic} {one}, {other}, [{base}], #8")
        if len(registers) & 1:
            (self.ldr_next if name == "ldm" else self.str_next)(registers[-1], base)

    def address(self, to, offset=0):
        if to.low:
            return super().address(to, offset)
        return self.number_of_12_bits("add", to, SP, 4 * len(self._slots) + offset)

    # Numbers.

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
        text = f"{mnemonic} r{to}, " + ("" if one is PC else f"{one}, ") + f"#{value}"
        self._wide(code | bits >> 11 << 10 | one.number, low, text)

    def number_of_12_bits(self, name, to, one, value):
        """to = one + or - a number below 4096, without flags."""
        code = (0xF200 if name == "add" else 0xF2A0) | value >> 11 << 10 | one.number
        low = (value >> 8 & 7) << 12 | to.number << 8 | value & 255
        self._wide(code, low, f"{name}w {to}, {one}, #{value}")

    # Arithmetic.

    # to = one <operation> other, the last shifted by a number; `flags` sets them.
    def _three(self, code, name, to, one, other, shift, by, flags):
        _check(0 <= by < 32, f"{name} {shift} #{by}")
        text = f"{name}{'s' if flags else ''} {to}, {one}, {other}"
        text += f", {shift} #{by}" if by else ""
        low = (by >> 2) << 12 | to.number << 8 | (by & 3) << 6
        low |= _SHIFTS.index(shift) << 4 | other.number
        self._wide(code | flags << 4 | one.number, low, text)

    def add_wide(self, to, one, other, shift="lsl", by=0, flags=False):
        self._three(0xEB00, "add", to, one, other, shift, by, flags)

    def adc_wide(self, to, one, other):
        self._three(0xEB40, "adc", to, one, other, "lsl", 0, False)

    def add_carry(self, to, one):
        self._wide(0xF140 | one.number, to.number << 8, f"adc {to}, {one}, #0")

    def three(self, name, to, one, other, shift="lsl", by=0):
        """to = one <and, or, xor, add, sub, rsb> other; sets the flags."""
        if isinstance(other, int):
            is_short = to.low and one.low and (0 <= other < 8 or to is one and other < 256)
            if name in ("add", "sub") and is_short:
                operands = (to, one, other) if other < 8 else (to, other)
                return getattr(self, name)(*operands)
            return self._number(_NUMBER[name] | 0x10, f"{name}s", to.number, one, other)
        if to.low and one.low and other.low and not by:
            if name in ("add", "sub"):
                return getattr(self, name)(to, one, other)
            if to is one:
                return self.two(_TWO[name], to, other)
        return self._three(_THREE[name], name, to, one, other, shift, by, True)

    def cmp(self, one, other):
        if not isinstance(other, int) or one.low and 0 <= other < 256:
            super().cmp(one, other)
        elif modified(other) is not None:
            self._number(0xF1B0, "cmp", 15, one, other)
        else:
            self._number(0xF110, "cmn", 15, one, -other)

    def unsigned_less(self, to, one, other):
        """to = 1 if one < other, both unsigned, else 0."""
        self.cmp(one, other)
        self._three(0xEB60, "sbc", to, to, to, "lsl", 0, False)
        self._number(0xF1C0, "rsb", to.number, to, 0)

    def negate(self, to, value):
        """to = -value."""
        self._wide(0xF1D0 | value.number, to.number << 8, f"rsbs {to}, {value}, #0")

    # The last bit that a shift to the right drops goes to the carry.
    def shift_wide(self, name, to, one, by):
        """lsl, lsr or asr by a number or a register; sets the flags."""
        if isinstance(by, int):
            if to.low and one.low:
                return self.shift(name, to, one, by)
            return self._three(0xEA40, f"mov {name}", to, PC, one, name, by, True)
        if to.low and by.low and to is one:
            return self.shift(name, to, one, by)
        return self.product(f"{name}s", to, one, by)

    def lsl_wide(self, to, value, by):
        """Shift left by a register, without flags."""
        self.product("lsl", to, value, by)

    def clz(self, to, value):
        """to = the number of zeros before the first bit of a value."""
        low = 0xF080 | to.number << 8 | value.number
        self._wide(0xFAB0 | value.number, low, f"clz {to}, {value}")

    # Bits, bytes and halfwords.

    def ubfx(self, to, value, at, bits):
        low = (at >> 2) << 12 | to.number << 8 | (at & 3) << 6 | bits - 1
        self._wide(0xF3C0 | value.number, low, f"ubfx {to}, {value}, #{at}, #{bits}")

    def bfi(self, to, value, at, bits):
        """Insert the lowest bits of `value` into `to`, from bit `at` on."""
        low = (at >> 2) << 12 | to.number << 8 | (at & 3) << 6 | at + bits - 1
        self._wide(0xF360 | value.number, low, f"bfi {to}, {value}, #{at}, #{bits}")

    def extend(self, name, to, value):
        if to.low and value.low:
            return super().extend(name, to, value)
        return self._rotated(_EXTEND[name], f"{name}.w {to}, {value}", to, value)

    # An extension of a register that is rotated first.
    def _rotated(self, code, text, to, value, rotation=0):
        low = 0xF080 | to.number << 8 | rotation // 8 << 4 | value.number
        self._wide(code, low, text + (f", ror #{rotation}" if rotation else ""))

    def sxtb16(self, to, value, rotation=0):
        """Sign-extend bytes 0 and 2 to halfwords, or with a rotation of 8 bytes 1 and 3."""
        self._rotated(0xFA2F, f"sxtb16 {to}, {value}", to, value, rotation)

    def uxtb16(self, to, value, rotation=0):
        """Zero-extend bytes 0 and 2 to halfwords, or with a rotation of 8 bytes 1 and 3."""
        self._rotated(0xFA3F, f"uxtb16 {to}, {value}", to, value, rotation)

    def sxtab16(self, to, plus, value, rotation=0):
        """Sign-extend two bytes to halfwords and add them to the halfwords of `plus`."""
        code, text = 0xFA20 | plus.number, f"sxtab16 {to}, {plus}, {value}"
        self._rotated(code, text, to, value, rotation)

    def pkhbt(self, to, bottom, top):
        """Pack the lower halves of two registers: bottom | top << 16."""
        text = f"pkhbt {to}, {bottom}, {top}, lsl #16"
        self._wide(0xEAC0 | bottom.number, 0x4000 | to.number << 8 | top.number, text)

    def pkhtb(self, to, top, bottom):
        """Pack the upper halves of two registers: bottom >> 16 | top, without its lower half."""
        text = f"pkhtb {to}, {top}, {bottom}, asr #16"
        self._wide(0xEAC0 | top.number, 0x4020 | to.number << 8 | bottom.number, text)

    def ssat(self, to, value, bits):
        """to = value, saturated to signed integers of a number of bits."""
        low = to.number << 8 | bits - 1
        self._wide(0xF300 | value.number, low, f"ssat {to}, #{bits}, {value}")

    def at_least(self, to, limit, spare, bits=8):
        """The larger of each pair of bytes, or of halfwords, of two registers."""
        self._compare(to, limit, spare, bits)
        self._select(to, limit)

    def at_most(self, to, limit, spare, bits=8):
        """The smaller of each pair of bytes, or of halfwords, of two registers."""
        self._compare(limit, to, spare, bits)
        self._select(to, limit)

    def _compare(self, one, other, spare, bits):
        code = {8: 0xFAC0, 16: 0xFAD0}[bits]
        text = f"ssub{bits} {spare}, {one}, {other}"
        self._wide(code | one.number, 0xF000 | spare.number << 8 | other.number, text)

    def _select(self, to, limit):
        low = 0xF080 | to.number << 8 | limit.number
        self._wide(0xFAA0 | to.number, low, f"sel {to}, {to}, {limit}")

    # Products.

    def product(self, name, to, one, other, plus=None):
        """An instruction of _PRODUCTS, or of three registers."""
        high, low = _PRODUCTS.get(name) or _OTHERS[name]
        low |= other.number | to.number << 8 | (plus.number << 12 if plus else 0)
        text = f"{name} {to}, {one}, {other}" + (f", {plus}" if plus else "")
        self._wide(high | one.number, low, text)

    def smla(self, halves, acc, one, other):
        """acc += product of two halfwords: bb, bt, tb or tt."""
        low = (halves[0] == "t") << 5 | (halves[1] == "t") << 4
        low |= acc.number << 12 | acc.number << 8 | other.number
        self._wide(0xFB10 | one.number, low, f"smla{halves} {acc}, {one}, {other}, {acc}")

    # The product of two words; smlal adds it.
    def _long(self, name, low, high, one, other):
        text = f"{name} {low}, {high}, {one}, {other}"
        numbers = low.number << 12 | high.number << 8 | other.number
        self._wide(_LONG[name] | one.number, numbers, text)
