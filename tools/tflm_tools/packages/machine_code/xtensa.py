# tflm_tools: packages: an assembler for Xtensa with register windows (ESP32, S2, S3)
# MIT license; Copyright (c) 2026 the tflm authors

# Instructions have 24 or 16 bits. Fields have the names of the ISA manual: op2 op1 r s t op0, four
# bits each, op2 highest. Each method makes one instruction and its line of a listing in the syntax
# of GNU objdump; a test compares them with objdump's output.

# Three registers: r, s, t. Name: (op2, op1).
_THREE = {
    "and_": (1, 0), "or_": (2, 0), "xor": (3, 0), "addx2": (9, 0), "addx4": (10, 0),
    "addx8": (11, 0), "sub": (12, 0), "mull": (8, 2), "quou": (12, 2), "min": (4, 3),
    "max": (5, 3),
}  # fmt: skip
# Loads and stores: r, and the number of low bits of the offset that are not encoded.
_MEMORY = {"l8ui": (0, 0), "l16ui": (1, 1), "l32i": (2, 2), "s8i": (4, 0), "s16i": (5, 1),
           "s32i": (6, 2), "l16si": (9, 1)}  # fmt: skip
# Branches that compare two registers, and branches that compare a register with zero.
_TWO = {"beq": 1, "blt": 2, "bltu": 3, "bne": 9, "bge": 10, "bgeu": 11}
_ZERO = {"beqz": 0, "bnez": 1, "bltz": 2, "bgez": 3}
_SPECIAL = {"configid0": 176, "ccount": 234}


class CodeError(ValueError):
    """An operand that the instruction cannot encode."""


def _check(condition, text):
    if not condition:
        raise CodeError(f"not an instruction of Xtensa: {text}")


# The number of a register "a0" to "a15".
def _a(register):
    text = str(register)
    _check(text[:1] == "a" and text[1:].isdigit() and int(text[1:]) < 16, f"register {register}")
    return int(text[1:])


