# tflm_tools: channel_parts: lets depthwise filters read channels of a kept window without copies
# MIT license; Copyright (c) 2026 the tflm authors

from ..model.schema import BuiltinOperator
from .aliases import copies_of
from .emissions import emissions

_SPLITS = (BuiltinOperator.SPLIT, BuiltinOperator.SPLIT_V)
_READER = "depthwise_column.eval_int8"  # the kernel that can read channels with a stride
_REASON = "the filters read these channels in place"


def apply(graph):
    """Let filters read a range of channels of a window in place; returns a list of Saving.

    A layer with filters of several lengths splits the channels of a window, and uses the last
    rows of each range of channels. The kernel of DEPTHWISE_CONV_2D for a window of one column
    reads bytes with any stride, so it needs no copy of its channels. This is done only for the
    variable tensors that the pass ring_buffers makes, because no other tensor shares their memory.
    """
    from .passes import Saving

    found = []
    for subgraph in graph.running():
        for node in [node for node in subgraph.nodes if node.builtin_code in _SPLITS]:
            removed = _read_in_place(subgraph, node)
            size = sum(t.nbytes() for each in removed for t in each.outputs)
            origins = tuple(number for each in removed for number in each.origins)
            if removed:
                found.append(Saving("channel_parts", origins, 0, size, _REASON))
    return found


# Make the outputs of a SPLIT views of its window, and remove the operators that copy them. Returns
# the removed operators, [] if the SPLIT has to stay.
def _read_in_place(subgraph, split):
    window = next((t for t in split.inputs if t.is_variable), None)
    if window is None or len(window.shape) != 4:
        return []
    channels = window.shape[3]
    removed, views, first = [split], [], 0
    for output in split.outputs:
        if output.shape[:3] != window.shape[:3]:
            return []
        for reader in subgraph.consumers(output):
            rows = _rows(reader, output)
            if rows is None:
                views.append((output, first))
            else:
                removed.append(reader)
                views.append((reader.outputs[0], first + rows // output.shape[3] * channels))
        first += output.shape[3]
    for tensor, offset in views:
        tensor.view_of, tensor.step = (window, offset), channels
    if views and all(_may_have_stride(subgraph, tensor, removed) for tensor, _ in views):
        for node in removed:
            subgraph.remove(node)
        return removed
    for tensor, _ in views:
        tensor.view_of = tensor.step = None
    return []


# The byte offset of the rows that an operator copies from a tensor; None for any other operator.
def _rows(node, tensor):
    copies = copies_of(node)
    if not copies or len(copies) > 1 or node.outputs[0].shape[2:] != tensor.shape[2:]:
        return None
    return copies[0].source_offset


# True when all remaining readers of a tensor can read its channels with a stride.
def _may_have_stride(subgraph, tensor, removed):
    readers = [node for node in subgraph.consumers(tensor) if node not in removed]
    return not subgraph.is_output(tensor) and all(
        node.builtin_code == BuiltinOperator.DEPTHWISE_CONV_2D
        and [emission.kernel for emission in emissions(node)] == [_READER]
        for node in readers
    )
