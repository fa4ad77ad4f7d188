# tflm: Run Init and Prepare of every node in TFLM's phases, on boards and on the host.
# MIT license; Copyright (c) 2026 the tflm authors

from ..errors import ModelError, UnsupportedError
from .call_graph import CALL_ONCE, IF, STABLEHLO_COMPOSITE, WHILE
from .context import CUSTOM, INIT, INVOKE, MEMORY_PLANNING, PREPARE
from .custom_op import CustomNode

_OWN_COPIES = (IF, WHILE, CALL_ONCE, STABLEHLO_COMPOSITE)  # they copy their inputs


# Raise ModelError if a node writes a constant: kernels write to offsets in the arena, where a
# constant has none.
def _check_outputs(node):
    for tensor in node.outputs:
        if tensor is not None and tensor.is_constant():
            raise ModelError("%s writes %s, a constant; the model is damaged" % (node, tensor))


# Init all nodes, prepare all nodes, then plan the memory; return {node number: CustomNode}. The
# context's storage must have started the model. keep: bits of arena.py. guards: see Interpreter.
def prepare_model(model, context, resolver, keep=0, guards=False):
    for i in model.subgraphs[0].inputs:
        tensor = model.subgraphs[0].tensor(i)
        if tensor.is_constant():
            raise ModelError("the input %s is a constant; the model is damaged" % tensor)
    context.enter(INIT)
    custom = {}
    try:
        _prepare_nodes(model, context, resolver, custom)
        context.enter(MEMORY_PLANNING)
        context.storage.finish_model_allocation(keep, guards)
    except BaseException:
        for node in custom.values():
            node.free()
        raise
    context.enter(INVOKE)
    return custom


# Yield (sub-graph, position) of each operator that runs.
def _operators(model):
    for number in model.call_graph().numbers():
        subgraph = model.subgraphs[number]
        for i in range(subgraph.nodes_length()):
            yield subgraph, i


# Return True if an operator overwrites its own input and needs a separate output.
def _is_in_place(subgraph, i):
    inputs, outputs = subgraph.node_indices(i)
    return (
        any([t in inputs and t != -1 for t in outputs])
        and subgraph.node_code(i) not in _OWN_COPIES
        and not any([t for t in subgraph.node(i).outputs if t is not None and t.is_variable])
    )


# Init and Prepare of the nodes. `custom` is filled while they run. Reading a node takes as long as
# preparing it, so Init reads only custom operators.
def _prepare_nodes(model, context, resolver, custom):
    in_place = set()
    for subgraph, i in _operators(model):
        if subgraph.node_code(i) == CUSTOM:
            node = subgraph.node(i)
            if node.refused:
                raise UnsupportedError(node.refused)
            if resolver.shipped(node.custom_name) is None:
                context.node = node
                custom[node.index] = CustomNode(context, node, resolver.custom(node.custom_name))
                custom[node.index].init()
        elif _is_in_place(subgraph, i):
            in_place.add(subgraph.number)
    if in_place:
        from .in_place import SeparateSubgraph

        for number in sorted(in_place):
            model.subgraphs[number] = SeparateSubgraph(model.subgraphs[number])
    context.enter(PREPARE)
    for subgraph, i in _operators(model):
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
