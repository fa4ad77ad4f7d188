# tflm_tools: operators: lists the operators of tflm
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass

from tflm.introspection.op_names import name
from tflm.prepare.table import CUSTOM, OPS


@dataclass
class Operator:
    """An operator: its code in the schema, its name, and the file that prepares it.

    code: None for an operator that models name as a custom operator, and that tflm provides.
    """

    code: int | None
    name: str
    file: str


def operators():
    """Return all operators of tflm, sorted by name."""
    found = [Operator(code, name(code), f"prepare/{file}.py") for code, file in OPS.items()]
    found += [Operator(None, op, f"prepare/{file}.py") for op, file in CUSTOM.items()]
    return sorted(found, key=lambda operator: operator.name)
