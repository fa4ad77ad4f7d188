# Writes what boards need of the heads of kernel files: python tools/kernel_tables.py [--check]
# MIT license; Copyright (c) 2026 the tflm authors

import re
import sys
import textwrap
from pathlib import Path

from tflm_tools.errors import ToolError
from tflm_tools.kernel_files import KERNELS, kernel_files

_PACKAGE = KERNELS.parent


# Which file of extents/ knows a kernel's records, where that has another name.
def _families(known):
    others = {name: made.check for name, made in known.items() if made.check != name}
    return "".join(f'    "{name}": "{check}",\n' for name, check in others.items())


# Files whose units two cores may share, as one string: a set would take heap.
def _independent(known):
    text = " ".join(name for name, made in known.items() if made.group)
    lines = [f'    "{line} "\n' for line in textwrap.wrap(text, 92)]
    return lines[0].replace('"', '" ', 1) + "".join(lines[1:])


# {file: the logarithm of how many of its units form a group}.
def _groups(known):
    return "".join(
        f'    "{name}": {made.group.bit_length() - 1},\n'
        for name, made in known.items()
        if made.group > 1
    )


# Files of a folder for an instruction set that records may name, as lines of one text: a tuple
# would take a word and an interned name for each.
def _twins(folder):
    names = [
        path.stem
        for path in sorted(folder.glob("*.py"))
        if re.search(r"^def (eval|bind)|^from .* import .*\b(eval|bind)", path.read_text(), re.M)
    ]
    return "".join(f"{name}\n" for name in names)


# What is written: (file, the line it begins with, the line it ends with, the lines between).
_TABLES = (
    ("access_checks/__init__.py", "_FAMILIES = {\n", "}\n", _families),
    ("run/cores.py", "_INDEPENDENT = (\n", ")\n", _independent),
    ("run/cores.py", "_GROUPS = {\n", "}\n", _groups),
)


def tables():
    """{Path: text} of the files with tables, as they must be. Raises ToolError."""
    known, texts = kernel_files(), {}
    for name, made in known.items():
        if not (_PACKAGE / "access_checks" / f"{made.check}.py").is_file():
            raise ToolError(f"kernels/{name}.py: there is no check access_checks/{made.check}.py")
    wanted = [(_PACKAGE / file, *table, made(known)) for file, *table, made in _TABLES]
    for path in sorted(KERNELS.glob("*/__init__.py")):
        wanted.append((path, 'FILES = """\n', '"""\n', _twins(path.parent)))
    for path, begin, end, lines in wanted:
        text = texts.get(path) or path.read_text()
        text = text.replace(begin.rstrip() + end, begin + end)  # an empty one, as ruff writes it
        head, found, rest = text.partition(begin)
        if not found:
            raise ToolError(f"{path.relative_to(_PACKAGE)} lacks {begin.rstrip()}{end.rstrip()}")
        behind = ("\n" + rest).partition("\n" + end)[2]
        texts[path] = head + begin + lines + end + behind
    return texts


def main(arguments):
    """Write the tables; with --check only say whether they are as they must be."""
    try:
        made = tables()
    except ToolError as error:
        raise SystemExit(f"kernel_tables: {error}") from None
    old = [path for path, text in made.items() if path.read_text() != text]
    for path in old:
        name = Path("modules", "tflm", path.relative_to(_PACKAGE))
        if "--check" in arguments:
            raise SystemExit(f"kernel_tables: {name} is old; run: make tables")
        path.write_text(made[path])
        print(f"wrote {name}")


if __name__ == "__main__":
    main(sys.argv[1:])
