# tflm_tools: kernel_files: reads the facts in the "# Kernel:" headers of kernel files
# MIT license; Copyright (c) 2026 the tflm authors

import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import tflm

from .errors import ToolError

KERNELS = Path(tflm.__file__).parent / "kernels"
PACKAGES = ("core", "cnn", "rnn", "more", "signal", "types", "learn")
TYPES = ("int8", "uint8", "int16", "int32", "int64", "uint32", "bool", "float16", "float32")
TYPES += ("any", "packed")
ORDERS = ("rows", "windows", "pixels", "vectors", "channels", "planes", "elements", "place")
ORDERS += ("steps", "blocks")
WEIGHTS = ("twice", "table")
_KEYS = ("types", "package", "check", "units", "order", "weights", "target")


@dataclass(frozen=True)
class KernelFile:
    """The facts of a portable kernel file and of its overrides.

    types: of its tensors; "any" for all types, "packed" for packed weights. package: the mip
    package that contains it. check: the file of access_checks/ for its records. group: two cores
    may run its units at the same time in groups of this size; 0: they may not. order: {function:
    one of ORDERS}, for functions whose output may overlap their input. weights: one of WEIGHTS if
    the file has packed weights, else "". target: the only target of `tflm flatten` for which
    Prepare uses the file, or "".
    """

    name: str
    types: tuple[str, ...]
    package: str
    check: str
    group: int = 0
    order: dict[str, str] = field(default_factory=dict)
    weights: str = ""
    target: str = ""


# The functions of a kernel file that a record can name, aliases included.
def _functions(source):
    return sorted(set(re.findall(r"^def (eval\w*)|^(eval\w*) = ", source, re.M)))


def _wrong(name, what):
    return ToolError(f"kernels/{name}.py: {what}; see docs/develop/write-a-kernel.md")


# {function: one of ORDERS} of "rows", or of "rows in eval_int8, pixels in eval_pixels_int8".
def _order(text, functions, name):
    found = {}
    for entry in filter(None, text.split(", ")):
        order, _, function = entry.partition(" in ")
        if order not in ORDERS or function and function not in functions:
            raise _wrong(name, f"'order {text}' is not an order of its functions")
        found.update(dict.fromkeys([function] if function else functions, order))
    return found


# The number of units in a group: 1 of "independent", 4 of "independent by 4".
def _group(text, name):
    match = re.fullmatch(r"independent(?: by (\d+))?|", text)
    if match is None:
        raise _wrong(name, f"'units {text}' is neither 'units independent' nor 'independent by N'")
    return int(match[1] or 1) if text else 0


def parse(name, source):
    """Return the KernelFile of a source, None if it has no functions eval...; raises ToolError.

    name: of the file, without .py.
    """
    functions = ["".join(names) for names in _functions(source)]
    head = re.search(r"^# Kernel: (.*(?:\n#   .*)*)", source, re.M)
    if not functions or head is None:
        if functions or head:
            lacks = "the line '# Kernel: ...'" if functions else "functions eval..."
            raise _wrong(name, f"lacks {lacks}")
        return None
    entries = re.sub(r"\n#  ", "", head[1]).split("; ")
    facts = dict(entry.split(" ", 1) for entry in entries if " " in entry)
    if len(facts) != len(entries) or not set(_KEYS[:3]) <= set(facts) <= set(_KEYS):
        raise _wrong(name, f"'# Kernel: {'; '.join(entries)}' must consist of {', '.join(_KEYS)}")
    for key, known in (("types", TYPES), ("package", PACKAGES), ("weights", ("", *WEIGHTS))):
        words = facts.get(key, "").split(" ")
        if not set(words) <= set(known) or key == "package" and len(words) > 1:
            raise _wrong(name, f"'{key} {facts.get(key, '')}' is not among {', '.join(known)}")
    return KernelFile(
        name, tuple(facts["types"].split()), facts["package"], facts["check"],
        _group(facts.get("units", ""), name), _order(facts.get("order", ""), functions, name),
        facts.get("weights", ""), facts.get("target", ""),
    )  # fmt: skip


@cache
def kernel_files():
    """Return {name: KernelFile} of all portable kernel files. Raises ToolError."""
    found = {}
    for path in sorted(KERNELS.glob("*.py")):
        file = parse(path.stem, path.read_text())
        if file is not None:
            found[path.stem] = file
    return found


@cache
def kernels_in_order(order):
    """Return the kernels ("file.function") that compute their output in one of ORDERS."""
    return {
        f"{name}.{function}"
        for name, file in kernel_files().items()
        for function, its_order in file.order.items()
        if its_order == order
    }


@cache
def files_with_weights(*kinds):
    """Return the names of kernel files whose packed weights are one of these kinds of WEIGHTS."""
    return tuple(name for name, file in kernel_files().items() if file.weights in kinds)
