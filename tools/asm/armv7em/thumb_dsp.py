# Assembler macros: the 32-bit instructions of ARMv7E-M with its DSP extension
# MIT license; Copyright (c) 2026 the tflm authors

from ..common.thumb import SP, Thumb

_SHIFTS = ("lsl", "lsr", "asr", "ror")


# Fail when an operand cannot be encoded.
def _check(condition, text):
    if not condition:
        raise ValueError(f"not an instruction of ARMv7E-M: {text}")


class ThumbDsp(Thumb):
    """The text of one function for Cortex-M4, M7 and M33; any register but SP and PC is allowed.

    Halfwords of a register are named b (bottom) and t (top), as in the mnemonics.
    """

    # Save R8..R11 in one instruction, and reserve the frame of the slots.
    def _begin(self):
        self._wide(0xE92D, 0x0F00, "push {r8-r11}")
        self._frame("sub", 0xB080)

    def _end(self):
        self._frame("add", 0xB000)
        self._wide(0xE8BD, 0x0F00, "pop {r8-r11}")

    # One instruction of two halfwords.
    def _wide(self, high, low, mnemonic):
        self._line(f"data(2, 0x{high:04X}, 0x{low:04X})  # {mnemonic}", 2)

    def branch_far(self, condition, label):
        """B<condition>.W, for any distance."""
        self._line(f"b{condition}_w({label})", 2)

    # Memory.

    # A load or store with an offset of 12 bits.
    def _plain(self, code, mnemonic, register, base, offset):
        _check(0 <= offset < 4096, f"{mnemonic} +{offset}")
        text = f"{mnemonic} {register}, [{base}, #{offset}]"
        self._wide(code | base.number, register.number << 12 | offset, text)

    # A load or store that advances the base register by `step` bytes.
    def _post(self, code, mnemonic, register, base, step):
        _check(0 < step < 256 and register.number != base.number, f"{mnemonic} +{step}")
        text = f"{mnemonic} {register}, [{base}], #{step}"
        self._wide(code | base.number, register.number << 12 | 0xB00 | step, text)

    # Slots of the frame.
    def slot(self, name):
        """Offset of a slot from SP."""
        return self._slots[name]

    def load(self, to, slot):
        if to.low:
            super().load(to, slot)
        else:
            self._plain(0xF8D0, "ldr", to, SP, self._slots[slot])

    def store(self, value, slot):
        if value.low:
            super().store(value, slot)
        else:
            self._plain(0xF8C0, "str", value, SP, self._slots[slot])

    def ldr_wide(self, to, base, offset=0):
        self._plain(0xF8D0, "ldr", to, base, offset)

    def str_wide(self, value, base, offset=0):
        self._plain(0xF8C0, "str", value, base, offset)

    def ldr_advance(self, to, base, step):
        """Advance `base`, then load the word at it."""
        _check(0 < step < 256 and to.number != base.number, f"ldr +{step}")
        low = to.number << 12 | 0xF00 | step
        self._wide(0xF850 | base.number, low, f"ldr {to}, [{base}, #{step}]!")

    def ldr_next(self, to, base):
        self._post(0xF850, "ldr", to, base, 4)

    def str_next(self, value, base):
        self._post(0xF840, "str", value, base, 4)

    def strb_next(self, value, base):
        self._post(0xF800, "strb", value, base, 1)

    def ldrsb_next(self, to, base):
        self._post(0xF910, "ldrsb", to, base, 1)

    def ldrsh_next(self, to, base):
        self._post(0xF930, "ldrsh", to, base, 2)

    def ldrd_next(self, one, other, base):
        """Load two words at `base`, which advances."""
        text = f"ldrd {one}, {other}, [{base}], #8"
        self._wide(0xE8F0 | base.number, one.number << 12 | other.number << 8 | 2, text)

    def ldrd(self, one, other, base, offset=0):
        _check(0 <= offset < 1024 and not offset & 3, f"ldrd +{offset}")
        text = f"ldrd {one}, {other}, [{base}, #{offset}]"
        self._wide(0xE9D0 | base.number, one.number << 12 | other.number << 8 | offset >> 2, text)

    # Load or store several words, in ascending order of the registers; `base` advances if the code
    # says so.
    def _multiple(self, code, mnemonic, base, registers):
        numbers = [r.number for r in registers]
        _check(len(numbers) > 1 and numbers == sorted(set(numbers)), mnemonic)
        _check(base.number not in numbers and max(numbers) < 15 and 13 not in numbers, mnemonic)
        text = f"{mnemonic}, {{{', '.join(map(str, registers))}}}"
        self._wide(code | base.number, sum(1 << n for n in numbers), text)

    def ldm_wide(self, base, *registers):
        self._multiple(0xE8B0, f"ldmia {base}!", base, registers)

    # Arithmetic: to = one <operation> other, the last shifted by a number; `flags` sets them.
    def _three(self, code, name, to, one, other, shift, by, flags):
        _check(0 <= by < 32, f"{name} {shift} #{by}")
        text = f"{name}{'s' if flags else ''} {to}, {one}, {other}"
        text += f", {shift} #{by}" if by else ""
        low = (by >> 2) << 12 | to.number << 8 | (by & 3) << 6
        low |= _SHIFTS.index(shift) << 4 | other.number
        self._wide(code | flags << 4 | one.number, low, text)

    def add_wide(self, to, one, other, shift="lsl", by=0, flags=False):
        self._three(0xEB00, "add", to, one, other, shift, by, flags)

    def adc_wide(self, to, one, other, shift="lsl", by=0, flags=False):
        self._three(0xEB40, "adc", to, one, other, shift, by, flags)

    def add_carry(self, to, one):
        self._wide(0xF140 | one.number, to.number << 8, f"adc {to}, {one}, #0")

    def sub_wide(self, to, one, other, shift="lsl", by=0, flags=False):
        self._three(0xEBA0, "sub", to, one, other, shift, by, flags)

    def subs_number(self, to, number):
        """to -= number, of 0..255, with flags."""
        _check(0 <= number < 256, f"subs #{number}")
        self._wide(0xF1B0 | to.number, to.number << 8 | number, f"subs {to}, {to}, #{number}")

    def pack(self, to, top):
        """Add a product in one instruction instead of two."""
        self.pkhbt(to, to, top)

    def pkhbt(self, to, bottom, top):
        """Pack the lower halves of two registers: bottom | top << 16."""
        text = f"pkhbt {to}, {bottom}, {top}, lsl #16"
        self._wide(0xEAC0 | bottom.number, 0x4000 | to.number << 8 | top.number, text)

    def pkhtb(self, to, top, bottom):
        """Pack the upper halves of two registers: bottom >> 16 | top, without its lower half."""
        text = f"pkhtb {to}, {top}, {bottom}, asr #16"
        self._wide(0xEAC0 | top.number, 0x4020 | to.number << 8 | bottom.number, text)

    def add_number(self, to, one, number):
        """to = one + number, of 0..4095."""
        _check(0 <= number < 4096, f"addw #{number}")
        low = (number >> 8 & 7) << 12 | to.number << 8 | number & 0xFF
        high = 0xF200 | number >> 11 << 10 | one.number
        self._wide(high, low, f"addw {to}, {one}, #{number}")

    def asrs(self, to, value, by):
        """Shift right by a register, with sign; the last bit that is dropped goes to the carry."""
        text = f"asrs {to}, {value}, {by}"
        self._wide(0xFA50 | value.number, 0xF000 | to.number << 8 | by.number, text)

    def lsrs(self, to, value, by):
        """Shift right by a register; the last bit that is dropped goes to the carry."""
        text = f"lsrs {to}, {value}, {by}"
        self._wide(0xFA30 | value.number, 0xF000 | to.number << 8 | by.number, text)

    def lsl_wide(self, to, value, by):
        """Shift left by a register."""
        text = f"lsl {to}, {value}, {by}"
        self._wide(0xFA00 | value.number, 0xF000 | to.number << 8 | by.number, text)

    def bfi(self, to, value, at, bits):
        """Insert the lowest bits of `value` into `to`, from bit `at` on."""
        low = (at >> 2) << 12 | to.number << 8 | (at & 3) << 6 | at + bits - 1
        self._wide(0xF360 | value.number, low, f"bfi {to}, {value}, #{at}, #{bits}")

    def ssat8(self, to, value):
        self.ssat(to, value, 8)

    def ssat(self, to, value, bits):
        """to = value, saturated to signed integers of a number of bits."""
        low = to.number << 8 | bits - 1
        self._wide(0xF300 | value.number, low, f"ssat {to}, #{bits}, {value}")

    # The DSP extension.

    def _product(self, high, low, name, to, one, other, plus):
        text = f"{name} {to}, {one}, {other}, {plus}"
        low |= plus.number << 12 | to.number << 8 | other.number
        self._wide(high | one.number, low, text)

    def smlad(self, acc, one, other):
        """acc += product of the bottoms + product of the tops."""
        self._product(0xFB20, 0, "smlad", acc, one, other, acc)

    def smla(self, halves, acc, one, other):
        """acc += product of two halfwords: bb, bt, tb or tt."""
        low = (halves[0] == "t") << 5 | (halves[1] == "t") << 4
        self._product(0xFB10, low, f"smla{halves}", acc, one, other, acc)

    def smmla(self, to, one, other, plus):
        """to = plus + the upper word of a product."""
        self._product(0xFB50, 0, "smmla", to, one, other, plus)

    def smmulr(self, to, one, other):
        """The upper word of a product, rounded."""
        text = f"smmulr {to}, {one}, {other}"
        self._wide(0xFB50 | one.number, 0xF010 | to.number << 8 | other.number, text)

    def mla(self, to, one, other, plus):
        """to = plus + the lower word of a product."""
        self._product(0xFB00, 0, "mla", to, one, other, plus)

    def umull(self, low, high, one, other):
        """The product of two unsigned words."""
        text = f"umull {low}, {high}, {one}, {other}"
        self._wide(0xFBA0 | one.number, low.number << 12 | high.number << 8 | other.number, text)

    def smull(self, low, high, one, other):
        """The product of two signed words."""
        text = f"smull {low}, {high}, {one}, {other}"
        self._wide(0xFB80 | one.number, low.number << 12 | high.number << 8 | other.number, text)

    def smlal(self, low, high, one, other):
        """Add the product of two signed words."""
        text = f"smlal {low}, {high}, {one}, {other}"
        self._wide(0xFBC0 | one.number, low.number << 12 | high.number << 8 | other.number, text)

    def negate(self, to, value):
        """to = -value."""
        self._wide(0xF1D0 | value.number, to.number << 8, f"rsbs {to}, {value}, #0")

    def clz(self, to, value):
        """to = the number of zeros before the first bit of a value."""
        self._wide(
            0xFAB0 | value.number, 0xF080 | to.number << 8 | value.number, f"clz {to}, {value}"
        )

    def sdiv(self, to, one, other):
        text = f"sdiv {to}, {one}, {other}"
        self._wide(0xFB90 | one.number, 0xF0F0 | to.number << 8 | other.number, text)

    def sxtb16(self, to, value, rotation=0):
        """Sign-extend bytes 0 and 2 to halfwords, or with a rotation of 8 bytes 1 and 3."""
        text = f"sxtb16 {to}, {value}" + (f", ror #{rotation}" if rotation else "")
        low = 0xF080 | to.number << 8 | rotation // 8 << 4 | value.number
        self._wide(0xFA2F, low, text)

    def uxtb16(self, to, value, rotation=0):
        """Zero-extend bytes 0 and 2 to halfwords, or with a rotation of 8 bytes 1 and 3."""
        text = f"uxtb16 {to}, {value}" + (f", ror #{rotation}" if rotation else "")
        low = 0xF080 | to.number << 8 | rotation // 8 << 4 | value.number
        self._wide(0xFA3F, low, text)

    def sxtab16(self, to, plus, value, rotation=0):
        """Sign-extend two bytes to halfwords and add them to the halfwords of `plus`."""
        text = f"sxtab16 {to}, {plus}, {value}" + (f", ror #{rotation}" if rotation else "")
        low = 0xF080 | to.number << 8 | rotation // 8 << 4 | value.number
        self._wide(0xFA20 | plus.number, low, text)

    def sadd16(self, to, one, other):
        """The sums of two pairs of halfwords."""
        low = 0xF000 | to.number << 8 | other.number
        self._wide(0xFA90 | one.number, low, f"sadd16 {to}, {one}, {other}")

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
