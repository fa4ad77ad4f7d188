# tflm_tools: verify: a model in the MicroPython unix port against TFLM itself
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass

import numpy as np
from tflm.op_names import name
from tflm.tflite import TfliteModel

from . import oracle
from .cases import make_cases
from .comparison import Difference, first_difference
from .conversion import open_tflite
from .device_model import invoke
from .flatten import prepare

PATHS = ("flat", "tflite")


@dataclass
class PathResult:
    """One path that was verified: microseconds of an invoke, and bytes of arena."""

    path: str
    cases: int
    mean_us: float
    arena_bytes: int


@dataclass
class OpDifference:
    """The first operator, in order of execution, whose output is not TFLM's."""

    node: int
    op: str
    kernel: str
    tensor: str
    difference: Difference


@dataclass
class Mismatch:
    """The first output that differs; `op` is None, and `note` says why, when no op is at fault."""

    path: str
    case: str
    output: int
    difference: Difference
    op: OpDifference | None
    note: str


@dataclass
class Verification:
    """What `tflm verify` found; `mismatch` is None when everything is equal."""

    model: str
    seed: int
    cases: int
    paths: list[PathResult]
    mismatch: Mismatch | None


def verify(path, runs=8, seed=0, form="both", heap=None, timeout=None):
    """Compare `runs` random and four extreme inputs on the paths of `form` ("both" or one).

    Integers must be equal, floats within rtol 1e-5 and atol 1e-6. Stops at the first path that
    differs. Raises TflmError when either side cannot run the model.
    """
    oracle.require()
    model = open_tflite(path, "verify")
    cases = make_cases(model.inputs, runs, seed)
    arrays = [case.inputs for case in cases]
    result = Verification(str(path), seed, len(cases), [], None)
    wanted = None
    for each in PATHS if form == "both" else (form,):
        got = invoke(model, arrays, each, locked=True, heap=heap, timeout=timeout)
        if wanted is None:
            wanted = oracle.run(model.data, arrays, timeout=timeout or 600.0)
        mean = sum(got.times) / len(got.times)
        result.paths.append(PathResult(each, len(cases), mean, got.arena))
        for i, case in enumerate(cases):
            for k, output in enumerate(wanted.outputs[i]):
                difference = first_difference(
                    got.outputs[i][k], output.reshape(model.outputs[k].shape)
                )
                if difference is not None:
                    op, note = _first_op(model, arrays[: i + 1], each, heap, timeout)
                    result.mismatch = Mismatch(each, case.name, k, difference, op, note)
                    return result
    return result


# All tensors of TFLM after the last of `runs`; None when it cannot show them.
def _oracle_tensors(model, runs, timeout):
    for mode in oracle.TENSOR_MODES:
        try:
            return oracle.run(model.data, runs, mode, timeout or 600.0).tensors
        except oracle.OracleError:
            continue
    return None


# The first operator whose output differs after these runs: (OpDifference or None, note).
def _first_op(model, runs, form, heap, timeout):
    theirs = _oracle_tensors(model, runs, timeout)
    if theirs is None:
        return None, "TFLM cannot show the tensors between the ops of this model"
    ours = invoke(model, runs, form, keep_tensors=True, heap=heap, timeout=timeout).tensors
    subgraph = TfliteModel(model.data).subgraphs[0]
    kernels = _kernels(model)
    for i in range(subgraph.nodes_length()):
        for number in subgraph.node_indices(i)[1]:
            if number not in ours or number not in theirs:
                continue
            wanted = theirs[number]
            got = np.frombuffer(ours[number], wanted.dtype).reshape(wanted.shape)
            difference = first_difference(got, wanted)
            if difference is not None:
                node = subgraph.node(i)
                op = node.custom_name or name(node.builtin_code)
                kernel = kernels.get(node.index, "no kernel")
                tensor = subgraph.tensor(number).name
                return OpDifference(node.index, op, kernel, tensor, difference), ""
    return None, (
        "no op differs when every tensor has a place of its own: "
        "a kernel writes outside its tensors, or the arena plan overlays tensors in use"
    )


# Names of the kernels of each node.
def _kernels(model):
    _, storage = prepare(model.data)
    found = {}
    for record in storage.records:
        names = found.setdefault(record.node.index, [])
        if record.kernel not in names:
            names.append(record.kernel)
    return {node: ", ".join(names) for node, names in found.items()}
