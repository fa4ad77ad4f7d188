# tflm_tools: facts of a kernel file, from its line "# Kernel:" (docs/develop/write-a-kernel.md)
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
    """Facts of a file of kernels/, which its twins for an instruction set share.

    types: of the tensors that it computes with; "any" of them, or "packed" weights. package: the
    one for mip that has it. check: the file of extents/ that knows its records. group: units may
    run at the same time on two cores, in groups of so many; 0: they may not. order: {function:
    what its units go through in order}, for those whose output may lie over their input. weights:
    what packed ones take. target: of `tflm flatten`, where Prepare names the file for no other.
    """

    name: str
    types: tuple[str, ...]
    package: str
    check: str
    group: int = 0
    order: dict[str, str] = field(default_factory=dict)
    weights: str = ""
    target: str = ""


# The functions of a kernel file that a record can name, also by another name of one.
def _functions(source):
    return sorted(set(re.findall(r"^def (eval\w*)|^(eval\w*) = ", source, re.M)))


def _wrong(name, what):
    return ToolError(f"kernels/{name}.py: {what}; see docs/develop/write-a-kernel.md")


# {function: one of ORDERS} of "rows", or of "rows in eval_int8, pixels in eval_pixels_int8".
def _order(text, functions, name):
    found = {}
    for part in filter(None, text.split(", ")):
        way, _, function = part.partition(" in ")
        if way not in ORDERS or function and function not in functions:
            raise _wrong(name, f"'order {text}' is no order of its functions")
        found.update(dict.fromkeys([function] if function else functions, way))
    return found


# How many units form a group: of "independent" 1, of "independent by 4" 4.
def _group(text, name):
    match = re.fullmatch(r"independent(?: by (\d+))?|", text)
    if match is None:
        raise _wrong(name, f"'units {text}' is neither 'units independent' nor 'independent by N'")
    return int(match[1] or 1) if text else 0


def parse(name, source):
    """The KernelFile of a source, None for one without functions eval...; raises ToolError."""
    functions = ["".join(names) for names in _functions(source)]
    head = re.search(r"^# Kernel: (.*(?:\n#   .*)*)", source, re.M)
    if not functions or head is None:
        if functions or head:
            lacks = "the line '# Kernel: ...'" if functions else "functions eval..."
            raise _wrong(name, f"lacks {lacks}")
        return None
    said = re.sub(r"\n#  ", "", head[1]).split("; ")
    facts = dict(part.split(" ", 1) for part in said if " " in part)
    if len(facts) != len(said) or not set(_KEYS[:3]) <= set(facts) <= set(_KEYS):
        raise _wrong(name, f"'# Kernel: {'; '.join(said)}' is not made of {', '.join(_KEYS)}")
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
    """{name: KernelFile} of all portable kernel files, by name. Raises ToolError."""
    found = {}
    for path in sorted(KERNELS.glob("*.py")):
        made = parse(path.stem, path.read_text())
        if made is not None:
            found[path.stem] = made
    return found


@cache
def in_order(way):
    """Kernels ("file.function") that go through one of ORDERS in ascending order."""
    return {
        f"{name}.{function}"
        for name, made in kernel_files().items()
        for function, its_way in made.order.items()
        if its_way == way
    }


@cache
def with_weights(*ways):
    """Names of kernel files whose packed weights take one of WEIGHTS."""
    return tuple(name for name, made in kernel_files().items() if made.weights in ways)
