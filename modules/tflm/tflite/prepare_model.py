# tflm: Init and Prepare of every node, in TFLM's phases; the same on boards and on the host
# MIT license; Copyright (c) 2026 the tflm authors

from ..errors import ModelError, UnsupportedError
from .call_graph import CALL_ONCE, IF, WHILE
from .context import CUSTOM, INIT, INVOKE, MEMORY_PLANNING, PREPARE
from .custom_op import CustomNode

_OWN_COPIES = (CUSTOM, IF, WHILE, CALL_ONCE)


# Kernels write outputs into the arena at the offset that Prepare gives them: a constant of the
# model has none there.
def _check_outputs(node):
    for tensor in node.outputs:
        if tensor is not None and tensor.is_constant():
            raise ModelError("%s writes %s, a constant; the model is damaged" % (node, tensor))


# True for a builtin operator that writes over its own input. Variables are there to be written
# over, and control flow copies its inputs first.
def _is_in_place(node):
    if node.builtin_code in _OWN_COPIES:
        return False
    inputs = [tensor.index for tensor in node.inputs if tensor is not None]
    return any([t for t in node.outputs if t and t.index in inputs and not t.is_variable])


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


# Each node of the sub-graphs that run, with the number of its sub-graph.
def _nodes(model):
    for number in model.call_graph().numbers():
        subgraph = model.subgraphs[number]
        for i in range(subgraph.nodes_length()):
            yield number, subgraph.node(i)


# Init and Prepare of the nodes; `custom` is filled as custom operators come into being.
def _prepare_nodes(model, context, resolver, custom):
    in_place = None
    for _, node in _nodes(model):
        if node.refused:
            raise UnsupportedError(node.refused)
        _check_outputs(node)
        if _is_in_place(node):
            in_place = node
        if node.builtin_code == CUSTOM and resolver.shipped(node.custom_name) is None:
            context.node = node
            custom[node.index] = CustomNode(context, node, resolver.custom(node.custom_name))
    if in_place is not None:
        from .in_place import separate

        separate(model, in_place)
    context.enter(PREPARE)
    for number, node in _nodes(model):
        context.node = node
        context.storage.step_list = number
        if node.index in custom:
            custom[node.index].prepare(context)
        elif node.builtin_code == CUSTOM:
            resolver.shipped(node.custom_name).prepare(context, node)
        else:
            resolver.builtin(node.builtin_code).prepare(context, node)
        context.storage.sections.reset_temp_allocations()
