# tflm_tools: channel_parts: filters of some channels of a window read them where they lie
# MIT license; Copyright (c) 2026 the tflm authors

from ..model.schema import BuiltinOperator
from .aliases import copies_of
from .probe import emissions

_SPLITS = (BuiltinOperator.SPLIT, BuiltinOperator.SPLIT_V)
_TAKER = "depthwise_column.eval_int8"
_REASON = "the filters read these channels where they lie"


# Layers with filters of several lengths split the channels of a window and take the last rows of
# each part. DEPTHWISE_CONV_2D whose window is a line of pixels goes over any line of bytes, so it
# needs no copy of its channels. Only for windows that ring_buffers keeps: these bytes are there as
# long as the model is, and nothing else is planned to lie over them.
def apply(graph):
    from .passes import Saving

    found = []
    for subgraph in graph.running():
        for node in [node for node in subgraph.nodes if node.builtin_code in _SPLITS]:
            gone = _read_in_place(subgraph, node)
            size = sum(t.nbytes() for each in gone for t in each.outputs)
            origins = tuple(number for each in gone for number in each.origins)
            if gone:
                found.append(Saving("channel_parts", origins, 0, size, _REASON))
    return found


# Let those that read parts of a window read the window; the operators that go, or none.
def _read_in_place(subgraph, split):
    window = next((t for t in split.inputs if t.is_variable), None)
    if window is None or len(window.shape) != 4:
        return []
    channels = window.shape[3]
    gone, parts, first = [split], [], 0
    for output in split.outputs:
        if output.shape[:3] != window.shape[:3]:
            return []
        for reader in subgraph.consumers(output):
            rows = _rows(reader, output)
            if rows is None:
                parts.append((output, first))
            else:
                gone.append(reader)
                parts.append((reader.outputs[0], first + rows // output.shape[3] * channels))
        first += output.shape[3]
    for tensor, offset in parts:
        tensor.view_of, tensor.step = (window, offset), channels
    if parts and all(_is_taken(subgraph, tensor, gone) for tensor, _ in parts):
        for node in gone:
            subgraph.remove(node)
        return gone
    for tensor, _ in parts:
        tensor.view_of = tensor.step = None
    return []


# Where in a tensor the rows begin that an operator copies, in bytes; None for any other operator.
def _rows(node, tensor):
    copies = copies_of(node)
    if not copies or len(copies) > 1 or node.outputs[0].shape[2:] != tensor.shape[2:]:
        return None
    return copies[0].source_offset


# True when all that reads a tensor can do without its being one piece.
def _is_taken(subgraph, tensor, gone):
    readers = [node for node in subgraph.consumers(tensor) if node not in gone]
    return not subgraph.is_output(tensor) and all(
        node.builtin_code == BuiltinOperator.DEPTHWISE_CONV_2D
        and [emission.kernel for emission in emissions(node)] == [_TAKER]
        for node in readers
    )
