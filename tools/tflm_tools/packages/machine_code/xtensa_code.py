# tflm_tools: packages: reads and writes the Xtensa code that MicroPython's viper emitter makes
# MIT license; Copyright (c) 2026 the tflm authors

# A function of the emitter is a jump over a table of 32-bit constants, the table, and its
# instructions, which begin with ENTRY. Narrow and wide forms of an instruction are the same
# Instruction here; encode() takes the shortest form. Instruction fields have the names of the ISA
# manual: op2 op1 r s t op0.

from dataclasses import dataclass, replace

# {name: (op2, op1)} of instructions that compute r from s and t.
_THREE = {
    "and": (1, 0), "or": (2, 0), "xor": (3, 0), "add": (8, 0), "addx2": (9, 0), "addx4": (10, 0),
    "addx8": (11, 0), "sub": (12, 0), "mull": (8, 2),
}  # fmt: skip
_THREE_NAMES = {code: name for name, code in _THREE.items()}
# {name: (field r, bytes)} of loads and stores.
_MEMORY = {"l8ui": (0, 1), "l16ui": (1, 2), "l32i": (2, 4), "s8i": (4, 1), "s16i": (5, 2),
           "s32i": (6, 4), "l16si": (9, 2)}  # fmt: skip
_MEMORY_NAMES = {r: name for name, (r, _) in _MEMORY.items()}
_TWO = {"beq": 1, "blt": 2, "bltu": 3, "bne": 9, "bge": 10, "bgeu": 11}
_TWO_NAMES = {r: name for name, r in _TWO.items()}
_ZERO = ("beqz", "bnez", "bltz", "bgez")
OPPOSITE = {"beq": "bne", "bne": "beq", "blt": "bge", "bge": "blt", "bltu": "bgeu",
            "bgeu": "bltu", "beqz": "bnez", "bnez": "beqz", "bltz": "bgez",
            "bgez": "bltz"}  # fmt: skip
BRANCHES = tuple(OPPOSITE)
STORES = ("s8i", "s16i", "s32i")
LOADS = ("l8ui", "l16ui", "l16si", "l32i")
_RETW = 0xF01D
_WORD = (1 << 32) - 1
_CALL_CLOBBERS = range(8, 16)  # CALLX8 rotates the windows by eight registers
_CALL_READS = range(10, 16)  # its arguments


class UnknownCodeError(ValueError):
    """Code that is not the viper emitter's."""


@dataclass(frozen=True)
class Instruction:
    """An instruction. d: the register that it writes; s, t: registers that it reads; or None.

    number: an immediate operand, or the unsigned constant of "const", which stands for MOVI and
    L32R.
    target: index of the instruction that a branch leads to.
    """

    name: str
    d: int | None = None
    s: int | None = None
    t: int | None = None
    number: int = 0
    target: int | None = None

    def but(self, **fields):
        """Return this instruction with other fields."""
        return replace(self, **fields)

    def reads(self):
        """Return the set of registers that it reads."""
        if self.name == "retw":
            return {0, 1, 2}
        found = {register for register in (self.s, self.t) if register is not None}
        return found | set(_CALL_READS) if self.name == "callx8" else found

    def writes(self):
        """Return the set of registers whose values it changes."""
        if self.name == "callx8":
            return set(_CALL_CLOBBERS)
        return set() if self.d is None else {self.d}


def _signed(value, bits):
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> bits - 1 else value


def decode(code):
    """Return the instructions of a function (bytes). Raises UnknownCodeError."""
    start = 0
    if code[0] & 0x3F == 6:  # J
        start = 4 + _signed(int.from_bytes(code[:3], "little") >> 6, 18)
    at, found, addresses = start, [], {}
    while at < len(code):
        size = 2 if code[at] & 15 >= 8 else 3
        word = int.from_bytes(code[at : at + size], "little")
        addresses[at] = len(found)
        found.append(_narrow(word) if size == 2 else _wide(word, at, code))
        at += size
    if not found or found[0].name != "entry" or found[-1].name not in ("retw", "j"):
        raise UnknownCodeError("not a function")
    addresses[at] = len(found)
    try:
        return [
            each if each.target is None else each.but(target=addresses[each.target])
            for each in found
        ]
    except KeyError:
        raise UnknownCodeError("a branch leads between instructions") from None


