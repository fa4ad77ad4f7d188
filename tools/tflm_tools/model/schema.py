# tflm_tools: schema: operator codes and option fields by their names in the TFLite schema
# MIT license; Copyright (c) 2026 the tflm authors

from enum import IntEnum
from importlib import import_module

from tflm.introspection.op_names import NAMES, name
from tflm.prepare.table import OPS

# BuiltinOperator.CONV_2D ...: NAMES lists the operators in the order of their codes.
BuiltinOperator = IntEnum("BuiltinOperator", NAMES.split(), start=0)


def option(node, field, kind, default=0):
    """Return a field of a node's options.

    field: its name in the schema, in capitals, as the operator's file in tflm/prepare/ defines
    it. kind: its type, a code of tflm.tflite.flatbuffer. default: the value if the file lacks the
    field. Raises AttributeError for a name that Prepare does not define.
    """
    prepare = import_module(f"tflm.prepare.{OPS[node.builtin_code]}")
    return node.options(prepare._OPTIONS).get(getattr(prepare, f"_{field}"), kind, default)


def op_name(node):
    """Return the name of a node's operator; for a custom operator, its custom name."""
    return node.custom_name or name(node.builtin_code)


def compiled_operator_remedy(name):
    """Return the remedy for a custom operator that compilers or converters add, "" if unknown."""
    if name == "edgetpu-custom-op":
        return "the model was compiled for an Edge TPU: use the file from before the compiler"
    if name == "ethos-u":
        return "the model was compiled for an Ethos-U: use the file from before vela"
    if name == "NeutronGraph":
        return "the model was compiled for the Neutron NPU of NXP: use the file from before that"
    if name == "vsi-npu":
        return "the model was compiled for an NPU of VeriSilicon: use the file from before that"
    if name.startswith("XC_"):
        return "the model was compiled for XMOS: use the file from before the compiler"
    if name.startswith("tftext:"):
        return "it computes with text: do this step in Python and give the model numbers"
    if name.startswith("ONNX_"):
        return (
            "onnx2tf found no operator of LiteRT for it: replace this layer in the ONNX model, "
            "or register it with --custom FILE"
        )
    if name.startswith("Flex"):
        return "convert with OpsSet.TFLITE_BUILTINS only, and see what the converter reports"
    return ""
