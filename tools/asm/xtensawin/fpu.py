# One function for Xtensa with an FPU of single precision (ESP32, ESP32-S3)
# MIT license; Copyright (c) 2026 the tflm authors

from .mac16 import Mac16

# Instructions of the FPU with three registers. Name: (op2, op1).
_THREE = {"add_s": (0, 10), "sub_s": (1, 10), "mul_s": (2, 10)}
# Comparisons of two numbers, whose result is a Boolean register.
_COMPARE = {"olt_s": 4}
# Conditional moves of an address register. Name: op2.
_MOVES = {"moveqz": 8, "movnez": 9, "movltz": 10, "movgez": 11}


# The number of a register of a kind: "f0" to "f15", "a0" to "a15", "b0" to "b15".
def _number(kind, register):
    if register[0] != kind or not 0 <= int(register[1:]) < 16:
        raise ValueError(f"{register} is no register of the kind {kind}")
    return int(register[1:])


def _f(register):
    return _number("f", register)


def _a(register):
    return _number("a", register)


class Fpu(Mac16):
    """A Function that may use the FPU, zero-overhead loops and conditional moves.

    Registers "f0" to "f15" belong to the function: its callers save them. Products and sums are
    rounded one after the other, as in TFLM. The fused MADD.S is missing on purpose.
    """

    def __getattr__(self, name):
        if name in _THREE:
            return lambda r, s, t: self._float(name, *_THREE[name], _f(r), r, s, t)
        if name in _COMPARE:
            return lambda r, s, t: self._float(name, _COMPARE[name], 11, _number("b", r), r, s, t)
        if name in _MOVES:
            return lambda r, s, t: self._rrr(
                _MOVES[name], 3, _a(r), _a(s), _a(t), f"{name} {r}, {s}, {t}"
            )
        return super().__getattr__(name)

    def _float(self, name, op2, op1, number, r, s, t):
        text = f"{name.replace('_', '.')} {r}, {s}, {t}"
        self._rrr(op2, op1, number, _f(s), _f(t), text)

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