def _narrow(word):
    op0, t, s, r = word & 15, word >> 4 & 15, word >> 8 & 15, word >> 12 & 15
    if op0 == 8:
        return Instruction("l32i", t, s, number=4 * r)
    if op0 == 9:
        return Instruction("s32i", None, s, t, 4 * r)
    if op0 == 10:
        return Instruction("add", r, s, t)
    if op0 == 11:
        return Instruction("addi", r, s, number=t or -1)
    if op0 == 12 and not t >> 3:
        value = (t & 7) << 4 | r
        return Instruction("const", s, number=(value - 128 if value >= 96 else value) & _WORD)
    if op0 == 13 and r == 0:
        return Instruction("mov", t, s)
    if word == _RETW:
        return Instruction("retw")
    raise UnknownCodeError(f"{word:04x}")


def _wide(word, at, code):
    op0, t, s, r = word & 15, word >> 4 & 15, word >> 8 & 15, word >> 12 & 15
    if op0 == 0:
        return _registers(word, t, s, r, word >> 16 & 15, word >> 20)
    if op0 == 1:  # L32R
        literal = (at + 3 & ~3) + 4 * ((word >> 8) - (1 << 16))
        if 0 <= literal <= at - 4:
            number = int.from_bytes(code[literal : literal + 4], "little")
            return Instruction("const", t, number=number)
    elif op0 == 2:
        return _memory(word, t, s, r)
    elif op0 == 6:
        return _jump(word, t, s, at)
    elif op0 == 7 and r in _TWO_NAMES:
        return Instruction(_TWO_NAMES[r], s=s, t=t, target=at + 4 + _signed(word >> 16, 8))
    raise UnknownCodeError(f"{word:06x}")


def _memory(word, t, s, r):
    number = word >> 16
    if r == 10:
        return Instruction("const", t, number=_signed(s << 8 | number, 12) & _WORD)
    if r == 12:
        return Instruction("addi", t, s, number=_signed(number, 8))
    if r not in _MEMORY_NAMES:
        raise UnknownCodeError(f"{word:06x}")
    name = _MEMORY_NAMES[r]
    number *= _MEMORY[name][1]
    if name in STORES:
        return Instruction(name, None, s, t, number)
    return Instruction(name, t, s, number=number)


def _jump(word, t, s, at):
    if t & 3 == 0:
        return Instruction("j", target=at + 4 + _signed(word >> 6, 18))
    if t & 3 == 1:
        return Instruction(_ZERO[t >> 2], s=s, target=at + 4 + _signed(word >> 12, 12))
    if t == 3:
        return Instruction("entry", number=word >> 12 << 3, s=s)
    raise UnknownCodeError(f"{word:06x}")


def _registers(word, t, s, r, op1, op2):
    if (op2, op1) in _THREE_NAMES:
        return Instruction(_THREE_NAMES[op2, op1], r, s, t)
    if word & 0xFFF0FF == 0x0000E0:
        return Instruction("callx8", s=s)
    if (op1, op2) == (0, 4) and t == 0 and r in (0, 1):
        return Instruction(("ssr", "ssl")[r], s=s)
    if (op1, op2) == (1, 11) and s == 0:
        return Instruction("sra", r, t)
    if (op1, op2) == (1, 10) and t == 0:
        return Instruction("sll", r, s)
    if (op1, op2) == (1, 9) and s == 0:
        return Instruction("srl", r, t)
    raise UnknownCodeError(f"{word:06x}")


def _rrr(op2, op1, r, s, t):
    return op2 << 20 | op1 << 16 | r << 12 | s << 8 | t << 4


# Return the word of an instruction without target and its size, or None for a constant that is
# too large for MOVI.
def _word(i):
    d, s, t, n = i.d, i.s, i.t, i.number
    if i.name == "const":
        value = _signed(n, 32)
        if -32 <= value <= 95:
            return (value & 15) << 12 | d << 8 | (value >> 4 & 7) << 4 | 12, 2
        if -2048 <= value <= 2047:
            return (value & 0xFF) << 16 | 10 << 12 | (value >> 8 & 15) << 8 | d << 4 | 2, 3
        return None
    if i.name == "mov":
        return s << 8 | d << 4 | 13, 2
    if i.name == "add":
        return d << 12 | s << 8 | t << 4 | 10, 2
    if i.name == "addi":
        if n == -1 or 1 <= n <= 15:
            return d << 12 | s << 8 | (0 if n == -1 else n) << 4 | 11, 2
        return (n & 0xFF) << 16 | 12 << 12 | s << 8 | d << 4 | 2, 3
    if i.name in ("l32i", "s32i") and n <= 60:
        register = d if i.name == "l32i" else t
        return n // 4 << 12 | s << 8 | register << 4 | (8 if i.name == "l32i" else 9), 2
    if i.name in _MEMORY:
        r, size = _MEMORY[i.name]
        register = t if i.name in STORES else d
        return n // size << 16 | r << 12 | s << 8 | register << 4 | 2, 3
    if i.name in _THREE:
        return _rrr(*_THREE[i.name], d, s, t), 3
    return _OTHERS[i.name](d, s, n)


