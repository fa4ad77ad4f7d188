# One function for Xtensa: a viper stub whose comments are its machine code
# MIT license; Copyright (c) 2026 the tflm authors

from tflm_tools.packages.machine_code import listing
from tflm_tools.packages.machine_code.xtensa import Xtensa

from .text import comment

_WINDOWS = 32  # bytes at the upper end of a frame that register windows require
_STUB = """\
@micropython.viper
def {name}({arguments}):
{lines}    raise NotImplementedError("no machine code; compile with tflm_tools.packages")
"""
_NAMES = ("arena", "offset", "memory", "taps")
_HALVES = {"ll": 0, "hl": 1, "lh": 2, "hh": 3}  # of the first and of the second factor
_ACCLO, _ACCHI = 16, 17  # numbers of the special registers
_SPILLED = ("spilled_w", "spilled_x", "spilled_y", "spilled_z")
# Numbers of instructions of mulsh() and clamps() on cores without them.
WITHOUT = {"mulsh": 24, "clamps": 4}
# Instructions of the FPU with three registers. Name: (op2, op1).
_THREE = {"add_s": (0, 10), "sub_s": (1, 10), "mul_s": (2, 10)}


# The number of a register of a kind: "a0" to "a15", "f0" to "f15", "b0" to "b15", "m0" to "m3".
def _number(kind, register):
    if register[0] != kind or not 0 <= int(register[1:]) < (4 if kind == "m" else 16):
        raise ValueError(f"{register} is no register of the kind {kind}")
    return int(register[1:])


def _a(register):
    return _number("a", register)


def _f(register):
    return _number("f", register)


def _m(register):
    return _number("m", register)


