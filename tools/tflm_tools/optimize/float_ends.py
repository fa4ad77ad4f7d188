# tflm_tools: float_ends: keeps float32 inputs and outputs as the integers that QUANTIZE computes
# MIT license; Copyright (c) 2026 the tflm authors

from tflm import dtypes

from ..model.graph import copy_quantization, root_of
from ..model.schema import BuiltinOperator

_KEPT = (dtypes.INT8, dtypes.INT16)  # the types that FloatTensor of the runtime supports
_REASON = "quantize(), dequantize() and data convert in the same way"


def apply(graph):
    """Remove QUANTIZE after a float32 input and DEQUANTIZE before a float32 output.

    A converter adds these operators, so the largest tensors of a small model need four times their
    bytes in the arena. Here the input or output itself becomes the integer tensor, with a mark
    that the model declares it as float32. A program sets and reads the same real numbers
    (tflm/float_tensor.py). Returns a list of Saving.
    """
    main = graph.running()[0]
    found = [_fold_input(main, tensor) for tensor in main.input_tensors()]
    found += [_fold_output(main, tensor) for tensor in main.output_tensors()]
    return [saving for saving in found if saving is not None]


# Fold an input if all its readers are QUANTIZE to one quantization.
def _fold_input(subgraph, tensor):
    nodes = subgraph.consumers(tensor)
    if not _is_end(subgraph, tensor, subgraph.inputs) or subgraph.is_output(tensor) or not nodes:
        return None
    if any(node.builtin_code != BuiltinOperator.QUANTIZE for node in nodes):
        return None
    quantized = [node.outputs[0] for node in nodes]
    for each in quantized:
        if subgraph.is_output(each) or not _is_kept(each, tensor) or _writers(subgraph, each) != 1:
            return None
    if len({(t.dtype, t.scale_bits(), t.zero_point()) for t in quantized}) != 1:
        return None
    for node, each in zip(nodes, quantized, strict=True):
        subgraph.remove(node)
        for reader in subgraph.consumers(each):
            subgraph.replace_input(reader, each, tensor)
    return _saving(nodes, tensor, quantized[0])


# Fold an output that DEQUANTIZE writes: the input of DEQUANTIZE becomes the output of the model,
# also for its other readers.
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
    producer = subgraph.producer(source)
    producer.outputs = [tensor if t is source else t for t in producer.outputs]
    for reader in subgraph.consumers(source):
        subgraph.replace_input(reader, source, tensor)
    return _saving([node], tensor, source)


# True for a float32 tensor that is in the list `ends` (inputs or outputs) once, and has no other
# role in the model.
def _is_end(subgraph, tensor, ends):
    number = tensor.index - subgraph.first_tensor
    if tensor.dtype != dtypes.FLOAT32 or list(ends).count(number) != 1:
        return False
    is_plain = not tensor.is_constant() and not tensor.is_variable
    return is_plain and _writers(subgraph, tensor) == (0 if ends is subgraph.inputs else 1)


# True if the tensor `integers` can replace the float32 tensor `tensor`.
def _is_kept(integers, tensor):
    if integers is None or integers.dtype not in _KEPT or integers.shape != tensor.shape:
        return False
    if integers.is_constant() or integers.is_variable or root_of(integers)[0] is not integers:
        return False
    return integers.scales_length() == 1 and integers.elements() > 0


def _writers(subgraph, tensor):
    return sum(t is tensor for node in subgraph.nodes for t in node.outputs)


# Give the float32 tensor the type and quantization of the integers; its name and number stay.
def _saving(nodes, tensor, integers):
    from .passes import Saving

    size = tensor.nbytes() * len(nodes)
    tensor.dtype = integers.dtype
    copy_quantization(integers, tensor)
    tensor.is_float_end = True
    origins = tuple(number for node in nodes for number in node.origins)
    return Saving("float_ends", origins, 0, size, _REASON)
