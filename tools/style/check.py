# Checks the language of the sources beyond words: names, comments, and long Markdown lines
# MIT license; Copyright (c) 2026 the tflm authors

"""`make lint` runs this: tools/style/check.py [PATH...]; without a path it checks every file.

Three rules of docs/develop/style.md: no everyday noun as a name, no comment that needs the comment
above it, no line of Markdown over 1,000 characters. Prints FILE:LINE: what is wrong; the remedy.
"""

import ast
import re
import subprocess
import sys
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[2]
_NAMES = {
    "form", "forms", "made", "part", "parts", "place", "places", "room", "rooms", "told", "untold",
    "way", "ways",
}  # fmt: skip
_MAX_MARKDOWN_LINE = 1000

# Names that stay, because they are options of the Python API or keys of JSON: {file: names}. The
# workers of converters/ get their keywords from process.py as JSON.
_PUBLIC = {
    "firmware/sizes.py": ("part",),  # a column of sizes.csv
    "tools/tflm_tools/arena/arena_plan.py": ("parts",),
    "tools/tflm_tools/board/deploy.py": ("place",),
    "tools/tflm_tools/check/verify.py": ("form",),
    "tools/tflm_tools/converters/convert.py": ("form", "made"),
    "tools/tflm_tools/converters/litert_worker.py": ("form",),
    "tools/tflm_tools/converters/onnx_worker.py": ("form",),
    "tools/tflm_tools/converters/pytorch_worker.py": ("form",),
    "tools/tflm_tools/converters/tensorflow_worker.py": ("form",),
    "tools/tflm_tools/execution/run.py": ("form",),
    "tools/tflm_tools/inspection/allocations.py": ("form", "parts"),
    "tools/tflm_tools/measure/hardware.py": ("place",),
    "tools/tflm_tools/requirements/files.py": ("form",),
}


def _defined_names(tree):
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.lineno, node.name
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.id if isinstance(node, ast.Name) else node.attr


def _python_faults(path, text):
    allowed = _PUBLIC.get(path.as_posix(), ())
    for line, name in _defined_names(ast.parse(text)):
        if name.strip("_").lower() in _NAMES and name not in allowed:
            yield line, f"the name {name} says nothing; take the field's term"
    for line, words in enumerate(text.splitlines(), 1):
        if re.search(r"[#] The same\b", words):
            yield line, "a comment that needs the comment above it; say what this code does"


def _faults(path):
    text = (_ROOT / path).read_text()
    if path.suffix == ".py":
        yield from _python_faults(path, text)
    if path.suffix == ".md":
        for line, words in enumerate(text.splitlines(), 1):
            if len(words) > _MAX_MARKDOWN_LINE:
                yield line, f"a line of {len(words)} characters; split the paragraph"


def main(paths):
    """Print each fault in the files that git tracks below `paths`; return 1 if there is one."""
    listed = subprocess.check_output(["git", "ls-files", "*.py", "*.md"], cwd=_ROOT, text=True)
    chosen = [Path(name) for name in listed.splitlines() if (_ROOT / name).exists()]
    if paths:
        roots = [Path(path).resolve() for path in paths]
        chosen = [p for p in chosen if any((_ROOT / p).is_relative_to(root) for root in roots)]
    count = 0
    for path in chosen:
        for line, fault in _faults(path):
            print(f"{path}:{line}: {fault}")
            count += 1
    return int(count > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
