# tflm_tools: inspection: describes a model, its costs, and whether it runs and fits on boards
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass, field

from tflm import dtypes
from tflm.arena import align_up
from tflm.errors import ModelError, TflmError
from tflm.introspection.op_names import name
from tflm.introspection.signature import table_of
from tflm.model import FlatModel
from tflm.op_resolver import OpResolver
from tflm.program import PrepareOptions
from tflm.tflite.program import measure

from ..arena.arena_plan import Plan, plan_of, tflm_head_bytes
from ..board.fit import Fit, fits
from ..flat.flatten import FlattenOptions, FlattenPipeline
from ..image.custom import load_resolver
from ..model.flat_file import FlatFile
from ..model.labels import labels_of
from ..model.macs import macs
from ..model.model_file import TensorInfo, naming, open_model
from ..model.schema import op_name
from ..optimize.invoke_time import (
    BOARDS,
    board_milliseconds_as_int8,
    board_times,
    copying_targets,
)
from ..optimize.memory.levels import BALANCED, SPEED
from ..render.common import Shown
from .allocations import Allocations, allocations, flat_allocations
from .model_type import FLOAT16, FLOAT32, Int8Gains, command_for, type_of
from .survey import Missing, survey

_NOTED_GAIN = 0.9  # an int8 model is called faster if it needs at most this share of the time
_SMALL_WEIGHTS = 1024  # with fewer bytes of float weights an int8 file is not smaller
MAX_PLANNED_OPERATORS = 128  # of a model whose memory is planned in about ten seconds


@dataclass
class OpInfo:
    """One operator; None where the file lacks the information. Sizes are in bytes.

    live_bytes: bytes of the arena in use while it runs. portable_on: boards where a portable
    kernel runs it, and it takes a twentieth of the time or more. pico_share: share of the
    estimated time on a Pico; None if tflm flatten removes the operator.
    """

    index: int
    name: str
    kernels: list[str]
    output_dtype: str | None
    output_shape: tuple[int, ...] | None
    macs: int | None
    weights_bytes: int | None
    live_bytes: int | None
    subgraph: int = 0
    portable_on: list[str] = field(default_factory=list)
    pico_share: float | None = None


@dataclass
class SignatureInfo:
    """A signature: the names of a sub-graph's inputs and outputs, in their order."""

    key: str
    subgraph: int
    inputs: list[str]
    outputs: list[str]


@dataclass
class Contents:
    """Signatures, {name: bytes} of the metadata, and labels of a model."""

    signatures: list[SignatureInfo]
    metadata: dict[str, int]
    labels: list[str]


@dataclass
class Inspection(Shown):
    """The result of `tflm inspect`. Sizes are in bytes, None where they are not known.

    arena_bytes: of the flat model. arena_tflite_bytes: of the .tflite, when a board prepares it.
    tflm_head_bytes: of TFLM's plan for the same tensors. peak_op: index of the operator with the
    most live bytes. flat_bytes: size of the .tflm. allocations: of each kind of file that runs.
    pico_ms, pico2_ms, esp32_ms, esp32c3_ms: estimated milliseconds of an invoke on these boards;
    int8_ms: {board: milliseconds} after a conversion to int8, for a float model. model_type: the
    number types, in words. command: what makes the model fast, and reason: why. is_planned: False
    if the arena could become smaller (inspect()). is_copied: tflm.load() copies the model from the
    flash of a Pico to RAM.
    """

    _shown = ("inspection", "print_inspection")

    path: str
    kind: str
    file_bytes: int
    inputs: list[TensorInfo]
    outputs: list[TensorInfo]
    ops: list[OpInfo]
    missing: list[Missing]
    macs: int | None
    weights_bytes: int
    arena_bytes: int
    arena_tflite_bytes: int | None
    tflm_head_bytes: int | None
    peak_op: int | None
    flat_bytes: int | None
    boards: list[Fit]
    contents: Contents
    allocations: list[Allocations]
    plan: Plan | None = field(default=None, repr=False)
    pico_ms: float | None = None
    pico2_ms: float | None = None
    esp32_ms: float | None = None
    esp32c3_ms: float | None = None
    int8_ms: dict[str, float] = field(default_factory=dict)
    model_type: str = ""
    command: str = ""
    reason: str = ""
    is_planned: bool = True
    is_copied: bool = False


# The Contents of a FlatModel or TfliteModel. Damaged signatures are ignored, because the model
# runs without them.
def _contents(data, graph):
    metadata = graph.metadata()
    try:
        table = table_of(graph)
    except ModelError:
        table = {}
    signatures = [
        SignatureInfo(key, number, [n for _, n in inputs], [n for _, n in outputs])
        for key, (number, inputs, outputs) in sorted(table.items())
    ]
    sizes = {name: len(metadata[name]) for name in sorted(metadata)}
    return Contents(signatures, sizes, labels_of(data, metadata))


# A resolver that does not load kernels, because kernels need MicroPython.
class _PrepareOnly(OpResolver):
    def __init__(self, resolver=None):
        super().__init__()
        if resolver is not None:
            self._builtin, self._custom = resolver._builtin, resolver._custom

    def kernel(self, name):
        return None


