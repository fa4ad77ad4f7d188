# tflm_tools: report: collects the data of the page that describes a model
# MIT license; Copyright (c) 2026 the tflm authors

import shlex
from dataclasses import dataclass, field
from pathlib import Path

from tflm import dtypes
from tflm.errors import TflmError, UnsupportedError
from tflm.version import __version__

from ..board.fit import BoardFit, fits_all
from ..flat.flatten import FlattenOptions, FlattenPipeline
from ..image.custom import load_resolver
from ..model.model_file import bits_to_float, read_tflite
from ..model.schema import op_name
from ..optimize.memory.levels import BALANCED, OFF
from .inspection import Inspection, inspect
from .model_plan import ModelPlan, plan_model, plan_of_flat
from .profile_file import ProfileRow, read_profile


@dataclass
class TensorRow:
    """A tensor with its quantization.

    kind: "input", "output", "constant", "variable" or "activation". scales: how many it has;
    scale: the first one, 0 without scales.
    """

    number: int
    name: str
    kind: str
    dtype: str
    shape: tuple[int, ...]
    bytes: int
    scales: int
    scale: float
    zero_point: int


@dataclass
class GraphNode:
    """An operator of the graph; inputs, outputs: the numbers of its tensors."""

    number: int
    name: str
    inputs: list[int]
    outputs: list[int]
    output_shape: tuple[int, ...] | None
    output_dtype: str | None


@dataclass
class ReportedGraph:
    """A sub-graph that runs; inputs, outputs: numbers of tensors."""

    name: str
    inputs: list[int]
    outputs: list[int]
    nodes: list[GraphNode]


@dataclass
class ReportSummary:
    """The output of `tflm report`: the page's path, and its most important numbers, in bytes."""

    output: str
    arena_bytes: int
    flat_bytes: int | None
    boards: int
    boards_that_fit: int


@dataclass
class Report:
    """The data of a page about a model.

    flat_bytes, arena_bytes: of the .tflm at `level` for `target`. plans: TFLM's plan and the plan
    of the level. commands, snippet: how to run the model.
    """

    version: str
    level: str
    target: str | None
    inspection: Inspection
    flat_bytes: int | None
    arena_bytes: int
    graph: list[ReportedGraph]
    tensors: list[TensorRow]
    plans: list[ModelPlan]
    boards: list[BoardFit]
    commands: list[str]
    snippet: str
    profile: list[ProfileRow] = field(default_factory=list)
    profile_name: str = ""

    def summary(self, output):
        """Return the ReportSummary for the page `output`."""
        fitting = {row.board for row in self.boards if row.fits}
        boards = {row.board for row in self.boards}
        return ReportSummary(
            str(output), self.arena_bytes, self.flat_bytes, len(boards), len(fitting)
        )


def report(path, level=BALANCED, target=None, profile=None, custom=(), pipeline=None):
    """Return the Report of a .tflite. Raises TflmError for a damaged model.

    level, target: as FlattenOptions. profile: a CSV for profile_file.read_profile(). custom:
    Python files that register custom operators. pipeline: a FlattenPipeline of this file with this
    level and target, if there is one already.
    """
    tflite = read_tflite(path, "a report")
    times = read_profile(profile) if profile else []
    if pipeline is None:
        options = FlattenOptions(target, level)
        pipeline = FlattenPipeline(tflite, options, load_resolver(custom))
    try:
        flat = pipeline.flat
    except UnsupportedError:
        flat = None
    found = inspect(path, custom, flat)
    plans = [plan_model(path, OFF, custom=custom)]
    if flat is not None and (level != OFF or target):
        plans.append(plan_of_flat(path, pipeline))
    flat_bytes = None if flat is None else len(flat)
    graph = pipeline.source
    return Report(
        version=__version__,
        level=level,
        target=target,
        inspection=found,
        flat_bytes=flat_bytes,
        arena_bytes=found.arena_bytes,
        graph=_graph(graph),
        tensors=_tensors(graph),
        plans=plans,
        boards=fits_all(found.arena_bytes, flat_bytes or len(tflite)),
        commands=[] if found.missing else _commands(Path(path).name, level, target),
        snippet="" if found.missing else _snippet(found),
        profile=times,
        profile_name=Path(profile).name if profile else "",
    )


def _running(model):
    return [model.subgraphs[k] for k in model.call_graph().numbers()]


# A ReportedGraph for each sub-graph that runs; unreadable operators have no tensors.
def _graph(model):
    graphs = []
    for subgraph in _running(model):
        first = subgraph.first_tensor
        nodes = []
        for i in range(subgraph.nodes_length()):
            row = GraphNode(subgraph.node_number(i), "unreadable", [], [], None, None)
            nodes.append(row)
            try:
                node = subgraph.node(i)
                row.name = op_name(node)
                row.inputs = [
                    t.index for t in node.inputs if t is not None and not t.is_constant()
                ]
                row.outputs = [t.index for t in node.outputs if t is not None]
                if node.outputs and node.outputs[0] is not None:
                    row.output_shape = tuple(node.outputs[0].shape)
                    row.output_dtype = dtypes.name(node.outputs[0].dtype)
            except (TflmError, IndexError):
                continue  # survey() has reported what is wrong
        ends = [[first + k for k in numbers] for numbers in (subgraph.inputs, subgraph.outputs)]
        graphs.append(ReportedGraph(subgraph.name or "main", *ends, nodes))
    return graphs


# A TensorRow for each tensor of the sub-graphs that run.
def _tensors(model):
    rows = []
    for subgraph in _running(model):
        for i in range(subgraph.tensors_length()):
            try:
                tensor = subgraph.tensor(i)
                rows.append(_tensor(tensor, i, subgraph))
            except (TflmError, IndexError):
                continue  # no operator that runs uses it
    return rows


def _tensor(tensor, i, subgraph):
    kind = "activation"
    if tensor.is_constant():
        kind = "constant"
    elif tensor.is_variable:
        kind = "variable"
    elif i in subgraph.inputs:
        kind = "input"
    elif i in subgraph.outputs:
        kind = "output"
    scales = tensor.scales_length()
    return TensorRow(
        tensor.index, tensor.name, kind, dtypes.name(tensor.dtype), tuple(tensor.shape),
        tensor.nbytes(), scales, bits_to_float(tensor.scale_bits(0)) if scales else 0.0,
        tensor.zero_point(0) if scales else 0,
    )  # fmt: skip


# The commands that write the .tflm of this page and copy the model to a board. `tflm deploy`
# flattens a .tflite for the board's core.
def _commands(name, level, target):
    flat = Path(name).with_suffix(".tflm").name
    options = f" --optimize {level}" if level != BALANCED else ""
    options += f" --target {target}" if target else ""
    source, flat = shlex.quote(name), shlex.quote(flat)
    deployed = flat if options else source
    return [f"tflm flatten {source} -o {flat}{options}", f"tflm deploy {deployed}"]


# The Python program that runs the model on a board.
def _snippet(found):
    flat = Path(found.path).with_suffix(".tflm").name
    lines = ["import tflm", "", f"interpreter = tflm.Interpreter(tflm.load({flat!r}))"]
    for i, tensor in enumerate(found.inputs):
        shape = "x".join(map(str, tensor.shape)) or "one"
        lines.append(f"interpreter.input({i}).quantize(values_{i})  # {shape} real numbers")
    lines.append("interpreter.invoke()")
    lines += [f"print(interpreter.output({i}).dequantize())" for i in range(len(found.outputs))]
    return "\n".join(lines)