class Xtensa:
    """The code of one function at a multiple of 4, with a method for each instruction.

    Registers are the strings "a0" to "a15". Name them by Python variables in a kernel.
    """

    def __init__(self):
        # (address, bytes, text); for an instruction with a label, bytes is a function that
        # returns (bytes, text) when all labels are known.
        self._instructions = []
        self._at = 0
        self._addresses = {}  # {label: address}
        self._labels = 0

    def _put(self, word, text, size=3):
        self._instructions.append((self._at, word.to_bytes(size, "little"), text))
        self._at += size

    # Add a branch or jump, whose distance is encoded in `bits` bits from bit `shift` on.
    def _to(self, word, bits, shift, text, label):
        at = self._at

        def encoded():
            target = self._addresses[label]
            distance = target - at - 4
            _check(-1 << bits - 1 <= distance < 1 << bits - 1, f"{text}{label}, {distance} away")
            field = (distance & (1 << bits) - 1) << shift
            return (word | field).to_bytes(3, "little"), f"{text}0x{target:x}"

        self._instructions.append((at, encoded, text))
        self._at += 3

    def new_label(self, name):
        """Return a unique label that begins with `name`."""
        self._labels += 1
        return f"{name}_{self._labels}"

    def label(self, name):
        _check(name not in self._addresses, f"label {name} twice")
        self._addresses[name] = self._at

    def lines(self):
        """Yield (address, bytes, text) of each instruction."""
        for at, code, text in self._instructions:
            yield at, *(code() if callable(code) else (code, text))

    def code(self):
        """Return the machine code."""
        return b"".join(code for _, code, _ in self.lines())

    # Instructions.

    def __getattr__(self, name):
        if name in _THREE:
            return lambda r, s, t: self._three(name, r, s, t)
        if name in _MEMORY:
            return lambda t, s, offset=0: self._memory(name, t, s, offset)
        if name in _TWO:
            return lambda s, t, label: self._two(name, s, t, label)
        if name in _ZERO:
            return lambda s, label: self._zero(name, s, label)
        raise AttributeError(name)

    # An instruction of the fields op2 op1 r s t op0.
    def _rrr(self, op2, op1, r, s, t, text, op0=0):
        self._put(op2 << 20 | op1 << 16 | r << 12 | s << 8 | t << 4 | op0, text)

    def _three(self, name, r, s, t):
        op2, op1 = _THREE[name]
        self._rrr(op2, op1, _a(r), _a(s), _a(t), f"{name.rstrip('_')} {r}, {s}, {t}")

    def _memory(self, name, t, s, offset):
        r, shift = _MEMORY[name]
        _check(
            0 <= offset >> shift < 256 and not offset & (1 << shift) - 1,
            f"{name} {t}, {s}, {offset}",
        )
        if shift == 2 and offset < 64:
            op0 = 8 if name == "l32i" else 9
            word = offset >> 2 << 12 | _a(s) << 8 | _a(t) << 4 | op0
            return self._put(word, f"{name}.n {t}, {s}, {offset}", 2)
        word = offset >> shift << 16 | r << 12 | _a(s) << 8 | _a(t) << 4 | 2
        self._put(word, f"{name} {t}, {s}, {offset}")

    def _two(self, name, s, t, label):
        word = _TWO[name] << 12 | _a(s) << 8 | _a(t) << 4 | 7
        self._to(word, 8, 16, f"{name} {s}, {t}, ", label)

    def _zero(self, name, s, label):
        word = _a(s) << 8 | _ZERO[name] << 6 | 0x16
        self._to(word, 12, 12, f"{name} {s}, ", label)

    def j(self, label):
        self._to(6, 18, 6, "j ", label)

    def add(self, r, s, t):
        self._put(_a(r) << 12 | _a(s) << 8 | _a(t) << 4 | 0xA, f"add.n {r}, {s}, {t}", 2)

    def addi(self, t, s, value):
        """Add a number: -128 to 127, or a multiple of 256 from -32768 to 32512."""
        if value == -1 or 1 <= value <= 15:
            word = _a(t) << 12 | _a(s) << 8 | max(value, 0) << 4 | 0xB
            return self._put(word, f"addi.n {t}, {s}, {value}", 2)
        name, number = ("addmi", value >> 8) if value & 0xFF == 0 and value else ("addi", value)
        _check(-128 <= number < 128, f"addi {t}, {s}, {value}")
        r = 13 if name == "addmi" else 12
        shown = f"0x{value & 0xFFFFFFFF:x}" if name == "addmi" else value
        word = (number & 0xFF) << 16 | r << 12 | _a(s) << 8 | _a(t) << 4 | 2
        self._put(word, f"{name} {t}, {s}, {shown}")

    def mov(self, t, s):
        self._put(_a(s) << 8 | _a(t) << 4 | 0xD, f"mov.n {t}, {s}", 2)

    def movi(self, t, value):
        """A number from -2048 to 2047."""
        _check(-2048 <= value < 2048, f"movi {t}, {value}")
        if -32 <= value < 96:
            word = (value & 15) << 12 | _a(t) << 8 | (value >> 4 & 7) << 4 | 0xC
            return self._put(word, f"movi.n {t}, {value}", 2)
        word = (value & 0xFF) << 16 | 0xA << 12 | (value >> 8 & 15) << 8 | _a(t) << 4 | 2
        self._put(word, f"movi {t}, {value if value < 256 else hex(value)}")

    def slli(self, r, s, bits):
        _check(1 <= bits <= 31, f"slli {r}, {s}, {bits}")
        left = 32 - bits
        self._rrr(left >> 4, 1, _a(r), _a(s), left & 15, f"slli {r}, {s}, {bits}")

    def srai(self, r, t, bits):
        _check(0 <= bits <= 31, f"srai {r}, {t}, {bits}")
        self._rrr(2 | bits >> 4, 1, _a(r), bits & 15, _a(t), f"srai {r}, {t}, {bits}")

    def srli(self, r, t, bits):
        """Shift right unsigned; extui does that for more than 15 bits."""
        if bits > 15:
            return self.extui(r, t, bits, 32 - bits)
        self._rrr(4, 1, _a(r), bits, _a(t), f"srli {r}, {t}, {bits}")

    def extui(self, r, t, low, bits):
        """Extract a field of up to 16 bits from bit `low` on."""
        _check(0 <= low <= 31 and 1 <= bits <= 16, f"extui {r}, {t}, {low}, {bits}")
        op1 = 4 | low >> 4
        self._rrr(bits - 1, op1, _a(r), low & 15, _a(t), f"extui {r}, {t}, {low}, {bits}")

    def ssr(self, s):
        """Set the shift of srl() and sra()."""
        self._rrr(4, 0, 0, _a(s), 0, f"ssr {s}")

    def sra(self, r, t):
        self._rrr(11, 1, _a(r), 0, _a(t), f"sra {r}, {t}")

    def srl(self, r, t):
        self._rrr(9, 1, _a(r), 0, _a(t), f"srl {r}, {t}")

    def ssl(self, s):
        """Set the shift of sll()."""
        self._rrr(4, 0, 1, _a(s), 0, f"ssl {s}")

    def sll(self, r, s):
        self._rrr(10, 1, _a(r), _a(s), 0, f"sll {r}, {s}")

    def nsau(self, t, s):
        """Count the zeros above the highest bit that is set: 32 for 0."""
        self._rrr(4, 0, 15, _a(s), _a(t), f"nsau {t}, {s}")

    def src(self, r, s, t):
        """Shift 64 bits, of which `s` is the upper word, right by the amount of ssr()."""
        self._rrr(8, 1, _a(r), _a(s), _a(t), f"src {r}, {s}, {t}")

    def neg(self, r, t):
        self._rrr(6, 0, _a(r), 0, _a(t), f"neg {r}, {t}")

    def abs(self, r, t):
        self._rrr(6, 0, _a(r), 1, _a(t), f"abs {r}, {t}")

    def rsr(self, t, special):
        """Read a special register: configid0 or ccount."""
        word = 3 << 16 | _SPECIAL[special] << 8 | _a(t) << 4
        self._put(word, f"rsr.{special} {t}")

    def nop(self):
        self._put(0xF03D, "nop.n", 2)

    # Calls.

    def entry(self, frame):
        """Begin a function with a frame of `frame` bytes, a multiple of 8."""
        _check(frame % 8 == 0 and 16 <= frame < 1 << 15, f"entry a1, {frame}")
        shown = frame if frame < 256 else hex(frame)
        self._put(frame >> 3 << 12 | 1 << 8 | 0x36, f"entry a1, {shown}")

    def callx8(self, s):
        self._put(_a(s) << 8 | 0xE0, f"callx8 {s}")

    def call8(self, label):
        """Call the function at a label, which is a multiple of 4."""
        at = self._at

        def encoded():
            target = self._addresses[label]
            _check(target % 4 == 0, f"call8 to 0x{target:x}")
            field = (target - (at & -4) - 4 >> 2) & 0x3FFFF
            return (field << 6 | 0x25).to_bytes(3, "little"), f"call8 0x{target:x}"

        self._instructions.append((at, encoded, "call8"))
        self._at += 3

    def retw(self):
        self._put(0xF01D, "retw.n", 2)

    def align(self):
        """Add zero bytes up to a multiple of 4; they are never executed."""
        while self._at % 4:
            self._put(0, ".byte 0", 1)
