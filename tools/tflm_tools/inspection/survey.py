# tflm_tools: survey: prepares a model and continues after missing operators, to list all of them
# MIT license; Copyright (c) 2026 the tflm authors

import re
from dataclasses import dataclass, field

from tflm import dtypes
from tflm.errors import UnsupportedError
from tflm.prepare.table import OPS
from tflm.tflite.context import PREPARE, MicroContext
from tflm.tflite.reader import TfliteModel

from ..image.custom import HostResolver
from ..image.prepare import prepare_graph
from ..image.rom import RomStorage
from ..model.schema import BuiltinOperator, op_name
from .advice import advice_for


@dataclass
class Missing:
    """A reason why a model does not run.

    op: the operator. nodes: the numbers of the operators concerned. advice: what to change in the
    model, "" if `reason` says enough.
    """

    op: str
    reason: str
    nodes: list[int] = field(default_factory=list)
    advice: str = ""


# Raise UnsupportedError for a custom operator with text: registering a kernel does not help.
def _refuse_text(node):
    tensors = [t for t in [*node.inputs, *node.outputs] if t is not None]
    if any(tensor.dtype == dtypes.STRING for tensor in tensors):
        raise UnsupportedError(
            "it computes with text, which tflm's tensors cannot hold; do this step in Python and "
            "give the model numbers"
        )


# Prepare each node; returns [(operator name, node number, reason)] of the nodes that tflm refuses.
def _prepare_each(model, context, resolver):
    refused = []
    for subgraph in (model.subgraphs[k] for k in model.call_graph().numbers()):
        context.storage.step_list = subgraph.number
        for i in range(subgraph.nodes_length()):
            number = subgraph.node_number(i)
            op = "unreadable"
            try:
                node = subgraph.node(i)
                op = op_name(node)
                context.node = node
                if node.refused:
                    raise UnsupportedError(node.refused)
                if node.builtin_code == BuiltinOperator.CUSTOM:
                    shipped = resolver.shipped(node.custom_name)
                    if shipped is None:
                        _refuse_text(node)
                        resolver.custom(node.custom_name)
                    else:
                        shipped.prepare(context, node)
                elif node.builtin_code in OPS:
                    resolver.builtin(node.builtin_code).prepare(context, node)
                else:
                    refused.append((op, number, f"tflm has no operator {op}"))
            except UnsupportedError as error:
                refused.append((op, number, str(error).removeprefix(f"op {number} {op}: ")))
    return refused


_DEPENDS = re.compile("the shape of .* is not known")


# One entry for each operator and reason; reasons that differ only in the tensor are equal.
# Operators that are refused because of an operator before them are only counted.
def _gather(refused):
    found = {}
    causes = [each for each in refused if not _DEPENDS.fullmatch(each[2])]
    for op, number, reason in causes or refused:
        reason = re.sub("depends on .*, which is", "depends on a value that is", reason)
        reason = re.sub(r"tensor \d+ '.*?' (\w+)\[[^]]*\]", r"\1 tensor", reason)
        entry = Missing(op, reason, advice=advice_for(op))
        found.setdefault((op, reason), entry).nodes.append(number)
    entries = list(found.values())
    if causes and len(causes) < len(refused):
        entries[0].reason += f"; operators that depend on that: {len(refused) - len(causes)}"
    return entries


def survey(data, resolver=None):
    """Prepare a .tflite (bytes); returns (TfliteModel, RomStorage with the plan, Missing list).

    The plan does not include the scratch buffers of missing operators. Raises ModelError for a
    damaged model.
    """
    resolver = resolver or HostResolver()
    try:
        model = TfliteModel(data)
        return model, prepare_graph(model, resolver), []
    except UnsupportedError as error:
        first = error
    model = TfliteModel(data)
    storage = RomStorage()
    storage.start_model_allocation(model)
    context = MicroContext(storage)
    context.enter(PREPARE)
    missing = _gather(_prepare_each(model, context, resolver))
    if not missing:
        missing.insert(0, Missing("the model", str(first)))
    model.incomplete = True
    storage.finish_model_allocation()
    return model, storage, missing
