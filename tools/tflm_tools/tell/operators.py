# tflm_tools: the operators that tflm has
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass

from tflm.prepare.table import OPS
from tflm.tell.op_names import name


@dataclass
class Operator:
    """A builtin operator: its code in the schema, its name, and the file that prepares it."""

    code: int
    name: str
    file: str


def operators():
    """All operators that tflm has, by name."""
    found = [Operator(code, name(code), f"prepare/{file}.py") for code, file in OPS.items()]
    return sorted(found, key=lambda operator: operator.name)
