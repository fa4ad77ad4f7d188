# Writes the assembler kernels of modules/tflm/kernels: python tools/asm/make.py [TARGET...]
# MIT license; Copyright (c) 2026 the tflm authors

import sys
from importlib import import_module
from pathlib import Path

_HERE = Path(__file__).resolve().parent
_KERNELS = _HERE.parents[1] / "modules" / "tflm" / "kernels"
# Folders beside this file with a files.py: FOR, what the kernels are for, and FILES, a dict of
# names of files: what is in one, and the functions that give its source. COPIES, where there are:
# {name: (folder of kernels/ with the file that it is a copy of, {words: those in their place})}.
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


# The file of another folder with other words, each of which it has once.
def _copy(folder, name, source, words):
    text = (_KERNELS / source / name).read_text()
    for old, new in words.items():
        if text.count(old) != 1:
            raise SystemExit(f"{source}/{name} has {old!r} {text.count(old)} times, not once")
        text = text.replace(old, new)
    head, licence, rest = text.split("\n", 2)
    place = f"{source}/{name}".lstrip("/")
    made = f"# Made by `python tools/asm/make.py {folder}` from kernels/{place}:"
    return f"{head}\n{licence}\n\n{made}\n# change that, not this.\n{rest}"


def generated(folder):
    """[(Path, text)] of the files of a target: a folder beside this file."""
    if str(_HERE.parent) not in sys.path:
        sys.path.insert(0, str(_HERE.parent))
    made = import_module(f"{_HERE.name}.{folder}.files")
    texts = {name: _text(folder, made.FOR, *what) for name, what in made.FILES.items()}
    for name, what in getattr(made, "COPIES", {}).items():
        texts[name] = _copy(folder, name, *what)
    return [(_KERNELS / folder / name, text) for name, text in texts.items()]


if __name__ == "__main__":
    for folder in sys.argv[1:] or TARGETS:
        if folder not in TARGETS:
            raise SystemExit(f"there is no target {folder}; take one of {', '.join(TARGETS)}")
        for path, text in generated(folder):
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
