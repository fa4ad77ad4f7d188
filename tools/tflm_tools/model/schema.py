# tflm_tools: codes of operators and fields of their options by the names of TFLite's schema
# MIT license; Copyright (c) 2026 the tflm authors

from enum import IntEnum
from importlib import import_module

from tflm.prepare.table import OPS
from tflm.tell.op_names import NAMES

# BuiltinOperator.CONV_2D and so on: the codes count the names, which are in the schema's order.
BuiltinOperator = IntEnum("BuiltinOperator", NAMES.split(), start=0)


def option(node, field, kind, default=0):
    """The field of a node's options that the schema calls so, as its Prepare reads it.

    field: its name in capitals, as the operator's file in tflm/prepare/ has it; kind: of
    tflm.tflite.flatbuffer. Raises AttributeError for a name that Prepare has not.
    """
    prepare = import_module(f"tflm.prepare.{OPS[node.builtin_code]}")
    return node.options(prepare._OPTIONS).get(getattr(prepare, f"_{field}"), kind, default)
