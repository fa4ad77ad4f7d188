# tflm_tools: machine code: an assembler for x86-64 with SSE2, AVX and AVX2
# MIT license; Copyright (c) 2026 the tflm authors

# Source of the encodings: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2.
# Every method makes one instruction and its line of a listing, which reads as Capstone writes it
# in Intel's syntax, without the sizes of memory operands: a test compares the two.

from dataclasses import dataclass

_OLD = ("ax", "cx", "dx", "bx", "sp", "bp", "si", "di")
_NEW = [f"r{i}" for i in range(8, 16)]
_64 = [f"r{name}" for name in _OLD] + _NEW
_32 = [f"e{name}" for name in _OLD] + [f"{name}d" for name in _NEW]
_16 = [*_OLD, *(f"{name}w" for name in _NEW)]
_8 = ["al", "cl", "dl", "bl", "spl", "bpl", "sil", "dil", *(f"{name}b" for name in _NEW)]
_REGISTERS = {
    name: (number, size)
    for names, size in ((_64, 8), (_32, 4), (_16, 2), (_8, 1))
    for number, name in enumerate(names)
}
REGISTERS_OF_64_BITS = tuple(_64)
_REGISTERS.update({f"xmm{i}": (i, 16) for i in range(16)})
_REGISTERS.update({f"ymm{i}": (i, 32) for i in range(16)})

_ARITHMETIC = {"add": 0, "or_": 1, "and_": 4, "sub": 5, "xor": 6, "cmp": 7}
_SHIFTS = {"shl": 4, "shr": 5, "sar": 7}
_CONDITIONS = {"b": 2, "ae": 3, "e": 4, "ne": 5, "be": 6, "a": 7, "s": 8, "ns": 9, "l": 12,
               "ge": 13, "le": 14, "g": 15}  # fmt: skip

