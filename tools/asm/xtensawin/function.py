# One function for Xtensa: a viper stub whose comments are its machine code
# MIT license; Copyright (c) 2026 the tflm authors

from tflm_tools.packages.machine_code import listing
from tflm_tools.packages.machine_code.xtensa import Xtensa

from ..common.comments import comment

_WINDOWS = 32  # bytes at the upper end of a frame that register windows require
_STUB = """\
@micropython.viper
def {name}({arguments}):
{lines}    raise NotImplementedError("no machine code; compile with tflm_tools.packages")
"""
_NAMES = ("arena", "offset", "memory", "taps")


class Function(Xtensa):
    """A function of the windowed ABI: arguments are in a2, a3, ..., and it returns 0.

    arguments: their names, or the number of the usual ones. slots: names of words in its frame,
    for `load(register, slot)` and `store`. buffer: bytes after these words. The function calls
    nothing and keeps a0 (the return address) and a1 (the frame).
    """

    def __init__(self, name, about, arguments, slots=(), buffer=0):
        super().__init__()
        self._name, self._about = name, about
        self._arguments = _NAMES[:arguments] if isinstance(arguments, int) else arguments
        self._slots = {slot: 4 * i for i, slot in enumerate(slots)}
        self.entry(4 * len(slots) + buffer + _WINDOWS + 15 & ~15)

    def text(self, result=""):
        """Return the source of the function; it returns 0, or the number in the slot `result`.

        result: "a2" returns the number in this register.
        """
        if result == "a2":
            pass
        elif result:
            self.load("a2", result)
        else:
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

    # Macros of several instructions.

    def buffer_address(self, to, offset=0):
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
