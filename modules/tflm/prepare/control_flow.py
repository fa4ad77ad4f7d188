# tflm: operators that run sub-graphs: Prepare (TFLM if.cc, while.cc, call_once.cc)
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from ..dtypes import const
from .common import check
from .reshape import COPY

_IF = const(118)
_WHILE = const(119)
_IF_OPTIONS = const(92)  # IfOptions
_THEN_SUBGRAPH_INDEX = const(0)
_ELSE_SUBGRAPH_INDEX = const(1)
_WHILE_OPTIONS = const(93)  # WhileOptions
_COND_SUBGRAPH_INDEX = const(0)
_BODY_SUBGRAPH_INDEX = const(1)
_CALL_ONCE_OPTIONS = const(103)  # CallOnceOptions
_INIT_SUBGRAPH_INDEX = const(0)
_STABLEHLO_COMPOSITE = const(206)
_COMPOSITE_OPTIONS = const(277)  # StableHLOCompositeOptions
_DECOMPOSITION_SUBGRAPH_INDEX = const(1)

IF = (
    "condition", "then_inputs", "then_graph", "then_outputs",
    "else_inputs", "else_graph", "else_outputs",
)  # fmt: skip
WHILE = (
    "condition", "inputs", "condition_graph",
    "body_inputs", "body_graph", "body_outputs", "condition_again",
)  # fmt: skip
CALL_ONCE = ("condition", "graph")


# Sub-graphs have their own tensors: inputs and outputs are copied, as in TFLM.
def prepare(context, node):
    if node.builtin_code == _IF:
        _prepare_if(context, node)
    elif node.builtin_code == _WHILE:
        _prepare_while(context, node)
    elif node.builtin_code == _STABLEHLO_COMPOSITE:
        _prepare_composite(context, node)
    else:
        check(not node.inputs and not node.outputs, node, "it has inputs or outputs")
        graph = node.options(_CALL_ONCE_OPTIONS).get(_INIT_SUBGRAPH_INDEX, "i")
        check(not len(context.subgraph(graph).inputs), node, "sub-graph %d has inputs" % graph)
        context.emit("control.call_once", CALL_ONCE, 1, condition=None, graph=graph)


# Both branches get the inputs after the condition and compute all outputs.
def _prepare_if(context, node):
    condition = node.input(0)
    _check_condition(node, condition)
    options = node.options(_IF_OPTIONS)
    lists = {}
    for name, field in (("then", _THEN_SUBGRAPH_INDEX), ("else", _ELSE_SUBGRAPH_INDEX)):
        lists.update(_branch(context, node, name, options.get(field, "i"), node.inputs[1:]))
    context.emit("control.if", IF, 1, condition=condition, **lists)


# A composite operator of a newer converter names a sub-graph with its decomposition. It runs like
# an IF whose condition is a constant, with empty lists for the other branch.
def _prepare_composite(context, node):
    number = node.options(_COMPOSITE_OPTIONS).get(_DECOMPOSITION_SUBGRAPH_INDEX, "i")
    lists = _branch(context, node, "then", number, node.inputs)
    empty = _copies(context, node, (), ())
    lists.update({"else_inputs": empty, "else_graph": empty, "else_outputs": empty})
    context.emit("control.if", IF, 1, condition=context.constant(b"\1"), **lists)


# Return the lists of steps of a branch, by the names of their words in the record.
def _branch(context, node, name, number, node_inputs):
    graph = context.subgraph(number)
    inputs = _tensors(graph, graph.inputs)
    outputs = _tensors(graph, graph.outputs)
    _check_count(node, number, "inputs", inputs, node_inputs)
    _check_count(node, number, "outputs", outputs, node.outputs)
    return {
        name + "_inputs": _copies(context, node, node_inputs, inputs),
        name + "_graph": number,
        name + "_outputs": _copies(context, node, outputs, node.outputs),
    }


# The values of the loop are stored in the outputs; both sub-graphs get copies.
def _prepare_while(context, node):
    options = node.options(_WHILE_OPTIONS)
    condition_graph = options.get(_COND_SUBGRAPH_INDEX, "i")
    body_graph = options.get(_BODY_SUBGRAPH_INDEX, "i")
    graph, body = context.subgraph(condition_graph), context.subgraph(body_graph)
    asked = _tensors(graph, graph.inputs)
    inputs = _tensors(body, body.inputs)
    outputs = _tensors(body, body.outputs)
    _check_count(node, condition_graph, "inputs", asked, node.inputs)
    _check_count(node, body_graph, "inputs", inputs, node.inputs)
    _check_count(node, body_graph, "outputs", outputs, node.outputs)
    check(len(node.outputs) == len(node.inputs), node, "its outputs and inputs differ in number")
    check(len(graph.outputs), node, "sub-graph %d has no output" % condition_graph)
    condition = graph.tensor(graph.outputs[0])
    _check_condition(node, condition)
    first = _copies(context, node, node.inputs + node.inputs, asked + node.outputs)
    context.emit(
        "control.while",
        WHILE,
        1,
        condition=condition,
        inputs=first,
        condition_graph=condition_graph,
        body_inputs=_copies(context, node, node.outputs, inputs),
        body_graph=body_graph,
        body_outputs=_copies(context, node, outputs + node.outputs, node.outputs + asked),
        condition_again=condition_graph,
    )


def _tensors(graph, indices):
    return [graph.tensor(i) for i in indices]


def _check_condition(node, tensor):
    check(
        tensor.dtype == dtypes.BOOL and tensor.elements() == 1,
        node,
        "the condition %s is not one bool" % tensor,
    )


def _check_count(node, number, what, graph, own):
    check(
        len(graph) == len(own),
        node,
        "sub-graph %d has %d %s for %d of the operator" % (number, len(graph), what, len(own)),
    )


# Write a list of steps that copy one row of tensors to another, and return its number. Handles of
# resource variables are not copied.
def _copies(context, node, sources, targets):
    number = context.begin_list()
    for source, target in zip(sources, targets):
        check(source is not None and target is not None, node, "a tensor is left out")
        if source.dtype == dtypes.RESOURCE or context.resources().find(source) is not None:
            continue
        size = source.nbytes()
        check(
            source.dtype == target.dtype and size == target.nbytes(),
            node,
            "%s does not fit %s of the sub-graph" % (source, target),
        )
        check(not target.is_constant(), node, "%s is a constant and cannot be set" % target)
        context.emit(
            "copy.eval_bytes", COPY, size, size // 2, input=source, output=target, size=size
        )
    context.end_list()
    return number
