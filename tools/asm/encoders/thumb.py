# Assembler macros that write one function of ARMv6-M for MicroPython's @micropython.asm_thumb
# MIT license; Copyright (c) 2026 the tflm authors

from .text import InlineFunction

# The inline assembler has most instructions of ARMv6-M. Others become data() with the mnemonic as
# a comment. Every method checks that its operands can be encoded on a Cortex-M0+.


# A register by number: 0..7 are low registers, which most instructions require; 8..12 and LR are
# high.
class Register:
    def __init__(self, number):
        self.number = number
        self.low = number < 8

    def __str__(self):
        return {13: "sp", 14: "lr", 15: "pc"}.get(self.number, f"r{self.number}")


R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10, R11, R12, SP, LR, PC = map(Register, range(16))
_SAVED = R4, R5, R6, R7
# {kind: (the end of a mnemonic, bytes)} of loads and stores at a number of 5 bits.
NARROW = {"w": ("r", 4), "u8": ("rb", 1), "u16": ("rh", 2)}
# Loads and stores at a register, and extensions, which the inline assembler lacks.
_INDEXED = {"ldw": (0x5800, "ldr"), "ldu16": (0x5A00, "ldrh"), "ldu8": (0x5C00, "ldrb"),
            "lds8": (0x5600, "ldrsb"), "lds16": (0x5E00, "ldrsh"), "stw": (0x5000, "str"),
            "stu8": (0x5400, "strb"), "stu16": (0x5200, "strh")}  # fmt: skip
_EXTEND = {"sxth": 0xB200, "sxtb": 0xB240, "uxth": 0xB280, "uxtb": 0xB2C0}


def has_offset(kind, offset):
    """Return whether a load or store of a kind with 16 bits has this offset, a number."""
    size = NARROW[kind][1]
    return 0 <= offset < 32 * size and not offset % size


# Fail when an operand cannot be encoded.
def _check(condition, text):
    if not condition:
        raise ValueError(f"not an instruction of ARMv6-M: {text}")


