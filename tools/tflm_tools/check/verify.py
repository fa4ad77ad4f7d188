# tflm_tools: verify: a model in the MicroPython unix port against TFLM itself
# MIT license; Copyright (c) 2026 the tflm authors

import functools
from dataclasses import dataclass, field

import numpy as np

from ..errors import DeviceError, ToolError
from ..execution.device_model import invoke
from ..execution.processes import Processes
from ..flat.conversion import open_tflite
from ..optimize.memory.levels import BALANCED
from ..render.notebook import Shown
from . import oracle
from .cases import make_cases
from .comparison import Difference, first_difference, undefined
from .layers import Layers, compare_layers

PATHS = ("flat", "tflite")
_FILLS = (0xAA, 0x55)  # of the oracle's memory, to see what it leaves as it was


@dataclass
class PathResult:
    """One path that was verified: microseconds of an invoke, and bytes of arena."""

    path: str
    cases: int
    mean_us: float
    arena_bytes: int


@dataclass
class OpDifference:
    """The first operator, in order of execution, whose output is not the oracle's."""

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
class Verification(Shown):
    """What `tflm verify` found; `mismatch` is None when everything is equal."""

    _shown = ("results", "print_verification")

    model: str
    seed: int
    cases: int
    paths: list[PathResult]
    mismatch: Mismatch | None
    layers: list[Layers] = field(default_factory=list)  # of each path, if asked for
    oracle: str = oracle.TFLM
    refused: dict[str, str] = field(
        default_factory=dict
    )  # cases that the oracle does not run: why
    unwritten: list[int] = field(default_factory=list)  # outputs that the oracle writes in part

    def is_equal(self):
        """True when neither an output nor an operator's tensor differs."""
        return self.mismatch is None and not any(layers.first() for layers in self.layers)


def verify(
    path,
    runs=8,
    seed=0,
    form="both",
    heap=None,
    timeout=None,
    device=None,
    layers=False,
    oracle_name=oracle.TFLM,
    custom=(),
    by_rows=False,
    optimize=BALANCED,
    arena_budget=None,
    jobs=1,
    scheduler=None,
    progress=None,
):
    """Compare `runs` random and four extreme inputs on the paths of `form` ("both" or one).

    Integers must be equal, floats within rtol 1e-5 and atol 1e-6. Stops at the first path that
    differs. device: a board (board.board_device), or several, instead of the unix port; "both" is
    "flat" then. jobs, scheduler: processes of the unix port, as for measure.evaluation; runs that
    follow each other stay together. progress: a function (done, total).
    layers: the outputs of every operator are compared, too. oracle_name: oracle.TFLM or LITERT.
    Inputs that tflm and the oracle refuse both are left out; bytes that the oracle never writes
    are not compared. custom: Python files that register operators of yours. by_rows: the input of
    the flat model comes by rows, which the path "tflite" has not. optimize, arena_budget: how the
    flat model is planned, as for flatten.flatten(). Raises TflmError when either side cannot run
    the model, ToolError where only the path "tflite" is asked for and how to plan the other one.
    """
    oracle.require(oracle_name)
    if form == "tflite" and (by_rows or optimize != BALANCED or arena_budget is not None):
        raise ToolError(
            "--path tflite prepares the .tflite where it runs, and --optimize, --arena-budget and "
            "--input-by-rows plan a flat model; leave these out, or take --path flat"
        )
    model = open_tflite(path, "verify")
    cases = make_cases(model.inputs, runs, seed)
    arrays = [case.inputs for case in cases]
    result = Verification(str(path), seed, len(cases), [], None, oracle=oracle_name)
    device = device or Processes(jobs, scheduler)
    options = {"heap": heap, "timeout": timeout, "device": device, "custom": custom}
    layer_options = {**options, "oracle_name": oracle_name}
    flat = {"by_rows": by_rows, "optimize": optimize, "arena_budget": arena_budget}
    ask = functools.partial(
        oracle.run, model.data, timeout=timeout, name=oracle_name, refusals=True
    )
    wanted = None
    paths = (form,)
    if form == "both":
        paths = PATHS[:1] if device.is_board or by_rows else PATHS
    for number, each in enumerate(paths):
        told = functools.partial(_tell, progress, number, len(paths))
        try:
            got = invoke(model, arrays, each, locked=True, flat=flat,
                         progress=told, **options)  # fmt: skip
        except DeviceError:
            if wanted is not None or not _leave_out(result, cases, ask(arrays).refused):
                raise
            arrays = [case.inputs for case in cases]
            got = invoke(model, arrays, each, locked=True, flat=flat,
                         progress=told, **options)  # fmt: skip
        if wanted is None:
            wanted = ask(arrays, fill=_FILLS[0])
            if wanted.refused:
                ask(arrays, refusals=False)  # which says why
            unwritten = _unwritten(wanted, _again(ask, arrays))
            outputs = range(len(model.outputs))
            result.unwritten = [k for k in outputs if any(m[k].any() for m in unwritten)]
            result.cases = len(cases)
        mean = sum(got.times) / len(got.times)
        result.paths.append(PathResult(each, len(cases), mean, got.arena))
        result.mismatch = _mismatch(model, cases, got, wanted, unwritten, each, layer_options)
        if result.mismatch is not None:
            break
    if layers:
        verified = [entry.path for entry in result.paths]
        if result.mismatch is not None:
            verified = verified[-1:]
        result.layers = _all_layers(model, cases, result.mismatch, verified, runs, layer_options)
    return result


