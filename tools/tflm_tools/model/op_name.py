# tflm_tools: model: the name of an operator, as it is shown
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.tell.op_names import name


def op_name(node):
    """The operator of a node by name, with the custom operator's own."""
    return node.custom_name or name(node.builtin_code)
