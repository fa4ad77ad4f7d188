# tflm_tools: verify: a model in the MicroPython unix port against TFLM itself
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass, field

from ..errors import ToolError
from ..flat.conversion import open_tflite
from ..run.device_model import invoke
from . import oracle
from .cases import make_cases
from .comparison import Difference, first_difference
from .layers import Layers, compare_layers

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
    layers: list[Layers] = field(default_factory=list)  # of each path, if asked for

    def is_equal(self):
        """True when neither an output nor an operator's tensor differs."""
        return self.mismatch is None and not any(layers.first() for layers in self.layers)


def verify(path, runs=8, seed=0, form="both", heap=None, timeout=None, device=None, layers=False):
    """Compare `runs` random and four extreme inputs on the paths of `form` ("both" or one).

    Integers must be equal, floats within rtol 1e-5 and atol 1e-6. Stops at the first path that
    differs. device: a board (board.board_device) instead of the unix port; "both" is "flat" then.
    layers: the outputs of every operator are compared, too.
    Raises TflmError when either side cannot run the model.
    """
    oracle.require()
    model = open_tflite(path, "verify")
    cases = make_cases(model.inputs, runs, seed)
    arrays = [case.inputs for case in cases]
    result = Verification(str(path), seed, len(cases), [], None)
    options = {"heap": heap, "timeout": timeout, "device": device}
    wanted = None
    paths = PATHS if device is None else PATHS[:1]
    for each in paths if form == "both" else (form,):
        got = invoke(model, arrays, each, locked=True, **options)
        if wanted is None:
            wanted = oracle.run(model.data, arrays, timeout=timeout or 600.0)
        mean = sum(got.times) / len(got.times)
        result.paths.append(PathResult(each, len(cases), mean, got.arena))
        result.mismatch = _mismatch(model, cases, got, wanted, each, options)
        if result.mismatch is not None:
            break
    if layers:
        verified = [entry.path for entry in result.paths]
        if result.mismatch is not None:
            verified = verified[-1:]
        result.layers = _all_layers(model, cases, result.mismatch, verified, runs, options)
    return result


# The first output of any case that differs; None when all are equal.
def _mismatch(model, cases, got, wanted, path, options):
    for i, case in enumerate(cases):
        for k, output in enumerate(wanted.outputs[i]):
            output = output.reshape(model.outputs[k].shape)
            difference = first_difference(got.outputs[i][k], output)
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