# How far one path of several is, as how far all are.
def _tell(progress, number, paths, done, total):
    if progress is not None:
        progress(number * total + done, paths * total)


# Take the cases away that the oracle refuses, too; False where that leaves none, or all.
def _leave_out(result, cases, refused):
    if not refused or len(refused) == len(cases):
        return False
    result.refused = {cases[i].name: why for i, why in refused.items()}
    cases[:] = [case for i, case in enumerate(cases) if i not in refused]
    return True


# The oracle's answer once more, over other memory: with every tensor in a place of its own, where
# it can run the model so, what it leaves unwritten is what something else left there.
def _again(ask, arrays):
    try:
        return ask(arrays, oracle.TENSOR_MODES[0], fill=_FILLS[1])
    except oracle.OracleError:
        return ask(arrays, fill=_FILLS[1])


# Masks of what is not the same in two answers of the oracle, [case][output].
def _unwritten(wanted, again):
    return [
        [undefined(a, b) for a, b in zip(one, two, strict=True)]
        for one, two in zip(wanted.outputs, again.outputs, strict=True)
    ]


# The first output of any case that differs; None when all are equal.
def _mismatch(model, cases, got, wanted, unwritten, path, options):
    for i, case in enumerate(cases):
        for k, output in enumerate(wanted.outputs[i]):
            shape = model.outputs[k].shape
            output, mask = output.reshape(shape), unwritten[i][k].reshape(shape)
            difference = first_difference(np.where(mask, output, got.outputs[i][k]), output)
            if difference is not None:
                arrays = [case.inputs for case in cases[: i + 1]]
                found = compare_layers(model, arrays, case.name, path, **options)
                return Mismatch(path, case.name, k, difference, *_first_op(*found))
    return None


# The first operator whose output differs after these runs: (OpDifference or None, note).
def _first_op(layers, note):
    if layers is None:
        return None, note
    row = layers.first()
    if row is None:
        return None, (
            "no op differs when every tensor has a place of its own: "
            "a kernel writes outside its tensors, or the arena plan overlays tensors in use"
        )
    return OpDifference(row.node, row.op, row.kernel, row.tensor, row.difference), ""


# The layers after the last random case, or the one that differs, on each path.
def _all_layers(model, cases, mismatch, paths, runs, options):
    names = [case.name for case in cases]
    last = max(runs, 1) if mismatch is None else names.index(mismatch.case) + 1
    found = []
    for path in paths:
        arrays = [case.inputs for case in cases[:last]]
        layers, note = compare_layers(model, arrays, names[last - 1], path, **options)
        if layers is None:
            raise ToolError(f"--layers: {note}; verify without it")
        found.append(layers)
    return found
