# tflm_tools: every operator's outputs in MicroPython beside those of TFLM
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass

import numpy as np
from tflm import dtypes
from tflm.introspection.op_names import name
from tflm.tflite.reader import TfliteModel

from ..errors import DeviceError
from ..execution.device_model import invoke
from ..flat.flatten import prepare
from ..image.custom import load_resolver
from . import oracle
from .comparison import Difference, first_difference

EQUAL = "equal"
DIFFERS = "differs"
UNKNOWN = "not shown"  # one side cannot show the tensor


@dataclass
class LayerRow:
    """One output of an operator: `verdict` is EQUAL, DIFFERS or UNKNOWN.

    largest: the largest difference of two elements, None where there is none or no number.
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
    """The outputs of all operators of the first sub-graph after a case, in order of execution."""

    path: str
    case: str
    rows: list[LayerRow]

    def first(self):
        """The first LayerRow that differs, or None."""
        return next((row for row in self.rows if row.verdict == DIFFERS), None)


# All tensors of the oracle after the last of `runs`; None when it cannot show them.
def _oracle_tensors(model, runs, timeout, name):
    for mode in oracle.TENSOR_MODES:
        try:
            return oracle.run(model.data, runs, mode, timeout, name=name).tensors
        except oracle.OracleError:
            continue
    return None


# Names of the kernels of each node.
def _kernels(model, custom):
    _, storage = prepare(model.data, load_resolver(custom))
    found = {}
    for record in storage.records:
        names = found.setdefault(record.node.index, [])
        if record.kernel not in names:
            names.append(record.kernel)
    return {node: ", ".join(names) for node, names in found.items()}


# The largest difference of two elements; None where every one is infinite or no number.
def _largest(got, wanted):
    with np.errstate(all="ignore"):
        distance = np.abs(got.astype(np.float64) - wanted.astype(np.float64))
    distance = distance[np.isfinite(distance)]
    return float(distance.max()) if distance.size else None


# The row of one output, from our bytes and TFLM's array; either may be None.
def _row(node, kernel, tensor, number, ours, theirs):
    op = node.custom_name or name(node.builtin_code)
    row = LayerRow(node.index, op, kernel, number, tensor.name, UNKNOWN, None, None)
    if ours is None or theirs is None or len(ours) != theirs.nbytes:
        return row
    got = np.frombuffer(ours, theirs.dtype).reshape(theirs.shape)
    row.difference = first_difference(got, theirs)
    row.verdict = EQUAL if row.difference is None else DIFFERS
    row.largest = _largest(got, theirs) if got.size else 0.0
    return row


def compare_layers(
    model, runs, case, form, oracle_name=oracle.TFLM, device=None, custom=(), **options
):
    """Compare all tensors of a ModelFile after the last of `runs`: (Layers or None, note).

    Every tensor has a place of its own, and nothing is saved. case: the name of the last run.
    form: "flat" or "tflite". options: heap and timeout of device_model.invoke(). The note
    says why there are none.
    """
    theirs = _oracle_tensors(model, runs, options.get("timeout"), oracle_name)
    if theirs is None:
        return None, f"{oracle_name} cannot show the tensors between the ops of this model"
    try:
        ours = invoke(
            model, runs, form, keep_tensors=True, device=device, custom=custom, **options
        ).tensors
    except DeviceError as error:
        if device is None or not device.is_board:
            raise
        return None, f"the board cannot keep every tensor: {error}"
    subgraph = TfliteModel(model.data).subgraphs[0]
    kernels = _kernels(model, custom)
    rows = []
    for i in range(subgraph.nodes_length()):
        node = subgraph.node(i)
        kernel = kernels.get(node.index, "no kernel")
        for number in subgraph.node_indices(i)[1]:
            if number < 0:
                continue
            tensor = subgraph.tensor(number)
            if tensor.dtype != dtypes.RESOURCE:  # handles have no bytes
                rows.append(
                    _row(node, kernel, tensor, number, ours.get(number), theirs.get(number))
                )
    return Layers(form, case, rows), ""
