# tflm_tools: inspect: what is in a model, what it costs, and whether it runs and fits
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass, field

from tflm import dtypes
from tflm.arena import align_up
from tflm.errors import TflmError
from tflm.op_names import name
from tflm.op_resolver import OpResolver
from tflm.tflite_program import measure

from .boards import Fit, fits
from .flat_file import FlatFile
from .flatten import flatten
from .macs import macs
from .model_file import TensorInfo, open_model
from .plan import Plan, plan_of, tflm_head_bytes
from .survey import Missing, op_name, survey


@dataclass
class OpInfo:
    """One operator; None where the file does not say. Sizes are in bytes."""

    index: int
    name: str
    kernels: list[str]
    output_dtype: str | None
    output_shape: tuple[int, ...] | None
    macs: int | None
    weights_bytes: int | None
    live_bytes: int | None  # of the arena, while it runs


@dataclass
class Inspection:
    """What `tflm inspect` shows. Sizes are in bytes, None where they are not known."""

    path: str
    kind: str
    file_bytes: int
    inputs: list[TensorInfo]
    outputs: list[TensorInfo]
    ops: list[OpInfo]
    missing: list[Missing]
    macs: int | None
    weights_bytes: int
    arena_bytes: int  # what a flat model needs
    arena_tflite_bytes: int | None  # what the .tflite needs when a board prepares it
    tflm_head_bytes: int | None  # what TFLM's planner gives to the same tensors
    peak_op: int | None  # index of the op with the most live bytes
    flat_bytes: int | None  # size of the .tflm
    boards: list[Fit]
    plan: Plan | None = field(default=None, repr=False)


def inspect(path):
    """Inspect a .tflite or .tflm. Raises ModelError when it is damaged, ToolError when unread."""
    model = open_model(path)
    if model.kind == "tflm":
        return _inspect_flat(model)
    return _inspect_tflite(model)


# A flat model holds records, no graph: shapes and work of its ops are gone.
def _inspect_flat(model):
    flat = FlatFile(model.data)
    ops = {}
    for op in flat.ops:
        row = OpInfo(op.node, name(op.builtin_code), [], None, None, None, None, None)
        ops.setdefault(op.node, row).kernels.append(op.kernel)
    return Inspection(
        path=str(model.path),
        kind=model.kind,
        file_bytes=len(model.data),
        inputs=model.inputs,
        outputs=model.outputs,
        ops=list(ops.values()),
        missing=[],
        macs=None,
        weights_bytes=flat.constants_bytes,
        arena_bytes=flat.arena_bytes,
        arena_tflite_bytes=None,
        tflm_head_bytes=None,
        peak_op=None,
        flat_bytes=len(model.data),
        boards=fits(flat.arena_bytes, len(model.data)),
    )


def _inspect_tflite(model):
    graph, storage, missing = survey(model.data)
    plan = plan_of(graph, storage)
    ops = _ops(graph, storage, plan)
    runs = not missing
    flat_bytes = len(flatten(model.data)) if runs else None
    tflite_arena = align_up(sum(measure(graph, OpResolver()))) if runs else None
    known = [op.macs for op in ops if op.macs is not None]
    return Inspection(
        path=str(model.path),
        kind=model.kind,
        file_bytes=len(model.data),
        inputs=model.inputs,
        outputs=model.outputs,
        ops=ops,
        missing=missing,
        macs=sum(known),
        weights_bytes=_weights_bytes(graph),
        arena_bytes=storage.arena_bytes,
        arena_tflite_bytes=tflite_arena,
        tflm_head_bytes=tflm_head_bytes(graph),
        peak_op=plan.peak_op,
        flat_bytes=flat_bytes,
        boards=fits(storage.arena_bytes, flat_bytes or len(model.data)),
        plan=plan,
    )


# A row for each node of the first sub-graph, also for those that cannot be read.
def _ops(graph, storage, plan):
    kernels = {}
    for record in storage.records:
        kernels.setdefault(record.node.index, []).append(record.kernel)
    rows = []
    subgraph = graph.subgraphs[0]
    for i in range(subgraph.nodes_length()):
        number = subgraph.first_node + i
        row = OpInfo(number, "unreadable", kernels.get(number, []), None, None, None, None, None)
        row.live_bytes = plan.live_bytes(i)
        rows.append(row)
        try:
            _describe(row, subgraph.node(i))
        except (TflmError, IndexError):
            continue  # what is missing or damaged has been told already
    return rows


def _describe(row, node):
    row.name = op_name(node)
    constants = {t.index: t.nbytes() for t in node.inputs if t is not None and t.is_constant()}
    row.weights_bytes = sum(constants.values())
    if node.outputs and node.outputs[0] is not None:
        row.output_shape = tuple(node.outputs[0].shape)
        row.output_dtype = dtypes.name(node.outputs[0].dtype)
    row.macs = macs(node)


# Bytes of all constants, those that operators share counted once.
def _weights_bytes(graph):
    constants = {}
    for subgraph in graph.subgraphs:
        for i in range(subgraph.tensors_length()):
            tensor = subgraph.tensor(i)
            if tensor.is_constant():
                constants[tensor.offset] = tensor.nbytes()
    return sum(constants.values())