# Vector instructions: (mandatory prefix, opcode map, opcode). Maps: 1 is 0F, 2 0F38, 3 0F3A.
# Those of SSE2 have two operands, with "v" before the name three.
_ARITHMETIC_VECTORS = {
    "addps": (0, 1, 0x58), "mulps": (0, 1, 0x59), "subps": (0, 1, 0x5C), "divps": (0, 1, 0x5E),
    "minps": (0, 1, 0x5D), "maxps": (0, 1, 0x5F), "xorps": (0, 1, 0x57), "andps": (0, 1, 0x54),
    "unpcklps": (0, 1, 0x14), "unpckhps": (0, 1, 0x15), "movlhps": (0, 1, 0x16),
    "movhlps": (0, 1, 0x12),
    "addss": (0xF3, 1, 0x58), "mulss": (0xF3, 1, 0x59), "subss": (0xF3, 1, 0x5C),
    "divss": (0xF3, 1, 0x5E), "minss": (0xF3, 1, 0x5D), "maxss": (0xF3, 1, 0x5F),
    "pandn": (0x66, 1, 0xDF), "pcmpeqd": (0x66, 1, 0x76), "divpd": (0x66, 1, 0x5E),
    "paddw": (0x66, 1, 0xFD), "psubw": (0x66, 1, 0xF9), "paddd": (0x66, 1, 0xFE),
    "psubd": (0x66, 1, 0xFA), "paddq": (0x66, 1, 0xD4), "psubq": (0x66, 1, 0xFB),
    "pmaddwd": (0x66, 1, 0xF5), "pmuludq": (0x66, 1, 0xF4), "pand": (0x66, 1, 0xDB),
    "por": (0x66, 1, 0xEB), "pxor": (0x66, 1, 0xEF), "pcmpgtd": (0x66, 1, 0x66),
    "punpcklbw": (0x66, 1, 0x60), "punpcklwd": (0x66, 1, 0x61), "punpckhbw": (0x66, 1, 0x68),
    "punpckhwd": (0x66, 1, 0x69), "punpckldq": (0x66, 1, 0x62),
    "punpckhdq": (0x66, 1, 0x6A), "punpcklqdq": (0x66, 1, 0x6C),
    "packssdw": (0x66, 1, 0x6B), "packsswb": (0x66, 1, 0x63), "pminsw": (0x66, 1, 0xEA),
    "pmaxsw": (0x66, 1, 0xEE),
}  # fmt: skip
# Only with three operands; the last number is VEX.W.
_ONLY_AVX = {
    "vpmuldq": (0x66, 2, 0x28, 0), "vpcmpgtq": (0x66, 2, 0x37, 0), "vpmaxsd": (0x66, 2, 0x3D, 0),
    "vpminsd": (0x66, 2, 0x39, 0), "vpsrlvq": (0x66, 2, 0x45, 1), "vpmulld": (0x66, 2, 0x40, 0),
    "vpsrlvd": (0x66, 2, 0x45, 0), "vpsllvd": (0x66, 2, 0x47, 0),
}  # fmt: skip
# Moves and conversions of one operand to another: a load's encoding; "v" before the name as well.
_LOADS = {
    "movups": (0, 1, 0x10), "movaps": (0, 1, 0x28), "movss": (0xF3, 1, 0x10),
    "movdqu": (0xF3, 1, 0x6F), "movdqa": (0x66, 1, 0x6F), "movq": (0xF3, 1, 0x7E),
    "cvtdq2ps": (0, 1, 0x5B), "cvtps2dq": (0x66, 1, 0x5B), "movhps": (0, 1, 0x16),
}  # fmt: skip
_ONLY_AVX_LOADS = {
    "vbroadcastss": (0x66, 2, 0x18), "vpbroadcastd": (0x66, 2, 0x58),
    "vpbroadcastw": (0x66, 2, 0x79), "vpmovsxbw": (0x66, 2, 0x20), "vpmovsxwd": (0x66, 2, 0x23),
    "vpbroadcastq": (0x66, 2, 0x59), "vcvtdq2pd": (0xF3, 1, 0xE6),
}  # fmt: skip
_STORES = {"movups": (0, 1, 0x11), "movss": (0xF3, 1, 0x11), "movdqu": (0xF3, 1, 0x7F),
           "movq": (0x66, 1, 0xD6)}  # fmt: skip
# Instructions with a number after the operands, which are two (pshufd), two or three (shufps), or
# always three.
_NUMBERED_LOADS = {"pshufd": (0x66, 1, 0x70), "pshuflw": (0xF2, 1, 0x70)}
_NUMBERED = {"shufps": (0, 1, 0xC6), "cmpss": (0xF3, 1, 0xC2)}
_ONLY_AVX_NUMBERED = {"vpblendd": (0x66, 3, 0x02), "vperm2i128": (0x66, 3, 0x46),
                      "vinserti128": (0x66, 3, 0x38), "vperm2f128": (0x66, 3, 0x06)}  # fmt: skip
# vextract: the vector is the register, the half of 16 bytes the other operand.
_HALVES = {"vextracti128": (0x66, 3, 0x39), "vextractf128": (0x66, 3, 0x19)}
# Shifts of each element by a number: (opcode, extension of the opcode).
_VECTOR_SHIFTS = {"psrlw": (0x71, 2), "psraw": (0x71, 4), "psrld": (0x72, 2), "psrad": (0x72, 4),
                  "pslld": (0x72, 6), "psrlq": (0x73, 2), "psllq": (0x73, 6)}  # fmt: skip
_PREFIXES = {0: 0, 0x66: 1, 0xF3: 2, 0xF2: 3}  # as VEX numbers them


class CodeError(ValueError):
    """An operand that no instruction can hold."""


def _check(condition, text):
    if not condition:
        raise CodeError(f"not an instruction of x86-64: {text}")


