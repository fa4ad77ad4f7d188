# Writes docs/errors.md: every message of tflm's errors, read from the sources, and its remedy
# MIT license; Copyright (c) 2026 the tflm authors

import ast
import re
import sys
from pathlib import Path

_REPOSITORY = Path(__file__).resolve().parents[2]
PAGE = _REPOSITORY / "docs" / "errors.md"
_DEVICE = _REPOSITORY / "modules" / "tflm"
_HOST = _REPOSITORY / "tools" / "tflm_tools"

_HEAD = """# Every error and its remedy

<!-- written by tests/tools/errors_page.py (make docs) from the messages in the sources -->

Each error of tflm is one sentence: what is wrong, where, and, behind the semicolon, what to do. On a board all are instances of `tflm.TflmError`:

| Class | Meaning |
|---|---|
| `ModelError` | the file is no model, is damaged, or contradicts itself |
| `UnsupportedError` | the model is sound, but asks for something that is not there |
| `ArenaError` | memory does not suffice; `.needed` and `.available` are bytes |
| `InputError` | what you have passed does not fit |
| `StateError` | a call at the wrong time |

The command `tflm` prints such a sentence as `tflm: ...` and ends with exit code 1 (2 where it was called wrongly, 130 after Ctrl-C, 143 after SIGTERM). `…` stands for names and numbers. `OSError` for files that cannot be read, and `MemoryError` where your own program has filled the heap, come from MicroPython itself.

What helps most often:

* **the arena is too small**: leave `arena=` out, which takes exactly what is needed; make the `Interpreter` first thing in your program, while the heap is in one piece; flatten with `--optimize ram`, or `--arena-budget` of the bytes that you have ([memory.md](memory.md)).
* **the heap has no room**: a `.tflm` instead of a `.tflite`, in ROMFS or flash instead of a file ([deploy.md](deploy.md)).
* **an operator is not there**: `tflm inspect MODEL` lists all that are missing; [own-model.md](own-model.md) tells how to convert without them, [custom-ops.md](custom-ops.md) how to add them.
* **damaged**: compare the file's size and checksum with the original; copy it again; convert or flatten again.
"""  # noqa: E501

# Sections: (title, prose, files below modules/tflm).
_SECTIONS = (
    (
        "Memory",
        "The arena holds tensors and scratch buffers, the heap everything else.",
        ("arena", "memoryview_cast", "heap"),
    ),
    (
        "Loading a model, and calls of the interpreter",
        "",
        ("loading", "interpreter", "tensor", "introspection/signature", "run/control_flow"),
    ),
    (
        "Flat models (.tflm)",
        "A `.tflm` is made for one version of the format. Damage comes from copying, or from a "
        "file that was not made by `tflm flatten`.",
        ("model", "run/bands", "tflite/flat_custom", "flat_program", "access_checks/__init__",
         "access_checks/record"),
    ),
    (
        "Reading a .tflite",
        "Every offset of the file is checked before it is used. Where an intact file of a current "
        "converter is refused, it is larger or newer than tflm can read.",
        ("tflite/reader", "tflite/flatbuffer", "tflite/flexbuffer", "tflite/graph",
         "tflite/call_graph", "tflite/lifetimes", "tflite/planner", "tflite/allocator",
         "tflite/prepare_model"),
    ),
    (
        "Operators",
        "",
        ("op_resolver", "tflite/context", "tflite/resources", "prepare/common", "prepare/scale"),
    ),
    (
        "While a model runs",
        "Data that came in with the inputs; TFLM's own kernels fail on it, too.",
        ("kernels/broadcast_args", "kernels/detection_postprocess", "kernels/floor_div_float",
         "kernels/floor_div_wide", "kernels/floor_mod_int64", "kernels/gather", "kernels/rsqrt"),
    ),
    ("Other shapes of inputs", "", ("tflite/shapes", "tflite/shape_values")),
    ("Delegates and cores", "", ("run/delegate", "run/cores", "run/second_core")),
)  # fmt: skip

# What to do where the sentence does not say it: beginnings of messages and remedies.
_REMEDIES = (
    ("cannot go from", "call the phases of MicroContext in TFLM's order: init, prepare, invoke"),
    ("… is allowed in", "request buffers in init or prepare, fetch them in invoke"),
    ("…: … was called with", "request a number of bytes in that range"),
    ("…: the layout lacks", "name every field of the layout in emit()"),
    ("…: operand … stands behind", "put operands first in the layout"),
    ("there is no … …; ", ""),
    ("…: … is not supported", "see the parameters of the operator below; convert without them"),
    ("…: … must be constant", "make it a constant of the model, not an input"),
    ("…: … is no resource variable", "convert the model again"),
    ("…: … is never assigned", "initialize it in the model"),
    ("the inputs do not fit together", "give shapes that the operator can take"),
    ("… cannot have the shape", "give a shape with as many elements"),
    ("… elements cannot be split", "give a size that the number of parts divides"),
    ("its sub-graphs give other shapes", "convert the model with fixed shapes"),
    ("tensor '…' has … elements", "pass as many numbers as the shape says"),
    ("tensor '…' has the shape", "nest the numbers as the shape says, or pass a flat list"),
    ("lists side by side", "nest the numbers as the tensor's shape says, or pass a flat list"),
    ("tensor '…' got a NaN", "clean the data; there is no integer for it"),
    ("the model names the kernel", "flatten the model again"),
    ("the model has no tensor", "convert the model again"),
    ("this model has", "convert the model again"),
    ("the arena size is", "pass the bytes that the model needs, or None"),
    ("add_builtin takes", "pass what it takes"),
    ("add_custom takes", "pass what it takes"),
    ("…: … holds …, input", "save an array of the input's type, or real numbers"),
    ("…: … has values that are no", "check the values, or save real numbers"),
    ("…: the inputs of the model take batches", "make the batch of all inputs the same"),
    ("… itself does not run", "only tflm's own result is to be had; leave this model out"),
    ("TFLM itself does not run", "only tflm's own result is to be had; leave this model out"),
    ("mpy-cross does not compile", "tell us; the kernel file and the arch are named"),
    ("cannot make the folder", "check the path and its rights"),
    ("tensor '…' is …, which has no array", "keep the model on the board, or change its type"),
    ("--resolver, --manifest and --arch need", "name the model"),
    ("… does not run on tflm", "change the operators that it names, or add them"),
)
_OWN = re.compile(r"[A-Z]\w*Error$")
_SHOWN = (
    "ToolError",
    "DeviceError",
    "UsageError",
    "OracleError",
    "UnsupportedError",
    "ModelError",
)
_PYTHONS = ("ValueError", "ImportError", "AttributeError", "TypeError", "OSError", "NameError")


