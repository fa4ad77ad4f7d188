# tflm_tools: loop_state: lets a WHILE and its sub-graphs share one tensor for each loop variable
# MIT license; Copyright (c) 2026 the tflm authors

from collections import Counter

from tflm import dtypes
from tflm.tflite.call_graph import WHILE, callees

from ..model.graph import root_of

_REASON = "nothing changes them while they are read"


def apply(graph):
    """Make tensors of WHILE loops views of each other; returns a list of Saving.

    A loop variable is stored in an output of WHILE. The condition and the body have copies of it.
    1. A copy that its sub-graph only reads becomes a view of the output.
    2. The output becomes a view of the loop's input if the body never changes the variable, or if
       the loop is the only reader of that input.
    """
    from .passes import Saving

    found = []
    called = Counter(
        number
        for subgraph in graph.running()
        for i in range(subgraph.nodes_length())
        for number in set(callees(subgraph, i))
    )
    for subgraph in graph.running():
        for i, node in enumerate(subgraph.nodes):
            if node.builtin_code != WHILE:
                continue
            condition, body = (graph.subgraphs[number] for number in callees(subgraph, i))
            if condition is body or max(called[condition.number], called[body.number]) > 1:
                continue
            size = 0
            for view, base in _views(subgraph, node, condition, body):
                view.view_of = base, 0
                size += view.nbytes()
            if size:
                found.append(Saving("loop_state", node.origins, 0, size, _REASON))
    return found


# [(tensor, the tensor of which it becomes a view)] of a WHILE.
def _views(subgraph, node, condition, body):
    asked, inputs = condition.input_tensors(), body.input_tensors()
    outputs = body.output_tensors()
    found = []
    for k, (source, target) in enumerate(zip(node.inputs, node.outputs, strict=True)):
        if not _is_plain(target) or sum(t is target for t in node.outputs) > 1:
            continue
        if _only_reads(condition, asked[k], ()):
            found.append((asked[k], target))
        stays = False
        if _only_reads(body, inputs[k], (k,)):
            found.append((inputs[k], target))
            stays = root_of(outputs[k])[0] is inputs[k]
        stays = stays or _is_for_one(subgraph, source, node)
        if stays and _may_begin_at(subgraph, source, target):
            found.append((target, source))
    return found


# True for a tensor in the arena that is not a view, and not kept between invokes.
def _is_plain(tensor):
    if tensor is None or tensor.is_constant() or tensor.is_variable or not tensor.nbytes():
        return False
    return tensor.dtype != dtypes.RESOURCE and tensor.view_of is None


# True for an input of a sub-graph that the sub-graph never writes, and that is no output of it,
# except the outputs numbered in `allowed`.
def _only_reads(subgraph, tensor, allowed):
    if not _is_plain(tensor) or sum(t is tensor for t in subgraph.input_tensors()) > 1:
        return False
    if any(t is tensor for node in subgraph.nodes for t in node.outputs):
        return False
    outputs = subgraph.output_tensors()
    return all(k in allowed or root_of(t)[0] is not tensor for k, t in enumerate(outputs))


# True if an output of a loop may share memory with its input. An output of the model may not share
# memory with an input of the model, and a caller reads the outputs of a sub-graph while it writes
# the inputs.
def _may_begin_at(subgraph, source, target):
    if subgraph.is_output(target) or source is None or source.is_constant():
        return False
    root = root_of(source)[0]
    writers = sum(t is root for node in subgraph.nodes for t in node.outputs)
    is_plain = not (root.is_variable or root.is_constant() or root.dtype == dtypes.RESOURCE)
    return is_plain and writers == (0 if subgraph.is_input(root) else 1)


# True for a tensor that has one writer and one reader: `node`, in one of its inputs.
def _is_for_one(subgraph, source, node):
    if source is None or source.view_of is not None:
        return False
    if subgraph.is_input(source) or subgraph.is_output(source):
        return False
    if any(root_of(t)[0] is source for t in subgraph.tensors.values() if t is not source):
        return False
    return [n for n in subgraph.nodes for t in n.inputs if t is source] == [node]