class Function(Xtensa):
    """A function of the windowed ABI: arguments are in a2, a3, ..., and it returns 0.

    arguments: their names, or the number of the usual ones. slots: names of words in its frame,
    for `load(register, slot)` and `store`. buffer: bytes after these words. The function calls
    nothing and keeps a0 (the return address) and a1 (the frame).

    It may use what an ESP32 and an ESP32-S3 have: zero-overhead loops, MULSH and CLAMPS, MAC16 and
    an FPU. mulsh=False: without MULSH and CLAMPS, which no emulated core has. Registers "f0" to
    "f15" belong to the function: its callers save them. Products and sums of numbers are rounded
    one after the other, as in TFLM: the fused MADD.S is missing on purpose.
    """

    def __init__(self, name, about, arguments, slots=(), mulsh=True, buffer=0):
        super().__init__()
        slots = [*slots, *(() if mulsh else _SPILLED)]
        self._name, self._about, self._mulsh = name, about, mulsh
        self._arguments = _NAMES[:arguments] if isinstance(arguments, int) else arguments
        self._slots = {slot: 4 * i for i, slot in enumerate(slots)}
        self.entry(4 * len(slots) + buffer + _WINDOWS + 15 & ~15)

    def text(self, returns=False):
        """Return the source of the function. `returns`: it returns the small integer in a2."""
        if not returns:
            self.movi("a2", 0)
        self.retw()
        lines = listing.lines((code, text) for _, code, text in self.lines())
        names = ", ".join(self._arguments)
        about = "".join(f"{line}\n" for line in comment(self._about))
        return about + _STUB.format(name=self._name, arguments=names, lines=lines)

    def note(self, text):
        """Write a comment to the generated file."""
        self._instructions.append((self._at, b"", text))

    def load(self, to, slot):
        self.l32i(to, "a1", self._slots[slot])

    def store(self, value, slot):
        self.s32i(value, "a1", self._slots[slot])

    def jump(self, label):
        self.j(label)

    def address(self, to, offset=0):
        """Compute the address of the buffer in the frame, plus `offset`."""
        offset += 4 * len(self._slots)
        self.addi(to, "a1", min(offset, 127))
        if offset > 127:
            self.addi(to, to, offset - 127)

    def far(self, name, one, other, label):
        """The branch `name` on two registers to a label at any distance."""
        past = self.new_label("past")
        opposite = {"beq": "bne", "bne": "beq", "blt": "bge", "bge": "blt", "bltu": "bgeu",
                    "bgeu": "bltu"}[name]  # fmt: skip
        getattr(self, opposite)(one, other, past)
        self.j(label)
        self.label(past)

    def loopnez(self, s, end):
        """Run the code from here to the label `end` `s` times.

        The first instruction of the loop must be within one aligned word.
        """
        if self._at % 4 not in (1, 2):
            self.nop()
        self._to(9 << 12 | _a(s) << 8 | 0x76, 8, 16, f"loopnez {s}, ", end)

    # MAC16: the accumulator adds products of halfwords. The first factor of mula() is m0 or m1,
    # the second one m2 or m3; a register "a..." can be either.

    def wsr_acclo(self, t):
        """Set the accumulator to a register, as far as rsr_acclo() reads it."""
        self._put(0x13 << 16 | _ACCLO << 8 | _a(t) << 4, f"wsr.acclo {t}")

    def rsr_acclo(self, t):
        self._put(3 << 16 | _ACCLO << 8 | _a(t) << 4, f"rsr.acclo {t}")

    def clear_acc(self, zero):
        """Set all 40 bits of the accumulator to `zero`, a register with 0."""
        self.wsr_acclo(zero)
        self._put(0x13 << 16 | _ACCHI << 8 | _a(zero) << 4, f"wsr.acchi {zero}")

    def rsr_acchi(self, t):
        """Read the upper eight bits of the accumulator, with their sign."""
        self._put(3 << 16 | _ACCHI << 8 | _a(t) << 4, f"rsr.acchi {t}")

    def ldinc(self, w, s):
        """Load the word after `s` into w; `s` advances to it."""
        self._put(8 << 20 | _m(w) << 12 | _a(s) << 8 | 4, f"ldinc {w}, {s}")

    def mula(self, halves, x, y):
        """Add the product of halves ("l" or "h" of x, then of y)."""
        op2 = {"mm": 2, "ma": 6, "am": 3, "aa": 7}[x[0] + y[0]]
        kinds = {2: "dd", 6: "da", 3: "ad", 7: "aa"}[op2]
        word = op2 << 20 | 8 << 16 | _HALVES[halves] << 16 | 4
        word |= _m(x) << 14 if x[0] == "m" else _a(x) << 8
        word |= _m(y) - 2 << 6 if y[0] == "m" else _a(y) << 4
        self._put(word, f"mula.{kinds}.{halves} {x}, {y}")

    def mula_ldinc(self, halves, w, s, x, y):
        """Add the product of halves of m0 or m1 and of m2, m3 or "a..."; then ldinc(w, s)."""
        word = 8 << 16 | _HALVES[halves] << 16 | _m(x) << 14 | _m(w) << 12 | _a(s) << 8
        kind = "dd" if y[0] == "m" else "da"
        word |= _m(y) - 2 << 6 if y[0] == "m" else 4 << 20 | _a(y) << 4
        self._put(word | 4, f"mula.{kind}.{halves}.ldinc {w}, {s}, {x}, {y}")

    def clamps(self, r, s, spare):
        """Limit `s` to an int8; `spare` is for cores without CLAMPS."""
        if not self._mulsh:
            self.movi(spare, 127)
            self.min(r, s, spare)
            self.movi(spare, -128)
            return self.max(r, r, spare)
        self._put(0x33 << 16 | _a(r) << 12 | _a(s) << 8, f"clamps {r}, {s}, 7")

    def mulsh(self, r, s, t):
        """The upper word of a product; without MULSH, `t` must not be negative."""
        if self._mulsh:
            return self._rrr(11, 2, _a(r), _a(s), _a(t), f"mulsh {r}, {s}, {t}")
        w, x, y, z = [f"a{i}" for i in range(2, 16) if f"a{i}" not in (r, s, t)][:4]
        spilled = list(zip((w, x, y, z), _SPILLED, strict=True))
        for register, slot in spilled:
            self.store(register, slot)
        for upper, lower, value in ((x, y, s), (z, w, t)):
            self.srai(upper, value, 16)
            self.extui(lower, value, 0, 16)
        self.mull(r, y, w)
        self.mull(w, x, w)
        self.mull(y, y, z)
        self.mull(x, x, z)
        self.extui(r, r, 16, 16)
        self.add(w, w, r)
        self.extui(r, w, 0, 16)
        self.srai(w, w, 16)
        self.add(x, x, w)
        self.add(r, r, y)
        self.srai(r, r, 16)
        self.add(r, r, x)
        for register, slot in spilled:
            self.load(register, slot)

    # The FPU.

    def __getattr__(self, name):
        if name in _THREE:
            return lambda r, s, t: self._float(name, *_THREE[name], _f(r), r, s, t)
        return super().__getattr__(name)

    def _float(self, name, op2, op1, number, r, s, t):
        text = f"{name.replace('_', '.')} {r}, {s}, {t}"
        self._rrr(op2, op1, number, _f(s), _f(t), text)

    def olt_s(self, b, s, t):
        """Set a Boolean register if `s` is less than `t`."""
        self._float("olt_s", 4, 11, _number("b", b), b, s, t)

    def movt_s(self, r, s, b):
        """Copy `s` to `r` if the Boolean register b is set."""
        self._rrr(13, 11, _f(r), _f(s), _number("b", b), f"movt.s {r}, {s}, {b}")

    def wfr(self, r, s):
        """Copy the bits of an address register to the FPU."""
        self._rrr(15, 10, _f(r), _a(s), 5, f"wfr {r}, {s}")

    def rfr(self, r, s):
        """Copy the bits of a register of the FPU to an address register."""
        self._rrr(15, 10, _a(r), _f(s), 4, f"rfr {r}, {s}")

    def round_s(self, r, s):
        """Round a number to an integer in an address register, halves to even."""
        self._rrr(8, 10, _a(r), _f(s), 0, f"round.s {r}, {s}, 0")

    def float_s(self, r, s):
        """Convert the int32 in an address register to a number, rounded to nearest even."""
        self._rrr(12, 10, _f(r), _a(s), 0, f"float.s {r}, {s}, 0")

    def lsx(self, r, s, t):
        """Load the number at the address `s` + `t`."""
        self._rrr(0, 8, _f(r), _a(s), _a(t), f"lsx {r}, {s}, {t}")

    def lsi(self, t, s, offset=0):
        """Load the number `offset` bytes after the address `s`."""
        self._indexed(0, "lsi", t, s, offset)

    def ssi(self, t, s, offset=0):
        """Store a number `offset` bytes after the address `s`."""
        self._indexed(4, "ssi", t, s, offset)

    def _indexed(self, r, name, t, s, offset):
        if offset & 3 or not 0 <= offset < 1024:
            raise ValueError(f"{name} has no offset {offset}")
        word = offset >> 2 << 16 | r << 12 | _a(s) << 8 | _f(t) << 4 | 3
        self._put(word, f"{name} {t}, {s}, {offset}")
