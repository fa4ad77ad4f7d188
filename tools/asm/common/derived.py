# Kernel files that are another kernel file with a few passages replaced
# MIT license; Copyright (c) 2026 the tflm authors

import re
from pathlib import Path
from typing import NamedTuple

_KERNELS = Path(__file__).resolve().parents[3] / "modules" / "tflm" / "kernels"


class Derived(NamedTuple):
    """A kernel file that has the text of another kernel file around one faster function.

    about: what the derived file computes, for its head. source: the other file, as a path below
    modules/tflm/kernels. replacements: {passage of the source: the text in its place}.
    A replacement imports as a file in kernels/<arch>/ does; text() adapts imports to gen/.

    An edit of the source changes the derived file, too, when `make tables` runs. Each passage must
    occur exactly once in the source: text() raises ValueError for an edit that removes a passage,
    and the replacement must then be adapted.
    """

    about: str
    source: str
    replacements: dict[str, str]

    def text(self):
        """Return the derived text without the two lines at the top of its source."""
        text = source_text(self.source)
        for passage, replacement in self.replacements.items():
            if text.count(passage) != 1:
                raise ValueError(f"{self.source} has {text.count(passage)} times {passage!r}")
            text = text.replace(passage, replacement)
        return moved(text).split("\n", 2)[2]


def moved(text):
    """Return the text of a file in kernels/<arch>/ with the imports of a file in gen/."""
    text = re.sub(r"^from \.(?!gen\.)", "from ..", text, flags=re.MULTILINE)
    return text.replace("from .gen.", "from .")


def source_text(source):
    """Return the text of a kernel file, by its path below modules/tflm/kernels."""
    return (_KERNELS / source).read_text()


def passage(source, begin, end):
    """Return the passage of a kernel file from the text `begin` up to the text `end`."""
    text = source_text(source)
    for mark in (begin, end):
        if mark not in text:
            raise ValueError(f"{source} has no longer {mark!r}; adapt its replacements")
    return text[text.index(begin) : text.index(end)]
