# The text of a generated function
# MIT license; Copyright (c) 2026 the tflm authors

import textwrap


def comment(text):
    """Return a paragraph as lines of a comment that are at most 99 characters long."""
    words = " ".join(text.split())
    return [f"# {line}" for line in textwrap.wrap(words, 97, break_on_hyphens=False)]


class InlineFunction:
    """A function of MicroPython's inline assembler.

    slots: names of words in a frame on the stack, for `load(register, slot)` and `store`.
    """

    decorator, argument = "", ""  # the name of argument 0 without its number

    def __init__(self, name, about, arguments, slots):
        self._name, self._about, self._arguments = name, about, arguments
        self._lines = []
        self._labels = self._instructions = 0
        self._slots = {slot: 4 * i for i, slot in enumerate(slots)}

    # Return the source of the function.
    def _text(self):
        names = ", ".join(f"{self.argument}{i}" for i in range(self._arguments))
        head = [*comment(self._about), self.decorator, f"def {self._name}({names}):"]
        return "\n".join(head + self._lines) + "\n"

    # A line of the source; `instructions` is the number of instructions in it.
    def _line(self, text, instructions=1):
        self._lines.append("    " + text)
        self._instructions += instructions

    def note(self, text):
        """Write a comment to the generated file."""
        self._line(f"# {text}", 0)

    def new_label(self, name):
        """Return a unique label; `name` says what happens there."""
        self._labels += 1
        return f"{name}_{self._labels}"

    def label(self, name):
        self._line(f"label({name})", 0)
