# tflm_tools: codes of operators and fields of their options by the names of TFLite's schema
# MIT license; Copyright (c) 2026 the tflm authors

from enum import IntEnum
from importlib import import_module

from tflm.introspection.op_names import NAMES, name
from tflm.prepare.table import OPS

# BuiltinOperator.CONV_2D and so on: the codes count the names, which are in the schema's order.
BuiltinOperator = IntEnum("BuiltinOperator", NAMES.split(), start=0)


def option(node, field, kind, default=0):
    """The field of a node's options that the schema calls so, as its Prepare reads it.

    field: its name in capitals, as the operator's file in tflm/prepare/ has it; kind: of
    tflm.tflite.flatbuffer. Raises AttributeError for a name that Prepare has not.
    """
    prepare = import_module(f"tflm.prepare.{OPS[node.builtin_code]}")
    return node.options(prepare._OPTIONS).get(getattr(prepare, f"_{field}"), kind, default)


def op_name(node):
    """Return the operator of a node by name; for a custom operator, the custom operator's name."""
    return node.custom_name or name(node.builtin_code)


def compiled_operator_remedy(name):
    """Return what to do about a custom operator that a compiler left in a model, "" if unknown."""
    if name == "edgetpu-custom-op":
        return "it was compiled for an Edge TPU: take the file from before the compiler"
    if name == "ethos-u":
        return "it was compiled for an Ethos-U: take the file from before vela"
    if name.startswith("XC_"):
        return "it was compiled for XMOS: take the file from before the compiler"
    if name.startswith("Flex"):
        return "convert with OpsSet.TFLITE_BUILTINS only, and see what the converter says"
    return ""