# The text of an expression with … for what is put in; None for what is no text.
def _text(node):
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(part) or "…" for part in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        left = _text(node.left)
        return left and re.sub(r"%(?!%)[^a-z]*[a-z]", "…", left).replace("%%", "%")
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        parts = _text(node.left), _text(node.right)
        return "".join(part or "…" for part in parts) if any(parts) else None
    return None


# How a file's messages about damage begin.
def _damaged_start(path):
    if "flex" in path.stem:
        return "the custom options are damaged"
    return "the model is damaged" if "buffer" in path.stem else "the .tflm is damaged"


# Messages of a file: (class, text), in the order of the lines.
def messages(path):
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        text = _text(node.args[0])
        if text and text.startswith("… (on"):
            continue  # what a board has said, with its port
        if _OWN.match(name) and name not in _PYTHONS and text:
            found.append((node.lineno, name, text))
        elif name in ("damaged", "_damaged") and text:
            found.append((node.lineno, "ModelError", f"{_damaged_start(path)}: {text}"))
    found.sort()
    return list(dict.fromkeys((name, text) for _, name, text in found))


# What to do about a message: its own words, or those of the table.
def remedy(text):
    for start, words in _REMEDIES:
        if text.startswith(start) and words:
            return words
    if ";" in text:
        return text.split("; ", 1)[1]
    if " damaged: " in text:
        return "get an intact copy, or make the file again"
    return ""


# What operators refuse: {file: ([contradictions], [what is not supported])}.
def operator_checks():
    found = {}
    for path in sorted((_DEVICE / "prepare").glob("*.py")):
        checks, supports = [], []
        for node in ast.walk(ast.parse(path.read_text())):
            name = getattr(getattr(node, "func", None), "id", None) or getattr(
                getattr(node, "func", None), "attr", None
            )
            text = (
                _text(node.args[2])
                if name in ("check", "support") and len(node.args) > 2
                else None
            )
            if text:
                text = re.sub(r"%(?!%)[^a-z]*[a-z]", "…", text)
                (checks if name == "check" else supports).append(text)
        if checks or supports:
            found[path.stem] = sorted(set(checks)), sorted(set(supports))
    return found


# A table of messages and remedies.
def _table(rows):
    lines = ["| Error | Message | What to do |", "|---|---|---|"]
    for name, text in rows:
        said = text.split("; ", 1)[0].replace("|", "\\|")
        lines.append(f"| `{name}` | {said} | {remedy(text)} |")
    return "\n".join(lines) + "\n"


# Files with messages that no section names.
def _others():
    named = {file for _, _, files in _SECTIONS for file in files}
    for path in sorted(_DEVICE.rglob("*.py")):
        file = path.relative_to(_DEVICE).with_suffix("").as_posix()
        if file not in named and not file.startswith("prepare/") and messages(path):
            yield file


def page():
    """The whole page, as text."""
    parts = [_HEAD]
    for title, prose, files in (*_SECTIONS, ("More", "", tuple(_others()))):
        rows = []
        for file in files:
            path = _DEVICE / f"{file}.py"
            rows += [row for row in messages(path) if row not in rows] if path.exists() else []
        if rows:
            parts.append(f"## {title}\n\n" + (prose + "\n\n" if prose else "") + _table(rows))
    parts.append(
        "## What Prepare refuses\n\nEvery operator checks its tensors and parameters before it "
        "may run. A message begins with the operator and its number, which `tflm inspect` shows, "
        "too. A *contradiction* (`ModelError`) means a damaged file or a defect of the converter: "
        "convert again. What is *not supported* (`UnsupportedError`) TFLM does not have either, "
        "with few exceptions ([ops.md](ops.md)): change the layer or its types.\n"
    )
    rows = ["| Operators of | Contradictions | Not supported |", "|---|---|---|"]
    for file, (checks, supports) in operator_checks().items():
        cells = ["; ".join(texts).replace("|", "\\|") for texts in (checks, supports)]
        rows.append(f"| `{file}` | {cells[0]} | {cells[1]} |")
    parts.append("\n".join(rows) + "\n")
    rows = []
    for path in sorted(_HOST.rglob("*.py")):
        rows += [row for row in messages(path) if row not in rows and row[0] in _SHOWN]
    parts.append("## The command `tflm`\n\n" + _table(rows))
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page())
    print(f"wrote {PAGE.relative_to(_REPOSITORY)}")
    sys.exit(0)