class Thumb(InlineFunction):
    """The text of one function: arguments are in R0.., and R4..R11 keep their values.

    spare: bytes of the frame after the slots, for `address(register)`. saved: the registers of
    R8..R11 that the function changes.
    """

    decorator, argument = "@micropython.asm_thumb", "r"

    def __init__(self, name, about, arguments=1, slots=(), spare=0, saved=()):
        super().__init__(name, about, arguments, slots)
        self._spare = spare
        self._saved = saved
        self._begin()

    # Save R8..R11 (MicroPython saves R4..R7 and LR) and reserve the frame of the slots.
    def _begin(self):
        lows = _SAVED[: len(self._saved)]
        for low, high in zip(lows, self._saved, strict=True):
            self.mov(low, high)
        if lows:
            self._line(f"push({{{', '.join(map(str, lows))}}})")
        self._frame("sub", 0xB080)

    # Reserve (sub) or release (add) the frame of the slots and the spare bytes.
    def _frame(self, mnemonic, code):
        size = 4 * len(self._slots) + self._spare
        if not size:
            return
        _check(4 * len(self._slots) < 508, f"a frame of {size} bytes")
        while size > 508:
            self._data(code | 508 >> 2, f"{mnemonic} sp, #508")
            size -= 508
        self._data(code | size >> 2, f"{mnemonic} sp, #{size}")

    # Release the frame and restore R8..R11.
    def _end(self):
        self._frame("add", 0xB000)
        lows = _SAVED[: len(self._saved)]
        if lows:
            self._line(f"pop({{{', '.join(map(str, lows))}}})")
        for low, high in zip(lows, self._saved, strict=True):
            self.mov(high, low)

    def text(self, returns=False):
        """Return the source of the function. `returns`: it returns the small integer in R0."""
        self._end()
        if not returns:
            self.mov(R0, 0)  # the value that the function returns: a larger one would take heap
        return self._text()

    def position(self):
        """Return the bytes of code so far; all instructions of this class have two."""
        return 2 * self._instructions

    def _data(self, code, mnemonic):
        self._line(f"data(2, 0x{code:04X})  # {mnemonic}")

    # Branches.

    def b(self, label):
        self._line(f"b({label})")

    def branch(self, condition, label):
        """B<condition>, which reaches 256 bytes; mpy-cross reports a label that is too far."""
        self._line(f"b{condition}({label})")

    def jump_forward(self, offset):
        """Jump `offset` (a register) bytes ahead of the next instruction."""
        self._data(0x4487 | offset.number << 3, f"add pc, {offset}")
        self._line("nop()")  # PC reads as 4 bytes ahead, so this instruction is never reached

    # Memory.

    def load(self, to, slot):
        self._data(0x9800 | to.number << 8 | self._slots[slot] >> 2, f"ldr {to}, [sp] {slot}")

    def store(self, value, slot):
        code = 0x9000 | value.number << 8 | self._slots[slot] >> 2
        self._data(code, f"str {value}, [sp] {slot}")

    def address(self, to, offset=0):
        """Load the address of the spare bytes of the frame, plus `offset`."""
        offset += 4 * len(self._slots)
        _check(to.low and 0 <= offset < 1024 and not offset & 3, f"add {to}, sp, #{offset}")
        self._data(0xA800 | to.number << 8 | offset >> 2, f"add {to}, sp, #{offset}")

    def memory(self, name, kind, register, base, offset=0):
        """Load or store (ld, st) a kind at `base` + a number or a register."""
        if isinstance(offset, int):
            text = f"{name}{NARROW[kind][0]}({register}, [{base}, {offset}])"
            _check(register.low and base.low and has_offset(kind, offset), text)
            return self._line(text)
        code, mnemonic = _INDEXED[name + kind]
        text = f"{mnemonic} {register}, [{base}, {offset}]"
        _check(register.low and base.low and offset.low, text)
        return self._data(code | offset.number << 6 | base.number << 3 | register.number, text)

    # Load or store several words at `base`, which advances; registers are in ascending order.
    def _many(self, code, mnemonic, base, registers):
        numbers = [r.number for r in registers]
        _check(base.low and max(numbers) < 8 and numbers == sorted(set(numbers)), mnemonic)
        _check(base.number not in numbers, f"{mnemonic} of its own base")
        code |= base.number << 8 | sum(1 << n for n in numbers)
        self._data(code, f"{mnemonic} {base}!, {{{', '.join(map(str, registers))}}}")

    def ldm(self, base, *registers):
        self._many(0xC800, "ldmia", base, registers)

    def stm(self, base, *registers):
        self._many(0xC000, "stmia", base, registers)

    # Arithmetic.

    def mov(self, to, value):
        """Move a register, or a number below 256 to a low register."""
        if isinstance(value, int):
            _check(to.low and 0 <= value < 256, f"mov {to}, #{value}")
        self._line(f"mov({to}, {value})")

    def add(self, to, value, other=None):
        """to += value, or to = value + other; one operand may be a small number."""
        if other is not None:
            _check(to.low and value.low, f"add {to}, {value}, {other}")
            _check(other < 8 if isinstance(other, int) else other.low, f"add {other}")
            self._line(f"add({to}, {value}, {other})")
        elif isinstance(value, int):
            _check(to.low and 0 <= value < 256, f"add {to}, #{value}")
            self._line(f"add({to}, {value})")
        elif to.low and value.low:
            self._line(f"add({to}, {to}, {value})")
        else:
            code = 0x4400 | (to.number & 8) << 4 | value.number << 3 | to.number & 7
            self._data(code, f"add {to}, {value}")

    def sub(self, to, value, other=None):
        """to -= value, or to = value - other; the last operand may be a small number."""
        if other is not None:
            _check(to.low and value.low, f"sub {to}, {value}, {other}")
            _check(other < 8 if isinstance(other, int) else other.low, f"sub {other}")
            self._line(f"sub({to}, {value}, {other})")
        elif isinstance(value, int):
            _check(to.low and 0 <= value < 256, f"sub {to}, #{value}")
            self._line(f"sub({to}, {value})")
        else:
            _check(to.low and value.low, f"sub {to}, {value}")
            self._line(f"sub({to}, {to}, {value})")

    def cmp(self, one, other):
        if isinstance(other, int) or one.low and other.low:
            _check(one.low and (not isinstance(other, int) or other < 256), f"cmp {other}")
            self._line(f"cmp({one}, {other})")
        else:
            code = 0x4500 | (one.number & 8) << 4 | other.number << 3 | one.number & 7
            self._data(code, f"cmp {one}, {other}")

    # Instructions with two low registers: adc, mul, and_, orr, eor, bic, neg, mvn, tst.
    def two(self, mnemonic, to, value):
        _check(to.low and value.low, f"{mnemonic} {to}, {value}")
        self._line(f"{mnemonic}({to}, {value})")

    # lsl, lsr, asr: by a number, or by the lowest byte of a register (to = to >> value).
    def shift(self, mnemonic, to, value, by):
        _check(to.low and value.low, f"{mnemonic} {to}")
        if isinstance(by, int):
            self._line(f"{mnemonic}({to}, {value}, {by})")
        else:
            _check(by.low and to.number == value.number, f"{mnemonic} {to}, {value}, {by}")
            self._line(f"{mnemonic}({to}, {by})")

    def extend(self, name, to, value):
        """sxtb, sxth, uxtb, uxth: extend the sign or zeros of the lowest 8 or 16 bits."""
        _check(to.low and value.low, f"{name} {to}, {value}")
        self._data(_EXTEND[name] | value.number << 3 | to.number, f"{name} {to}, {value}")

    def mul(self, to, value):
        self.two("mul", to, value)

    def adc(self, to, value):
        self.two("adc", to, value)

    def asr(self, to, value, by):
        self.shift("asr", to, value, by)

    def lsr(self, to, value, by):
        self.shift("lsr", to, value, by)

    def lsl(self, to, value, by):
        self.shift("lsl", to, value, by)
