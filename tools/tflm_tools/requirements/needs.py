# tflm_tools: needs: lists the operators, kernels and files of Prepare that a model needs
# MIT license; Copyright (c) 2026 the tflm authors

import sys
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tflm import dtypes
from tflm.format import CUSTOM_KERNEL
from tflm.introspection.op_names import name
from tflm.prepare.table import CUSTOM, OPS
from tflm.tflite.reader import TfliteModel

from ..flat.flatten import flatten
from ..image.custom import load_resolver
from ..inspection.survey import Missing, survey
from ..model.flat_file import FlatFile
from ..model.model_file import open_model
from ..model.schema import BuiltinOperator, op_name
from ..packages.runtime_files import kernels_of, with_tflite_imports


@dataclass
class OpNeed:
    """An operator of a model.

    code: in the schema, None for custom operators. versions: of all its occurrences. types: of
    their first inputs and outputs. count: how often the model has it. prepare: its file below
    tflm/, None if a user registers it, or if it is missing. A .tflm has no versions, types and
    Prepare.
    """

    name: str
    code: int | None
    versions: list[int]
    types: list[str]
    count: int
    prepare: str | None
    kernels: list[str]


@dataclass
class ModelNeeds:
    """The needs of one model.

    flat_kernels: names of the kernels of the .tflm. tflite_kernels: names of the kernels when a
    board prepares the .tflite. prepare: files of tflm/prepare/ that the board then loads.
    """

    path: str
    kind: str
    ops: list[OpNeed]
    missing: list[Missing]
    flat_kernels: list[str]
    tflite_kernels: list[str]
    prepare: list[str]


# Yields a list that in the end has the names of the modules of tflm.prepare that the block
# imports; a board imports the same ones. Modules that were imported before are restored.
@contextmanager
def _loaded_prepare():
    def find():
        return {key: module for key, module in sys.modules.items() if _is_prepare(key)}

    before, found = find(), []
    for key in before:
        del sys.modules[key]
    try:
        yield found
        found += sorted(key.rpartition(".")[2] for key in find() if key != "tflm.prepare")
    finally:
        for key in find():
            del sys.modules[key]
        sys.modules.update(before)
        sys.modules["tflm"].prepare = before["tflm.prepare"]


def _is_prepare(key):
    return key == "tflm.prepare" or key.startswith("tflm.prepare.")


# The types of a node's first input and output: "int8", or "int8 → float32" if they differ.
def _types(node):
    first = [
        dtypes.name(tensors[0].dtype)
        for tensors in (node.inputs, node.outputs)
        if tensors and tensors[0] is not None
    ]
    return " → ".join(dict.fromkeys(first))


# The file of an operator in prepare/table.py, or None.
def _prepare_file(code, custom_name):
    file = CUSTOM.get(custom_name) if code == BuiltinOperator.CUSTOM else OPS.get(code)
    return file and f"prepare/{file}"


# A list of OpNeed for a prepared graph, sorted by name.
def _graph_ops(graph, storage):
    kernels = {}
    for record in storage.records:
        kernels.setdefault(record.node.index, []).append(record.kernel)
    found = {}
    for subgraph in (graph.subgraphs[k] for k in graph.call_graph().numbers()):
        for i in range(subgraph.nodes_length()):
            node = subgraph.node(i)
            code, key = node.builtin_code, op_name(node)
            need = found.setdefault(
                key,
                OpNeed(key, None if code == BuiltinOperator.CUSTOM else code, [], [], 0,
                       _prepare_file(code, node.custom_name), []),
            )  # fmt: skip
            need.count += 1
            _add(need.versions, [node.version])
            _add(need.types, [_types(node)])
            _add(need.kernels, kernels.get(node.index, []))
    return _sorted(found)


# A list of OpNeed for a flat model. It only has the names of custom operators that a user
# registers.
def _flat_ops(flat):
    found, nodes = {}, set()
    for op in flat.ops:
        custom = op.builtin_code == BuiltinOperator.CUSTOM
        key = name(op.builtin_code)
        if custom and op.kernel.startswith(CUSTOM_KERNEL):
            key = op.kernel.removeprefix(CUSTOM_KERNEL)
        need = found.setdefault(
            key, OpNeed(key, None if custom else op.builtin_code, [], [], 0, None, [])
        )
        need.count += (key, op.node) not in nodes
        nodes.add((key, op.node))
        _add(need.kernels, [op.kernel])
    return _sorted(found)


# Append the values that are not in a list yet.
def _add(known, values):
    known += [value for value in dict.fromkeys(values) if value not in known]


def _sorted(found):
    for need in found.values():
        for values in (need.versions, need.types, need.kernels):
            values.sort()
    return [found[key] for key in sorted(found)]


def needs_of(path, custom=(), target=None, without=()):
    """Return the ModelNeeds of a .tflite or .tflm.

    custom: Python files that register custom operators. target, without: as for `tflm flatten`.
    Raises TflmError for a file that cannot be read.
    """
    model = open_model(path)
    if model.kind == "tflm":
        flat = FlatFile(model.data)
        kernels = kernels_of(model.data)
        return ModelNeeds(str(path), model.kind, _flat_ops(flat), [], kernels, [], [])
    resolver = load_resolver(custom)
    with _loaded_prepare() as prepare:
        graph, storage, missing = survey(model.data, resolver)
    if any(subgraph.open_dimensions() for subgraph in TfliteModel(model.data).subgraphs):
        # Add the files that compute open shapes.
        files = with_tflite_imports(["tflite/shapes"])
        prepare = sorted({*prepare, *(Path(f).name for f in files if f.startswith("prepare/"))})
        prepare.remove("__init__")
    flat = []
    if not missing:
        flat = kernels_of(flatten(model.data, resolver, target=target, without=without))
    return ModelNeeds(
        path=str(path),
        kind=model.kind,
        ops=_graph_ops(graph, storage),
        missing=missing,
        flat_kernels=flat,
        tflite_kernels=sorted({record.kernel for record in storage.records}),
        prepare=prepare,
    )


@dataclass
class Operator:
    """An operator: its code in the schema, its name, and the file that prepares it.

    code: None for an operator that models name as a custom operator, and that tflm provides.
    """

    code: int | None
    name: str
    file: str


def operators():
    """Return all operators of tflm, sorted by name."""
    found = [Operator(code, name(code), f"prepare/{file}.py") for code, file in OPS.items()]
    found += [Operator(None, op, f"prepare/{file}.py") for op, file in CUSTOM.items()]
    return sorted(found, key=lambda operator: operator.name)
