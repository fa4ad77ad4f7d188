# tflm_tools: an operator once more, with other tensors
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.tflite.graph import Node


def copied(node, inputs, outputs):
    """A node that does the same with other tensors."""
    code, version = node.builtin_code, node.version
    part = Node(node.index, code, version, node.custom_name, inputs, outputs)
    part.set_options(node._options_type, node._options)
    part.clamp, part.padding, part.part_of = node.clamp, node.padding, node.part_of
    part.origins = getattr(node, "origins", (node.index,))
    return part