def inspect(path, custom=(), flat=None, is_exact=True):
    """Inspect a .tflite or .tflm; returns an Inspection.

    custom: Python files that register custom operators. flat: the .tflm (bytes) whose totals are
    shown; by default the result of `tflm flatten` without options. is_exact: plan the memory of
    large models as `tflm flatten` does, which may take a minute; otherwise the arena of a model
    with more than MAX_PLANNED_OPERATORS is planned as by `--optimize speed`, without bands, and
    may be larger than needed.
    Raises ModelError for a damaged model, ToolError for a file that cannot be read.
    """
    model = open_model(path)
    if model.kind == "tflm":
        return _inspect_flat(model)
    with naming(path):
        return _inspect_tflite(model, load_resolver(custom), flat, is_exact)


# A flat model has records instead of a graph, so shapes and work of its operators are not known.
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
        contents=_contents(model.data, FlatModel(model.data)),
        allocations=[flat_allocations(model.data)],
    )


def _inspect_tflite(model, resolver, flat, is_exact):
    graph, storage, missing = survey(model.data, resolver)
    plan = plan_of(graph, storage)
    ops = _ops(graph, storage, plan)
    runs = not missing
    is_planned = is_exact or flat is not None or len(ops) <= MAX_PLANNED_OPERATORS
    options = FlattenOptions(optimize=BALANCED if is_planned else SPEED)
    pipeline = FlattenPipeline(model.data, options, resolver)
    optimized, times, copying = None, {}, set()
    if runs:
        optimized = pipeline.optimized
        flat = flat or pipeline.flat
        copying = copying_targets(FlatFile(flat).arena_bytes, len(flat))
        estimate = board_times(optimized, copying)
        times = estimate.ms
        for op in ops:
            op.portable_on = estimate.portable.get(op.index, [])
            op.pico_share = estimate.pico_shares.get(op.index)
    words, types = type_of(graph)
    has_loops = any(op.name == "WHILE" for op in ops)  # it cannot be int8
    int8_times = {} if has_loops else _int8_milliseconds(optimized, types, flat)
    weights_bytes = _weights_bytes(graph)
    gains = Int8Gains(
        [board for board, ms in int8_times.items() if ms < _NOTED_GAIN * times[board]],
        [board for board, ms in int8_times.items() if _NOTED_GAIN * ms > times[board]],
        weights_bytes >= _SMALL_WEIGHTS,
        times.get("pico"),
    )
    gains = gains if int8_times else None
    command, reason = command_for(model.path, types, runs, gains, has_loops)
    flat_bytes = len(flat) if runs else None
    # The rows and the plan describe the .tflite; the totals describe the .tflm.
    arena_bytes = FlatFile(flat).arena_bytes if runs else storage.arena_bytes
    rows, tflite_arena, found = [], None, []
    if runs:
        options = PrepareOptions(_PrepareOnly(resolver))
        tflite_arena = align_up(sum(measure(graph, options, allocations=rows)))
        found = [flat_allocations(flat), allocations("tflite", rows, tflite_arena)]
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
        weights_bytes=weights_bytes,
        arena_bytes=arena_bytes,
        arena_tflite_bytes=tflite_arena,
        tflm_head_bytes=tflm_head_bytes(graph),
        peak_op=plan.peak_node,
        flat_bytes=flat_bytes,
        boards=fits(arena_bytes, flat_bytes or len(model.data)),
        contents=_contents(model.data, graph),
        allocations=found,
        plan=plan,
        **{f"{board}_ms": time for board, time in times.items()},
        int8_ms=int8_times,
        model_type=words,
        command=command,
        reason=reason,
        is_planned=is_planned,
        is_copied=BOARDS["pico"] in copying,
    )


# The estimates for a float model after a conversion to int8, else {}.
def _int8_milliseconds(optimized, types, flat):
    if optimized is None or not set(types) <= {FLOAT16, FLOAT32} or not types:
        return {}
    sizes = FlatFile(flat).arena_bytes, len(flat)
    copying = copying_targets(*(size // dtypes.itemsize(dtypes.FLOAT32) for size in sizes))
    return board_milliseconds_as_int8(optimized, copying)


# A row for each node of the sub-graphs that run, including unreadable nodes.
def _ops(graph, storage, plan):
    kernels = {}
    for record in storage.records:
        kernels.setdefault(record.node.index, []).append(record.kernel)
    rows = []
    for subgraph_number in graph.call_graph().numbers():
        subgraph = graph.subgraphs[subgraph_number]
        for i in range(subgraph.nodes_length()):
            number = subgraph.node_number(i)
            names = kernels.get(number, [])
            row = OpInfo(number, "unreadable", names, None, None, None, None, None)
            row.live_bytes = plan.live_bytes_of(number)
            row.subgraph = subgraph_number
            rows.append(row)
            try:
                _describe(row, subgraph.node(i))
            except (TflmError, IndexError):
                continue  # survey() has reported missing and damaged operators
    return rows


def _describe(row, node):
    row.name = op_name(node)
    constants = {t.index: t.nbytes() for t in node.inputs if t is not None and t.is_constant()}
    row.weights_bytes = sum(constants.values())
    if node.outputs and node.outputs[0] is not None:
        row.output_shape = tuple(node.outputs[0].shape)
        row.output_dtype = dtypes.name(node.outputs[0].dtype)
    row.macs = macs(node)


# Bytes of all constants; a constant of several operators counts once.
def _weights_bytes(graph):
    constants = {}
    for subgraph in graph.subgraphs:
        for i in range(subgraph.tensors_length()):
            tensor = subgraph.tensor(i)
            if tensor.is_constant():
                constants[tensor.offset] = tensor.nbytes()
    return sum(constants.values())