_OTHERS = {
    "retw": lambda d, s, n: (_RETW, 2),
    "entry": lambda d, s, n: (n >> 3 << 12 | s << 8 | 0x36, 3),
    "callx8": lambda d, s, n: (0xE0 | s << 8, 3),
    "ssr": lambda d, s, n: (_rrr(4, 0, 0, s, 0), 3),
    "ssl": lambda d, s, n: (_rrr(4, 0, 1, s, 0), 3),
    "sra": lambda d, s, n: (_rrr(11, 1, d, 0, s), 3),
    "srl": lambda d, s, n: (_rrr(9, 1, d, 0, s), 3),
    "sll": lambda d, s, n: (_rrr(10, 1, d, s, 0), 3),
    "srai": lambda d, s, n: (_rrr(2 | n >> 4, 1, d, n & 15, s), 3),
    "slli": lambda d, s, n: (_rrr(32 - n >> 4, 1, d, s, 32 - n & 15), 3),
    "extui": lambda d, s, n: (_rrr(n - 1, 4, d, 0, s), 3),  # the lowest n bits
}


# Return the word and size of a branch or jump; `distance`: from its address to its target.
def _branch_word(i, distance):
    offset = distance - 4
    if i.name == "j":
        return (offset & 0x3FFFF) << 6 | 6, 3
    if i.name in _ZERO:
        kind = _ZERO.index(i.name) << 2 | 1
        return (offset & 0xFFF) << 12 | i.s << 8 | kind << 4 | 6, 3
    return (offset & 0xFF) << 16 | _TWO[i.name] << 12 | i.s << 8 | i.t << 4 | 7, 3


def _reaches(i, distance):
    bits = 12 if i.name in _ZERO else 8
    return i.name == "j" or -(1 << bits - 1) <= distance - 4 < 1 << bits - 1


# Return (address of each instruction and the end, constants for L32R, start of the code).
def _layout(instructions, far):
    words = [None if i.target is not None else _word(i) for i in instructions]
    large = {
        i.number
        for i, word in zip(instructions, words, strict=True)
        if i.target is None and word is None
    }
    constants = sorted(large)
    at = 4 + 4 * len(constants) if constants else 0
    addresses = []
    for index, word in enumerate(words):
        addresses.append(at)
        at += word[1] if word else (6 if index in far else 3)
    return [*addresses, at], constants


def encode(instructions):
    """Return the function (bytes) of instructions; the inverse of decode()."""
    far = set()
    while True:
        addresses, constants = _layout(instructions, far)
        more = {
            index
            for index, i in enumerate(instructions)
            if i.target is not None
            and index not in far
            and not _reaches(i, addresses[i.target] - addresses[index])
        }
        if not more:
            break
        far |= more
    out = bytearray()
    if constants:
        jump = (addresses[0] - 4) << 6 | 6
        out += jump.to_bytes(4, "little") + b"".join(c.to_bytes(4, "little") for c in constants)
    for index, i in enumerate(instructions):
        at = addresses[index]
        if i.target is not None:
            distance = addresses[i.target] - at
            if index in far:  # the opposite branch over a jump
                word, size = _branch_word(i.but(name=OPPOSITE[i.name]), 6)
                out += word.to_bytes(size, "little")
                i, distance = Instruction("j"), distance - 3
            word, size = _branch_word(i, distance)
        elif _word(i) is None:
            literal = 4 + 4 * constants.index(i.number)
            offset = literal - (at + 3 & ~3) >> 2
            word, size = (offset & 0xFFFF) << 8 | i.d << 4 | 1, 3
        else:
            word, size = _word(i)
        out += word.to_bytes(size, "little")
    return bytes(out)
