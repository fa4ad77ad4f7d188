# One function for Xtensa with MAC16, zero-overhead loops, MULSH and CLAMPS (ESP32, ESP32-S3)
# MIT license; Copyright (c) 2026 the tflm authors

from .function import Function

_HALVES = {"ll": 0, "hl": 1, "lh": 2, "hh": 3}  # of the first and of the second factor
_ACCLO, _ACCHI = 16, 17  # numbers of the special registers


# The number of a register "m0" to "m3".
def _m(register):
    return ("m0", "m1", "m2", "m3").index(register)


# The number of a register "a0" to "a15".
def _a(register):
    return int(register[1:])


class Mac16(Function):
    """A Function whose accumulator adds products of halfwords.

    The first factor of mula() is m0 or m1, the second one m2 or m3; a register "a..." can be
    either. mulsh=False: without MULSH and CLAMPS, which no emulated core has.
    """

    def __init__(self, name, about, arguments, slots=(), mulsh=True, buffer=0):
        super().__init__(name, about, arguments, [*slots, *(() if mulsh else _SPILLED)], buffer)
        self._mulsh = mulsh

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

    def loopnez(self, s, end):
        """Run the code from here to the label `end` `s` times.

        The first instruction of the loop must be within one aligned word.
        """
        if self._at % 4 not in (1, 2):
            self.nop()
        self._to(9 << 12 | _a(s) << 8 | 0x76, 8, 16, f"loopnez {s}, ", end)

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


_SPILLED = ("spilled_w", "spilled_x", "spilled_y", "spilled_z")
# Numbers of instructions of mulsh() and clamps() on cores without them.
WITHOUT = {"mulsh": 24, "clamps": 4}
