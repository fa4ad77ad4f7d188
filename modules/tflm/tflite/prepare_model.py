# tflm: Init and Prepare of every node, in TFLM's phases; the same on boards and on the host
# MIT license; Copyright (c) 2026 the tflm authors

from ..errors import ModelError, UnsupportedError
from .call_graph import CALL_ONCE, IF, WHILE
from .context import CUSTOM, INIT, INVOKE, MEMORY_PLANNING, PREPARE
from .custom_op import CustomNode

_OWN_COPIES = (IF, WHILE, CALL_ONCE)  # of their inputs


# Kernels write outputs into the arena at the offset that Prepare gives them: a constant of the
# model has none there.
def _check_outputs(node):
    for tensor in node.outputs:
        if tensor is not None and tensor.is_constant():
            raise ModelError("%s writes %s, a constant; the model is damaged" % (node, tensor))


# Init all nodes, prepare all nodes, then plan the memory. The context's storage must have
# started the model. `keep_tensors`, `guards`: how memory is planned, as Interpreter is told.
# Returns {node number: CustomNode}.
def prepare_model(model, context, resolver, keep_tensors=False, guards=False):
    for i in model.subgraphs[0].inputs:
        tensor = model.subgraphs[0].tensor(i)
        if tensor.is_constant():
            raise ModelError("the input %s is a constant; the model is damaged" % tensor)
    context.enter(INIT)
    custom = {}
    try:
        _prepare_nodes(model, context, resolver, custom)
        context.enter(MEMORY_PLANNING)
        context.storage.finish_model_allocation(keep_tensors, guards)
    except BaseException:
        for node in custom.values():
            node.free()
        raise
    context.enter(INVOKE)
    return custom


# The number of each operator of the sub-graphs that run, with its sub-graph.
def _places(model):
    for number in model.call_graph().numbers():
        subgraph = model.subgraphs[number]
        for i in range(subgraph.nodes_length()):
            yield subgraph, i


# True for an operator that writes over its own input, and minds.
def _is_in_place(subgraph, i):
    inputs, outputs = subgraph.node_indices(i)
    return (
        any([t in inputs and t != -1 for t in outputs])
        and subgraph.node_code(i) not in _OWN_COPIES
        and not any([t for t in subgraph.node(i).outputs if t is not None and t.is_variable])
    )


# Init and Prepare of the nodes; `custom` is filled as custom operators come into being. Reading a
# node takes as long as preparing it, so Init does that for custom ones only.
def _prepare_nodes(model, context, resolver, custom):
    in_place = set()
    for subgraph, i in _places(model):
        if subgraph.node_code(i) == CUSTOM:
            node = subgraph.node(i)
            if node.refused:
                raise UnsupportedError(node.refused)
            if resolver.shipped(node.custom_name) is None:
                context.node = node
                custom[node.index] = CustomNode(context, node, resolver.custom(node.custom_name))
        elif _is_in_place(subgraph, i):
            in_place.add(subgraph.number)
    if in_place:
        from .in_place import SeparateSubgraph

        for number in sorted(in_place):
            model.subgraphs[number] = SeparateSubgraph(model.subgraphs[number])
    context.enter(PREPARE)
    for subgraph, i in _places(model):
        node = subgraph.node(i)
        if node.refused:
            raise UnsupportedError(node.refused)
        _check_outputs(node)
        context.node = node
        context.storage.step_list = subgraph.number
        if node.index in custom:
            custom[node.index].prepare(context)
        elif node.builtin_code == CUSTOM:
            resolver.shipped(node.custom_name).prepare(context, node)
        else:
            resolver.builtin(node.builtin_code).prepare(context, node)
        context.storage.sections.reset_temp_allocations()
