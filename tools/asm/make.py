# Writes the assembler kernels of modules/tflm/kernels: python tools/asm/make.py [TARGET...]
# MIT license; Copyright (c) 2026 the tflm authors

import sys
from importlib import import_module
from pathlib import Path

_HERE = Path(__file__).resolve().parent
_KERNELS = _HERE.parents[1] / "modules" / "tflm" / "kernels"
# Folders beside this file with a files.py: FOR, what the kernels are for, and FILES, a dict of
# names of files: what is in one, and the functions that give its source.
TARGETS = sorted(path.parent.name for path in _HERE.glob("*/files.py"))

_HEAD = """\
# tflm: {about}: assembler for {target}
# MIT license; Copyright (c) 2026 the tflm authors

# Made by `python tools/asm/make.py {folder}` from
# tools/asm/{folder}/{sources}: change that, not this.

import micropython


"""


def _text(folder, target, about, functions):
    names = dict.fromkeys(f"{made.__module__.rpartition('.')[2]}.py" for made in functions)
    head = _HEAD.format(about=about, target=target, folder=folder, sources=", ".join(names))
    return head + "\n\n".join(made() for made in functions)


def generated(folder):
    """[(Path, text)] of the files of a target: a folder beside this file."""
    if str(_HERE.parent) not in sys.path:
        sys.path.insert(0, str(_HERE.parent))
    made = import_module(f"{_HERE.name}.{folder}.files")
    return [
        (_KERNELS / folder / name, _text(folder, made.FOR, *what))
        for name, what in made.FILES.items()
    ]


if __name__ == "__main__":
    for folder in sys.argv[1:] or TARGETS:
        if folder not in TARGETS:
            raise SystemExit(f"there is no target {folder}; take one of {', '.join(TARGETS)}")
        for path, text in generated(folder):
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
