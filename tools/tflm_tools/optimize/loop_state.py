# tflm_tools: the values of a WHILE lie once in the arena, where its sub-graphs read them
# MIT license; Copyright (c) 2026 the tflm authors

from collections import Counter

from tflm import dtypes
from tflm.tflite.call_graph import WHILE, callees

from ..model.graph import root_of

_REASON = "nothing changes them while they are read"


# The values of a loop live in its outputs; the condition and the body have copies of them, which
# they only read. What goes round unchanged never differs from what the loop was given, and what
# nobody else reads may be changed where it is. So all of these are one tensor.
def apply(graph):
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


# [(tensor, the one that it becomes)] of a WHILE.
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


# True for a tensor of its own bytes, which no invoke keeps.
def _is_plain(tensor):
    if tensor is None or tensor.is_constant() or tensor.is_variable or not tensor.nbytes():
        return False
    return tensor.dtype != dtypes.RESOURCE and tensor.view_of is None


# True for an input of a sub-graph that nothing there writes, or gives to other outputs than `own`.
def _only_reads(subgraph, tensor, own):
    if not _is_plain(tensor) or sum(t is tensor for t in subgraph.input_tensors()) > 1:
        return False
    if any(t is tensor for node in subgraph.nodes for t in node.outputs):
        return False
    outputs = subgraph.output_tensors()
    return all(k in own or root_of(t)[0] is not tensor for k, t in enumerate(outputs))


# True for an output of a loop that may have the bytes of its input: outputs of a model have others
# than its inputs, and callers of a sub-graph write its inputs while they read what it gives.
def _may_begin_at(subgraph, source, target):
    if subgraph.is_output(target) or source is None or source.is_constant():
        return False
    root = root_of(source)[0]
    writers = sum(t is root for node in subgraph.nodes for t in node.outputs)
    is_plain = not (root.is_variable or root.is_constant() or root.dtype == dtypes.RESOURCE)
    return is_plain and writers == (0 if subgraph.is_input(root) else 1)


# True for what one operator makes and another one, `node`, reads once, and nothing else.
def _is_for_one(subgraph, source, node):
    if source is None or source.view_of is not None:
        return False
    if subgraph.is_input(source) or subgraph.is_output(source):
        return False
    if any(root_of(t)[0] is source for t in subgraph.tensors.values() if t is not source):
        return False
    return [n for n in subgraph.nodes for t in n.inputs if t is source] == [node]