@dataclass(frozen=True)
class Memory:
    """The operand at `base + index * scale + offset`; registers have 64 bits.

    With the base "rip" it is what is at the label `index`.
    """

    base: str
    offset: int = 0
    index: str = ""
    scale: int = 1

    def __str__(self):
        if self.base == "rip":
            return f"[{self.index}]"
        text = self.base
        if self.index:
            text += f" + {self.index}" + (f"*{self.scale}" if self.scale > 1 else "")
        if self.offset:
            text += f" {'-' if self.offset < 0 else '+'} {_number(abs(self.offset))}"
        return f"[{text}]"


def at(base, offset=0, index="", scale=1):
    """A Memory operand."""
    return Memory(base, offset, index, scale)


def sub_register(register, size):
    """Return the name of the lowest `size` bytes of a register of 64 bits."""
    return {8: _64, 4: _32, 2: _16, 1: _8}[size][_REGISTERS[register][0]]


# A number as Capstone writes it.
def _number(value):
    return f"{'-' if value < 0 else ''}{abs(value):#x}" if abs(value) > 9 else str(value)


def _size(operand):
    return _REGISTERS[operand][1]


def _is_register(operand):
    return isinstance(operand, str)


class X86:
    """Code of one function: a method for each instruction, with the result's operand first.

    Operands are names of registers, numbers, and Memory. Vectors are "xmm0" to "xmm15" and
    "ymm0" to "ymm15".
    """

    def __init__(self):
        # (address, bytes, text); a branch forward has a function that returns bytes and text.
        self._instructions = []
        self._at = 0
        self._label_addresses = {}
        self._labels = 0
        self._constants = {}  # label: bytes

    def _put(self, code, text):
        self._instructions.append((self._at, bytes(code), text))
        self._at += len(code)

    # Add an instruction with an operand in memory. `tail` are its last bytes; before them is the
    # distance to a label if the operand is one.
    def _put_operand(self, code, other, tail, text):
        if _is_register(other) or other.base != "rip":
            return self._put(code + tail, text)
        end = self._at + len(code) + len(tail)

        def encoded():
            distance = self._label_addresses[other.index] - end
            return code[:-4] + distance.to_bytes(4, "little", signed=True) + tail, text

        self._instructions.append((self._at, encoded, text))
        self._at = end

    def constant(self, data):
        """An operand in memory: these bytes, which emit_constants() puts after the code."""
        for label, known in self._constants.items():
            if known == data:
                return at("rip", 0, label)
        label = f"constant_{len(self._constants)}"
        self._constants[label] = data
        return at("rip", 0, label)

    def emit_constants(self):
        """Put all constants here."""
        for label, data in self._constants.items():
            self.label(label)
            self._put(data, ".byte")

    def new_label(self, name):
        """A label that no other has; `name` says what happens there."""
        self._labels += 1
        return f"{name}_{self._labels}"

    def label(self, name):
        _check(name not in self._label_addresses, f"label {name} twice")
        self._label_addresses[name] = self._at

    def lines(self):
        """(address, bytes, text) of each instruction."""
        for address, code, text in self._instructions:
            yield address, *(code() if callable(code) else (code, text))

    def code(self):
        """The machine code."""
        return b"".join(code for _, code, _ in self.lines())

    # Encoding.

    # Bytes of an instruction whose operands are `register` (a number) and `other` (a register or
    # Memory): prefixes, opcode, ModRM, SIB and displacement.
    def _modrm(self, register, other):
        if _is_register(other):
            number = _REGISTERS[other][0]
            return bytes([0xC0 | (register & 7) << 3 | number & 7]), number >> 3, 0
        if other.base == "rip":
            return bytes([(register & 7) << 3 | 5, 0, 0, 0, 0]), 0, 0
        base, offset = _REGISTERS[other.base][0], other.offset
        _check(_size(other.base) == 8, str(other))
        _check(-(1 << 31) <= offset < 1 << 31, str(other))
        if offset == 0 and base & 7 != 5:
            mode, tail = 0, b""
        elif -128 <= offset < 128:
            mode, tail = 1, offset.to_bytes(1, "little", signed=True)
        else:
            mode, tail = 2, offset.to_bytes(4, "little", signed=True)
        index, middle = 4, b""
        if other.index:
            index = _REGISTERS[other.index][0]
            _check(index != 4 and other.scale in (1, 2, 4, 8), str(other))
        if other.index or base & 7 == 4:
            scale = {1: 0, 2: 1, 4: 2, 8: 3}[other.scale]
            middle = bytes([scale << 6 | (index & 7) << 3 | base & 7])
            low = 4
        else:
            low = base & 7
        high_index = index >> 3 if other.index else 0
        return (
            bytes([mode << 6 | (register & 7) << 3 | low]) + middle + tail,
            base >> 3,
            high_index,
        )

    # An instruction without VEX. `wide` sets REX.W; `byte` registers above 3 need a REX.
    def _legacy(self, prefix, opcode, register, other, text, wide=False, tail=b"", byte=False):
        modrm, base, index = self._modrm(register, other)
        rex = wide << 3 | register >> 3 << 2 | index << 1 | base
        operands = [other] if _is_register(other) else []
        if rex or byte or any(each in _8[4:8] for each in operands):
            rex |= 0x40
        start = bytes([prefix] if prefix else []) + bytes([rex] if rex else [])
        self._put_operand(start + bytes(opcode) + modrm, other, tail, text)

    # An instruction with VEX: `second` is the number of the register in VEX.vvvv.
    def _vex(self, encoding, is_256, register, second, other, text, tail=b"", wide=0):
        prefix, opcodes, opcode = encoding
        modrm, base, index = self._modrm(register, other)
        low = (~second & 15) << 3 | is_256 << 2 | _PREFIXES[prefix]
        if opcodes == 1 and not base and not index and not wide:
            start = bytes([0xC5, (register >> 3 ^ 1) << 7 | low])
        else:
            high = (register >> 3 ^ 1) << 7 | (index ^ 1) << 6 | (base ^ 1) << 5 | opcodes
            start = bytes([0xC4, high, wide << 7 | low])
        self._put_operand(start + bytes([opcode]) + modrm, other, tail, text)

    # Instructions whose names are in the tables above.

    def __getattr__(self, name):
        plain = name.removeprefix("v")
        if name in _ARITHMETIC:
            return lambda to, value: self._arithmetic(name, to, value)
        if name in _SHIFTS:
            return lambda to, bits: self._shift(name, to, bits)
        if name in _ARITHMETIC_VECTORS or name in _NUMBERED:
            return lambda to, other, *number: self._two(name, to, other, *number)
        if name[0] == "v" and (plain in _ARITHMETIC_VECTORS or plain in _NUMBERED):
            return lambda to, one, other, *number: self._three(name, to, one, other, *number)
        if name in _ONLY_AVX or name in _ONLY_AVX_NUMBERED:
            return lambda to, one, other, *number: self._three(name, to, one, other, *number)
        if plain in _LOADS or name in _ONLY_AVX_LOADS or plain in _NUMBERED_LOADS:
            return lambda to, other, *number: self._move(name, to, other, *number)
        if plain in _VECTOR_SHIFTS:
            return lambda to, *rest: self._vector_shift(name, to, *rest)
        if name in _HALVES:
            return lambda to, vector, half: self._half(name, to, vector, half)
        if name[0] == "j" and name[1:] in _CONDITIONS:
            return lambda label: self._branch(name, label)
        if name[:4] == "cmov" and name[4:] in _CONDITIONS:
            return lambda to, other: self._conditional(name, to, other)
        raise AttributeError(name)

    def _arithmetic(self, name, to, value):
        number, text = _ARITHMETIC[name], f"{name.rstrip('_')} {to}, "
        if isinstance(value, int):
            _check(_is_register(to) and -(1 << 31) <= value < 1 << 31, f"{text}{value}")
            is_short = -128 <= value < 128
            tail = value.to_bytes(1 if is_short else 4, "little", signed=True)
            opcode = [0x83 if is_short else 0x81]
            shown = _number(value if value >= 0 else value & (1 << 8 * _size(to)) - 1)
            if value < 0 and name in ("add", "sub", "cmp"):
                shown = _number(value)
            self._legacy(0, opcode, number, to, text + shown, _size(to) == 8, tail)
        elif _is_register(to):
            wide = _size(to) == 8
            _check(not _is_register(value) or _size(value) == _size(to), f"{text}{value}")
            if _is_register(value):
                self._legacy(0, [8 * number + 1], _REGISTERS[value][0], to, text + value, wide)
            else:
                self._legacy(0, [8 * number + 3], _REGISTERS[to][0], value, f"{text}{value}", wide)
        else:
            wide = _size(value) == 8
            self._legacy(0, [8 * number + 1], _REGISTERS[value][0], to, text + value, wide)

    def _shift(self, name, to, bits):
        wide = _size(to) == 8
        if bits == "cl":
            self._legacy(0, [0xD3], _SHIFTS[name], to, f"{name} {to}, cl", wide)
        else:
            _check(0 < bits < 64, f"{name} {to}, {bits}")
            text = f"{name} {to}, {_number(bits)}"
            self._legacy(0, [0xC1], _SHIFTS[name], to, text, wide, bytes([bits]))

    def mov(self, to, value):
        """Between registers of 8, 4, 2 bytes or 1 and memory; or a number of 32 bits."""
        text = f"mov {to}, {value}"
        if isinstance(value, int):
            number, size = _REGISTERS[to]
            text = f"mov {to}, {_number(value & (1 << 8 * size) - 1)}"
            if size == 8:
                _check(-(1 << 31) <= value < 1 << 31, text)
                tail = value.to_bytes(4, "little", signed=True)
                return self._legacy(0, [0xC7], 0, to, text, True, tail)
            _check(size == 4 and 0 <= value < 1 << 32, text)
            rex = bytes([0x41]) if number > 7 else b""
            code = rex + bytes([0xB8 | number & 7]) + value.to_bytes(4, "little")
            return self._put(code, text)
        if _is_register(to) and not _is_register(value):
            _check(_size(to) in (4, 8), text)
            return self._legacy(0, [0x8B], _REGISTERS[to][0], value, text, _size(to) == 8)
        number, size = _REGISTERS[value]
        prefix, opcode = 0x66 if size == 2 else 0, 0x88 if size == 1 else 0x89
        self._legacy(prefix, [opcode], number, to, text, size == 8, byte=value in _8[4:8])

    # A load of fewer bytes than the register has, with a sign or with zeros before it.
    def _extend(self, name, opcode, to, other):
        self._legacy(0, opcode, _REGISTERS[to][0], other, f"{name} {to}, {other}", _size(to) == 8)

    def movsxd(self, to, other):
        self._extend("movsxd", [0x63], to, other)

    def movsx_byte(self, to, memory):
        self._extend("movsx", [0x0F, 0xBE], to, memory)

    def movsx_word(self, to, memory):
        self._extend("movsx", [0x0F, 0xBF], to, memory)

    def movzx_byte(self, to, memory):
        self._extend("movzx", [0x0F, 0xB6], to, memory)

    def movzx_word(self, to, memory):
        self._extend("movzx", [0x0F, 0xB7], to, memory)

    def lea(self, to, memory):
        self._legacy(0, [0x8D], _REGISTERS[to][0], memory, f"lea {to}, {memory}", True)

    def imul(self, to, other):
        wide = _size(to) == 8
        self._legacy(0, [0x0F, 0xAF], _REGISTERS[to][0], other, f"imul {to}, {other}", wide)

    def div(self, by):
        """rdx:rax, or edx:eax, by a register: the quotient in rax, the rest in rdx."""
        self._legacy(0, [0xF7], 6, by, f"div {by}", _size(by) == 8)

    def neg(self, to):
        self._legacy(0, [0xF7], 3, to, f"neg {to}", _size(to) == 8)

    def dec(self, to):
        self._legacy(0, [0xFF], 1, to, f"dec {to}", _size(to) == 8)

    def test(self, one, other):
        wide = _size(one) == 8
        self._legacy(0, [0x85], _REGISTERS[other][0], one, f"test {one}, {other}", wide)

    def push(self, register):
        number = _REGISTERS[register][0]
        self._put(bytes([0x41] * (number > 7) + [0x50 | number & 7]), f"push {register}")

    def pop(self, register):
        number = _REGISTERS[register][0]
        self._put(bytes([0x41] * (number > 7) + [0x58 | number & 7]), f"pop {register}")

    def _conditional(self, name, to, other):
        opcode = [0x0F, 0x40 | _CONDITIONS[name[4:]]]
        self._legacy(0, opcode, _REGISTERS[to][0], other, f"{name} {to}, {other}", _size(to) == 8)

    # Branches: with one byte of distance backwards where that reaches, else with four.

    def _jump(self, short, near, text, label):
        address = self._at
        if (
            label in self._label_addresses
            and short
            and self._label_addresses[label] - address - 2 >= -128
        ):
            distance = self._label_addresses[label] - address - 2
            code = bytes([short]) + distance.to_bytes(1, "little", signed=True)
            return self._put(code, f"{text} {_number(self._label_addresses[label])}")
        size = len(near) + 4

        def encoded():
            distance = self._label_addresses[label] - address - size
            code = bytes(near) + distance.to_bytes(4, "little", signed=True)
            return code, f"{text} {_number(self._label_addresses[label])}"

        self._instructions.append((address, encoded, text))
        self._at += size

    def _branch(self, name, label):
        number = _CONDITIONS[name[1:]]
        self._jump(0x70 | number, [0x0F, 0x80 | number], name, label)

    def jmp(self, label):
        self._jump(0xEB, [0xE9], "jmp", label)

    def call(self, target):
        """Call the function at a label, or that whose address is in memory."""
        if isinstance(target, Memory):
            return self._legacy(0, [0xFF], 2, target, f"call {target}")
        self._jump(0, [0xE8], "call", target)

    def ret(self):
        self._put([0xC3], "ret")

    def rep_movsb(self):
        """Copy rcx bytes from rsi to rdi."""
        self._put([0xF3, 0xA4], "rep movsb [rdi], [rsi]")

    def cpuid(self):
        self._put([0x0F, 0xA2], "cpuid")

    def xgetbv(self):
        self._put([0x0F, 0x01, 0xD0], "xgetbv")

    def vzeroupper(self):
        """Clear the upper halves of all ymm; without this SSE instructions after AVX are slow."""
        self._put([0xC5, 0xF8, 0x77], "vzeroupper")

    # Vectors.

    # Name of registers and the number that may follow, as text.
    @staticmethod
    def _texts(name, operands, number):
        shown = [str(each) for each in operands] + [_number(each) for each in number]
        return f"{name} " + ", ".join(shown)

    def _sse(self, encoding, register, other, text, tail=b""):
        prefix, opcodes, opcode = encoding
        assert opcodes == 1
        self._legacy(prefix, [0x0F, opcode], register, other, text, tail=tail)

    def _two(self, name, to, other, *number):
        encoding = (_ARITHMETIC_VECTORS | _NUMBERED)[name]
        text = self._texts(name, (to, other), number)
        _check(_size(to) == 16, text)
        self._sse(encoding, _REGISTERS[to][0], other, text, bytes(number))

    def _three(self, name, to, one, other, *number):
        text, wide = self._texts(name, (to, one, other), number), 0
        if name in _ONLY_AVX:
            *encoding, wide = _ONLY_AVX[name]
        elif name in _ONLY_AVX_NUMBERED:
            encoding = _ONLY_AVX_NUMBERED[name]
        else:
            encoding = (_ARITHMETIC_VECTORS | _NUMBERED)[name[1:]]
        is_256, numbers = _size(to) == 32, [_REGISTERS[each][0] for each in (to, one)]
        _check(_size(one) == _size(to), text)
        self._vex(encoding, is_256, *numbers, other, text, bytes(number), wide)

    # A load, a move between registers, or a store.
    def _move(self, name, to, other, *number):
        text = self._texts(name, (to, other), number)
        is_vex = name[0] == "v"
        plain = name.removeprefix("v")
        if _is_register(to):
            register, address = to, other
            encoding = (_LOADS | _ONLY_AVX_LOADS | _NUMBERED_LOADS).get(plain)
            encoding = encoding or _ONLY_AVX_LOADS[name]
        else:
            register, address, encoding = other, to, _STORES[plain]
        if is_vex:
            numbers = _REGISTERS[register][0], 0
            self._vex(encoding, _size(register) == 32, *numbers, address, text, bytes(number))
        else:
            self._sse(encoding, _REGISTERS[register][0], address, text, bytes(number))

    def movd(self, to, other):
        """32 bits: memory or a register to a vector."""
        self._sse((0x66, 1, 0x6E), _REGISTERS[to][0], other, f"movd {to}, {other}")

    def vmovd(self, to, other):
        encoding = 0x66, 1, 0x6E
        self._vex(encoding, False, _REGISTERS[to][0], 0, other, f"vmovd {to}, {other}")

    def cvtsi2ss(self, to, register):
        """An integer of 64 bits as a float32."""
        rex = bytes([0x48 | _REGISTERS[to][0] >> 3 << 2 | _REGISTERS[register][0] >> 3])
        modrm = 0xC0 | (_REGISTERS[to][0] & 7) << 3 | _REGISTERS[register][0] & 7
        self._put(b"\xf3" + rex + bytes([0x0F, 0x2A, modrm]), f"cvtsi2ss {to}, {register}")

    def movmskps(self, to, vector):
        """The highest bits of all elements."""
        self._sse((0, 1, 0x50), _REGISTERS[to][0], vector, f"movmskps {to}, {vector}")

    def vmovmskps(self, to, vector):
        text = f"vmovmskps {to}, {vector}"
        self._vex((0, 1, 0x50), True, _REGISTERS[to][0], 0, vector, text)

    def vcvttpd2dq(self, to, vector):
        """Four numbers of 64 bits, in a ymm, as integers in an xmm."""
        text = f"vcvttpd2dq {to}, {vector}"
        self._vex((0x66, 1, 0xE6), True, _REGISTERS[to][0], 0, vector, text)

    def vpblendvb(self, to, one, other, mask):
        """Take each byte of `other` if the byte of `mask` has its highest bit set, else `one`."""
        numbers = _REGISTERS[to][0], _REGISTERS[one][0]
        text = f"vpblendvb {to}, {one}, {other}, {mask}"
        tail = bytes([_REGISTERS[mask][0] << 4])
        self._vex((0x66, 3, 0x4C), _size(to) == 32, *numbers, other, text, tail)

    def _vector_shift(self, name, to, *rest):
        opcode, extension = _VECTOR_SHIFTS[name.removeprefix("v")]
        *one, bits = rest
        text = self._texts(name, (to, *one), (bits,))
        if one:
            numbers = extension, _REGISTERS[to][0]
            self._vex((0x66, 1, opcode), _size(to) == 32, *numbers, *one, text, bytes([bits]))
        else:
            self._sse((0x66, 1, opcode), extension, to, text, bytes([bits]))

    def _half(self, name, to, vector, half):
        text = self._texts(name, (to, vector), (half,))
        self._vex(_HALVES[name], True, _REGISTERS[vector][0], 0, to, text, bytes([half]))
