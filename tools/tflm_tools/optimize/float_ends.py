# tflm_tools: float32 inputs and outputs are kept as the integers that QUANTIZE makes of them
# MIT license; Copyright (c) 2026 the tflm authors

from tflm import dtypes

from ..model.graph import copy_quantization, root_of
from ..model.schema import BuiltinOperator

_KEPT = (dtypes.INT8, dtypes.INT16)  # what FloatTensor of the runtime rounds to
_REASON = "quantize(), dequantize() and data do the same"


# A converter leaves QUANTIZE behind a float32 input and DEQUANTIZE before a float32 output, so the
# largest tensors of a small model lie in the arena in four times their bytes. Here the tensor
# itself becomes the integers, and remembers that the model calls it float32: a program sets and
# reads the same numbers (tflm/float_tensor.py), and the operator goes.
def apply(graph):
    main = graph.running()[0]
    found = [_fold_input(main, tensor) for tensor in main.input_tensors()]
    found += [_fold_output(main, tensor) for tensor in main.output_tensors()]
    return [saving for saving in found if saving is not None]


# All that reads the input makes the same integers of it.
def _fold_input(subgraph, tensor):
    nodes = subgraph.consumers(tensor)
    if not _is_end(subgraph, tensor, subgraph.inputs) or subgraph.is_output(tensor) or not nodes:
        return None
    if any(node.builtin_code != BuiltinOperator.QUANTIZE for node in nodes):
        return None
    made = [node.outputs[0] for node in nodes]
    for each in made:
        if subgraph.is_output(each) or not _is_kept(each, tensor) or _writers(subgraph, each) != 1:
            return None
    if len({(t.dtype, t.scale_bits(), t.zero_point()) for t in made}) != 1:
        return None
    for node, each in zip(nodes, made, strict=True):
        subgraph.remove(node)
        for reader in subgraph.consumers(each):
            subgraph.replace_input(reader, each, tensor)
    return _saving(nodes, tensor, made[0])


# What is made for the output is the output, whoever else reads it.
def _fold_output(subgraph, tensor):
    node = subgraph.producer(tensor)
    if node is None or node.builtin_code != BuiltinOperator.DEQUANTIZE:
        return None
    if not _is_end(subgraph, tensor, subgraph.outputs) or subgraph.consumers(tensor):
        return None
    source = node.inputs[0]
    if not _is_kept(source, tensor) or _writers(subgraph, source) != 1:
        return None
    if subgraph.is_input(source) or subgraph.is_output(source):
        return None
    subgraph.remove(node)
    maker = subgraph.producer(source)
    maker.outputs = [tensor if t is source else t for t in maker.outputs]
    for reader in subgraph.consumers(source):
        subgraph.replace_input(reader, source, tensor)
    return _saving([node], tensor, source)


# A float32 input or output, once in their list, that is nothing else.
def _is_end(subgraph, tensor, ends):
    number = tensor.index - subgraph.first_tensor
    if tensor.dtype != dtypes.FLOAT32 or list(ends).count(number) != 1:
        return False
    is_plain = not tensor.is_constant() and not tensor.is_variable
    return is_plain and _writers(subgraph, tensor) == (0 if ends is subgraph.inputs else 1)


# True for integers that the tensor can be kept as.
def _is_kept(integers, tensor):
    if integers is None or integers.dtype not in _KEPT or integers.shape != tensor.shape:
        return False
    if integers.is_constant() or integers.is_variable or root_of(integers)[0] is not integers:
        return False
    return integers.scales_length() == 1 and integers.elements() > 0


def _writers(subgraph, tensor):
    return sum(t is tensor for node in subgraph.nodes for t in node.outputs)


# The tensor becomes the integers; its name and its number stay.
def _saving(nodes, tensor, integers):
    from .passes import Saving

    size = tensor.nbytes() * len(nodes)
    tensor.dtype = integers.dtype
    copy_quantization(integers, tensor)
    tensor.is_float_end = True
    origins = tuple(number for node in nodes for number in node.origins)
    return Saving("float_ends", origins, 0, size, _REASON)
