# tflm: Init and Prepare of every node, in TFLM's phases; the same on boards and on the host
# MIT license; Copyright (c) 2026 the tflm authors

from .context import INIT, INVOKE, MEMORY_PLANNING, PREPARE
from .custom_op import CustomNode
from .errors import UnsupportedError

_CUSTOM = 32


# Init all nodes, prepare all nodes, then plan the memory. The context's storage must have
# started the model. Returns {node number: CustomNode}.
def prepare_model(model, context, resolver, keep_tensors=False):
    if len(model.subgraphs) > 1:
        raise UnsupportedError(
            "the model has %d sub-graphs, and no operator that runs one is there yet; "
            "convert it without control flow" % len(model.subgraphs)
        )
    subgraph = model.subgraphs[0]
    context.enter(INIT)
    custom = {}
    for i in range(subgraph.nodes_length()):
        node = subgraph.node(i)
        if node.builtin_code == _CUSTOM:
            context.node = node
            custom[node.index] = CustomNode(context, node, resolver.custom(node.custom_name))
    context.enter(PREPARE)
    for i in range(subgraph.nodes_length()):
        node = subgraph.node(i)
        context.node = node
        if node.index in custom:
            custom[node.index].prepare(context)
        else:
            resolver.builtin(node.builtin_code).prepare(context, node)
        context.storage.sections.reset_temp_allocations()
    context.enter(MEMORY_PLANNING)
    context.storage.finish_model_allocation(keep_tensors)
    context.enter(INVOKE)
    return custom
