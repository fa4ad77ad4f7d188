# tflm_tools: layers: compares the outputs of every operator in MicroPython and in TFLM
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass, replace

import numpy as np
from tflm import dtypes
from tflm.introspection.op_names import name
from tflm.tflite.reader import TfliteModel

from ..errors import DeviceError
from ..execution.device_model import invoke
from ..image.custom import load_resolver
from ..image.prepare import prepare_graph
from ..port.invocation import DEFAULTS
from . import oracle
from .comparison import Difference, first_difference, is_rounded, largest_difference

EQUAL = "equal"
DIFFERS = "differs"
ROUNDED = "one step"  # few elements differ from LiteRT's, each by one step (comparison.py)
UNKNOWN = "not shown"  # the tensor cannot be read on one of the two sides


@dataclass
class LayerRow:
    """One output of an operator.

    number: of the tensor. verdict: EQUAL, DIFFERS, ROUNDED or UNKNOWN. largest: the largest
    difference of two elements, None if every difference is infinite or NaN.
    """

    node: int
    op: str
    kernel: str
    number: int
    tensor: str
    verdict: str
    difference: Difference | None
    largest: float | None


@dataclass
class Layers:
    """The outputs of all operators of the first sub-graph after a case, in order of execution.

    path: "flat" or "tflite". case: the name of the last run.
    """

    path: str
    case: str
    rows: list[LayerRow]

    def first(self):
        """Return the first LayerRow that differs, or None."""
        return next((row for row in self.rows if row.verdict == DIFFERS), None)


# {number: array} of the oracle's tensors after the last of `runs`; None if it cannot show them.
# options: of the oracle.
def _oracle_tensors(model, runs, options):
    for mode in oracle.TENSOR_MODES:
        try:
            return oracle.run(model.data, runs, tensors=mode, **options).tensors
        except oracle.OracleError:
            continue
    return None


# {node number: names of its kernels}.
def _kernels(model, custom):
    storage = prepare_graph(TfliteModel(model.data), load_resolver(custom))
    found = {}
    for record in storage.records:
        names = found.setdefault(record.node.index, [])
        if record.kernel not in names:
            names.append(record.kernel)
    return {node: ", ".join(names) for node, names in found.items()}


# The LayerRow of one output. ours: bytes of tflm, theirs: array of the oracle; either may be None.
def _row(node, kernel, tensor, number, ours, theirs):
    op = node.custom_name or name(node.builtin_code)
    row = LayerRow(node.index, op, kernel, number, tensor.name, UNKNOWN, None, None)
    if ours is None or theirs is None or len(ours) != theirs.nbytes:
        return row
    got = np.frombuffer(ours, theirs.dtype).reshape(theirs.shape)
    row.difference = first_difference(got, theirs)
    row.verdict = EQUAL if row.difference is None else DIFFERS
    row.largest = largest_difference(got, theirs) if got.size else 0.0
    return row


def compare_layers(
    model, runs, case, options=DEFAULTS, oracle_name=oracle.TFLM, device=None,
    kernels=oracle.REFERENCE,
):  # fmt: skip
    """Compare all tensors of a ModelFile after the last of `runs`.

    Tensors do not share memory, and no optimization pass runs. case: the name of the last run.
    options: InvokeOptions; tensors are always kept. kernels: of LiteRT.
    Returns (Layers, ""), or (None, a note that says why the tensors cannot be compared).
    """
    theirs = _oracle_tensors(
        model, runs, {"timeout": options.timeout, "name": oracle_name, "kernels": kernels}
    )
    if theirs is None:
        return None, f"{oracle_name} cannot show the tensors between the operators of this model"
    try:
        ours = invoke(model, runs, replace(options, keep_tensors=True), device).tensors
    except DeviceError as error:
        if device is None or not device.is_board:
            raise
        return None, f"the board cannot keep every tensor: {error}"
    subgraph = TfliteModel(model.data).subgraphs[0]
    kernels = _kernels(model, options.custom)
    rows = []
    for i in range(subgraph.nodes_length()):
        node = subgraph.node(i)
        kernel = kernels.get(node.index, "no kernel")
        for number in subgraph.node_indices(i)[1]:
            if number < 0:
                continue
            tensor = subgraph.tensor(number)
            if tensor.dtype == dtypes.RESOURCE:  # resource handles have no bytes
                continue
            row = _row(node, kernel, tensor, number, ours.get(number), theirs.get(number))
            if oracle_name == oracle.LITERT and is_rounded(row.difference, row.largest):
                row.verdict = ROUNDED
            rows.append(row)
    return Layers(options.path, case, rows), ""
